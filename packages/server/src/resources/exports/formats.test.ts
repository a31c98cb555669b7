import { expect, test } from 'vitest';
import { exportFilename } from './formats.js';

const now = new Date('2026-11-28T21:05:09Z');

test.each([
  ['Weekly numbers', 'export-weekly-numbers-2026-11-28-210509.png'],
  ['Übersicht Café / Zoë', 'export-ubersicht-cafe-zoe-2026-11-28-210509.png'],
  ['プレミアム会員（年間）', 'export-プレミアム会員年間-2026-11-28-210509.png'],
  ['יום ראשון', 'export-יום-ראשון-2026-11-28-210509.png'],
  ['Продажи за май', 'export-продажи-за-май-2026-11-28-210509.png'],
  ['../🚀 "x"\r\n', 'export-x-2026-11-28-210509.png'],
  ['', 'export-2026-11-28-210509.png'],
])('the picture of "%s" is called %s', (title, name) => {
  expect(exportFilename(null, title, 'image/png', now)).toBe(name);
});

test('a long name ends at a whole character', () => {
  const name = exportFilename('𠮷'.repeat(200), null, 'text/csv', now);
  expect(name).toBe(`${'𠮷'.repeat(120)}.csv`);
  expect(() => encodeURIComponent(name)).not.toThrow();
});
