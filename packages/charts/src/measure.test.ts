import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit, fitMiddle, roughly, wrap } from './measure.js';

describe('texts', () => {
  test('are not cut within a sign', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(fit(family.repeat(4), 30, 12, (text) => text.length)).toMatch(new RegExp(`^(${family})*…$`, 'u'));
  });

  test('are cut so that they fit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 30, max: 500 }), (text, width) => {
        expect(roughly(fit(text, width, 12, roughly), 12)).toBeLessThanOrEqual(width);
        expect(roughly(fitMiddle(text, width, 12, roughly), 12)).toBeLessThanOrEqual(width);
        for (const line of wrap(text, width, 12, 3, roughly)) expect(roughly(line, 12)).toBeLessThanOrEqual(width);
      }),
    );
    expect(fitMiddle('a long text 12', 70, 12, roughly)).toBe('a long…12');
    expect(fitMiddle('short', 200, 12, roughly)).toBe('short');
    expect(fit('short', 200, 12, roughly)).toBe('short');
    expect(fit('a long text', 40, 12, roughly)).toMatch(/^a lo?…$/);
  });

  test('are wrapped between words, and cut in the last line', () => {
    expect(wrap('one two three', 60, 10, 5, roughly)).toEqual(['one two', 'three']);
    expect(wrap('one two three four five', 60, 10, 2, roughly)).toEqual(['one two', 'three fo…']);
    expect(wrap('a\nb', 60, 10, 5, roughly)).toEqual(['a', 'b']);
  });
});
