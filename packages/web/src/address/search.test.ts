import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './search.js';

test('addresses stay readable', () => {
  expect(stringifySearch({ from: '-30d', f: ['plan,is,pro', '$browser,is_not,Mobile Safari'], q: undefined })).toBe(
    '?from=-30d&f=plan,is,pro&f=$browser,is_not,Mobile+Safari',
  );
});

test('what is written is read again', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' });
  const search = fc.dictionary(text, fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 4 })));
  fc.assert(fc.property(search, (texts) => void expect(parseSearch(stringifySearch(texts))).toEqual({ ...texts })));
});
