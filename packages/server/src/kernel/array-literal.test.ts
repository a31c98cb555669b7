import { expect, test } from 'vitest';
import { arrayLiteral } from './array-literal.js';

test('numbers and texts stand as PostgreSQL reads them', () => {
  expect(arrayLiteral([])).toBe('{}');
  expect(arrayLiteral([1, -2.5])).toBe('{1,-2.5}');
  expect(arrayLiteral(['', 'NULL', 'a,b', '{"', '\\', 'ü'])).toBe('{"","NULL","a,b","{\\"","\\\\","ü"}');
});
