import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readInsight } from '../read/read-insight.js';
import { renderSvg } from '../render-svg.js';
import { beforeMore, fit, fitMiddle, type Measure, roughly, wrap } from './measure.js';

describe('texts', () => {
  test('are not cut within a character', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(fit(family.repeat(4), 30, 12, (text) => text.length)).toMatch(new RegExp(`^(${family})*…$`, 'u'));
  });

  test('are cut to fit the width', () => {
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

  test('that are very long are not measured as a whole', () => {
    let measured = 0;
    const counting: Measure = (text, size) => {
      measured += text.length;
      return roughly(text, size);
    };
    const long = `${'start of '.repeat(100_000)}the end`;
    expect(fit(long, 80, 12, counting)).toBe('start of…');
    expect(fitMiddle(long, 150, 12, counting)).toMatch(/^start of.*….* end$/);
    const table = readInsight({ kind: 'HogQLQuery' }, { results: [[long, long]], columns: ['a', long] });
    expect(renderSvg(table, { width: 600, height: 300, measure: counting })).toContain('>start of');
    expect(measured).toBeLessThan(long.length);
  });

  test('are wrapped between words, and cut in the last line', () => {
    expect(wrap('one two three', 60, 10, 5, roughly)).toEqual(['one two', 'three']);
    expect(wrap('one two three four five', 60, 10, 2, roughly)).toEqual(['one two', 'three fo…']);
    expect(wrap('a\nb', 60, 10, 5, roughly)).toEqual(['a', 'b']);
  });

  test('written from right to left do not reorder what follows them', () => {
    expect(['עברית', 'ab العربية', 'plain', '日本'].map(beforeMore)).toEqual([
      'עברית\u200e',
      'ab العربية\u200e',
      'plain',
      '日本',
    ]);
    const results = [
      { label: 'مبيعات', count: 24, data: [24] },
      { label: 'English', count: 8, data: [8] },
    ];
    const pie = readInsight({ kind: 'TrendsQuery', trendsFilter: { display: 'ActionsPie' } }, { results });
    const drawn = renderSvg(pie, { width: 600, height: 400 });
    expect(drawn).toContain('<title>مبيعات\u200e: 24 (75.0%)</title>');
    expect(drawn).toContain('<title>English: 8 (25.0%)</title>');
  });
});
