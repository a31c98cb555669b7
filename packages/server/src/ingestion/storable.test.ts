import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanJson, cleanText, fitObject } from './storable.js';

test('NUL and lone surrogates are replaced, everything else is unchanged', () => {
  expect(cleanText('a\u0000b\ud83dc\ude00d😀')).toBe('a\ufffdb\ufffdc\ufffdd😀');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const clean = cleanText(text);
      expect(clean.includes('\u0000')).toBe(false);
      expect(clean).not.toMatch(/\p{Cs}/u);
      expect(clean.length).toBe(text.length);
    }),
  );
});

test('names and values are cleaned at every depth', () => {
  expect(cleanJson({ 'a\u0000': ['\ud800', { b: '\udc00' }] })).toEqual({ 'a\ufffd': ['\ufffd', { b: '\ufffd' }] });
});

test('values that are too deep are stored as text', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`);
  const fitted = fitObject({ deep, flat: { b: 1 } });
  expect(JSON.stringify(fitted)).toContain('"flat":{"b":1}');
  let depth = 0;
  for (let at: unknown = fitted; typeof at === 'object' && at !== null; at = Object.values(at)[0]) depth++;
  expect(depth).toBeLessThanOrEqual(33);
  const arrays = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(JSON.stringify(fitObject({ arrays })).length).toBeLessThan(100);
});

test('an ordinary object is not copied', () => {
  const object = { a: 1, b: { c: [1, { d: 2 }] }, 'x.y': 1 };
  expect(fitObject(object)).toBe(object);
});
