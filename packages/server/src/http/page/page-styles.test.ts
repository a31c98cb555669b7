import { expect, test } from 'vitest';
import { tokenStyles } from './page-styles.js';

test('a fixed scheme ignores that of the device, and paper is light', () => {
  expect(tokenStyles('light')).not.toContain('@media');
  expect(tokenStyles('dark')).toMatch(/^:root\{color-scheme:dark.*@media print\{:root\{color-scheme:light/);
  expect(tokenStyles('system')).toMatch(/^:root\{color-scheme:light.*@media screen and \(prefers-color-scheme:dark\)/);
});
