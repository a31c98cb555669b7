import { type Measure, THEMES } from '@tidemark/charts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownSvg } from './markdown-svg.js';

const measure: Measure = (text, size) => text.length * size * 0.6;
const box = { x: 10, y: 20, width: 300, height: 200 };
const drawn = (source: string, within = box) => markdownSvg(source, within, THEMES.light, measure);

/** The lines of a picture, as they read. */
const linesOf = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map(([, spans = '']) => spans.replace(/<[^>]+>/g, ''));
/** How a text is drawn. */
const styleOf = (svg: string, text: string) => new RegExp(`<tspan ([^>]*)>${text}</tspan>`).exec(svg)?.[1];

test('Markdown is drawn without its markup, with its styles', () => {
  const svg = drawn('# Head\n*single* and **double**, ~~gone~~ `code` [link](https://example.org)\n\n- one\n1. two\n> said');
  expect(linesOf(svg)).toEqual(['Head', 'single and double, gone code link', '• one', '1. two', 'said']);
  expect(styleOf(svg, 'single')).toContain('font-style="italic"');
  expect(styleOf(svg, 'double')).toContain('font-weight="bold"');
  expect(styleOf(svg, 'gone')).toContain('line-through');
  expect(styleOf(svg, 'code')).toContain('DejaVu Sans Mono');
  expect(styleOf(svg, 'link')).toContain(THEMES.light.palette[0]);
  expect(styleOf(svg, 'Head')).toContain('font-size="20"');
});

test('nested lists are indented, and quotes within quotes have a bar each', () => {
  const svg = drawn('- one\n  - two\n    1. three\n\n> said\n> > again');
  const starts = [...svg.matchAll(/<text x="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(linesOf(svg)).toEqual(['• one', '• two', '1. three', 'said', 'again']);
  expect(starts[1]).toBeCloseTo((starts[0] ?? 0) + 20);
  expect(starts[2]).toBeGreaterThan((starts[1] ?? 0) + 10);
  expect(svg.match(/<rect x="10" [^>]*width="3"/g)).toHaveLength(2);
  expect(svg.match(/<rect x="22" [^>]*width="3"/g)).toHaveLength(1);
});

test('emphasis within emphasis has both styles', () => {
  expect(styleOf(drawn('**bold *both***'), 'both')).toMatch(/font-weight="bold" font-style="italic"/);
});

test('text that does not fit is left out, with a note in the last line', () => {
  const lines = linesOf(drawn('word '.repeat(500)));
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.at(-1)).toMatch(/…$/);
  expect(lines.slice(0, -1).join('')).not.toContain('…');
});

test('lines of any text stay within their box', () => {
  const piece = fc.oneof(
    fc.constantFrom('# ', '- ', '> ', '**', '*', '`', '\n', ' ', '```\n', '<b>', '&'),
    fc.string({ maxLength: 60 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.integer({ min: 120, max: 600 }),
      fc.integer({ min: 40, max: 400 }),
      (parts, width, height) => {
        const svg = drawn(parts.join(''), { ...box, width, height });
        for (const [, y] of svg.matchAll(/<text x="[\d.]+" y="([\d.]+)"/g))
          expect(Number(y)).toBeLessThanOrEqual(box.y + Math.max(height, 60));
        expect(svg.replace(/<\/?(text|tspan|rect)( [^<>]*)?\/?>/g, '')).not.toMatch(/[<>]/);
      },
    ),
    { numRuns: 200 },
  );
});
