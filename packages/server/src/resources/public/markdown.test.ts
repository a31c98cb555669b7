import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMarkdown, markdown } from './markdown.js';

const of = (source: string) => markdown(source).text;

test.each([
  ['# One\n### Two', '<h2>One</h2><h3>Two</h3>'],
  ['a\nb\n\nc', '<p>a<br>b</p><p>c</p>'],
  ['- a\n- **b**\n1. c', '<ul><li>a</li><li><strong>b</strong></li></ul><ol><li>c</li></ol>'],
  ['> said\n> so', '<blockquote><p>said<br>so</p></blockquote>'],
  ['```js\n<b>*a*\n```', '<pre><code>&lt;b&gt;*a*</code></pre>'],
  ['---', '<hr>'],
  ['*a* __b__ ~~c~~ `<d>`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>&lt;d&gt;</code></p>'],
  ['snake_case_name 2 * 3 * 4', '<p>snake_case_name 2 * 3 * 4</p>'],
  ['![pic](https://example.org/x.png)', '<p>pic</p>'],
])('%j', (source, expected) => {
  expect(of(source)).toBe(expected);
});

test.each([
  ['- a\n  - b\n    1. c\n- d', '<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul>'],
  ['- a\n\n  more\n- b', '<ul><li>a<p>more</p></li><li>b</li></ul>'],
  ['**bold *and slanted*** _so_', '<p><strong>bold <em>and slanted</em></strong> <em>so</em></p>'],
  ['*a **b** c*', '<p><em>a <strong>b</strong> c</em></p>'],
  ['*two\nlines*', '<p><em>two</em><br><em>lines</em></p>'],
  ['~~gone **too**~~ and ~~ alone', '<p><del>gone <strong>too</strong></del> and ~~ alone</p>'],
  ['> - a\n> - b', '<blockquote><ul><li>a</li><li>b</li></ul></blockquote>'],
  ['1. a\n\n2. b', '<ol><li>a</li><li>b</li></ol>'],
])('nesting as in %j', (source, expected) => {
  expect(of(source)).toBe(expected);
});

test('nesting beyond the limit is shown as text', () => {
  expect(of(`${'>'.repeat(40)} deep`)).toMatch(/^(<blockquote>){16}<p>(&gt;){24} deep<\/p>/);
});

test.each([
  ['[a](https://example.org/?a=1&b="2)', '<a href="https://example.org/?a=1&amp;b=&quot;2" rel="noopener nofollow">a</a>'],
  ['[a](mailto:a@example.org)', '<a href="mailto:a@example.org" rel="noopener nofollow">a</a>'],
  ['see https://example.org/a.', 'see <a href="https://example.org/a" rel="noopener nofollow">https://example.org/a</a>.'],
  [
    '**https://example.org/a_b_c?d#e**',
    '<strong><a href="https://example.org/a_b_c?d#e" rel="noopener nofollow">https://example.org/a_b_c?d#e</a></strong>',
  ],
  ['(see <https://example.org>)', '(see <a href="https://example.org" rel="noopener nofollow">https://example.org</a>)'],
  ['[a](javascript:alert(1))', 'a'],
  ['[a](https://example.org/b_(c))', '<a href="https://example.org/b_(c)" rel="noopener nofollow">a</a>'],
  ['[a](javascript:x)', 'a'],
  ['[a](data:text/html,x)', 'a'],
  ['[a](//evil.example)', 'a'],
  ['[https://b.example](https://a.example)', '<a href="https://a.example" rel="noopener nofollow">https://b.example</a>'],
])('a link %j', (source, expected) => {
  expect(of(source)).toBe(`<p>${expected}</p>`);
});

test('only known tags become markup, and each is closed', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<script>',
      '</p>',
      '"',
      "'",
      '&',
      '](',
      '[',
      '**',
      '*',
      '`',
      '```\n',
      '\n',
      '- ',
      '# ',
      'https://',
      'javascript:',
    ),
    fc.string({ maxLength: 5 }),
  );
  const tag =
    /^<(?:\/?(?:h[2-6]|p|ul|ol|li|blockquote|pre|code|strong|em|del|a)|br|hr|a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener nofollow")>$/i;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const open: string[] = [];
      for (const [found] of of(pieces.join('')).matchAll(/<[^>]*>?/g)) {
        expect(found).toMatch(tag);
        const name = /^<\/?(\w+)/.exec(found)?.[1] ?? '';
        if (found.startsWith('</')) expect(open.pop()).toBe(name);
        else if (name !== 'br' && name !== 'hr') open.push(name);
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test.each(['*', '[', '[a](', '`a', '~~a', '*a_ ', '>', '> ', '1. ', '- + ', '- a\n', `${'1. '.repeat(50)}\n`, 'http'])(
  'many %j are rendered in linear time',
  (odd) => {
    const textOf = (length: number) => odd.repeat(length / odd.length);
    /** Processor time of this process, microseconds: the least of some attempts. */
    const costOf = (length: number) =>
      Math.min(
        ...[1, 2].map(() => {
          const begun = process.cpuUsage();
          of(textOf(length));
          return process.cpuUsage(begun).user;
        }),
      );
    // in quadratic time 64 times as much; a short text takes less than the clock can measure
    expect(costOf(12_000)).toBeLessThan(30 * Math.max(costOf(1_500), 10_000));
  },
);

test('lists and quotes that one line nests too deeply are text', () => {
  expect(of('1. '.repeat(65))).not.toContain('<li>');
  expect(of(`> ${'- a\n> '.repeat(40)}`)).toContain('<li>');
  expect(of(`${'1. '.repeat(40)}a`)).toContain('<li>');
});

test('each text that is not cached is rendered in a turn of its own', async () => {
  const turns: (() => void)[] = [];
  const render = createMarkdown({ yield: () => new Promise((resolve) => turns.push(resolve)) });
  let done = 0;
  const all = Promise.all(
    ['*a*', '*b*', '*c*'].map(async (source) => {
      const { text } = await render(source);
      done++;
      return text;
    }),
  );
  for (let turn = 0; turn < 3; turn++) {
    expect(done).toBe(turn);
    turns[turn]?.();
    await delay(1);
  }
  expect(await all).toEqual(['<p><em>a</em></p>', '<p><em>b</em></p>', '<p><em>c</em></p>']);
  expect((await render('*b*')).text).toBe('<p><em>b</em></p>');
  expect(turns).toHaveLength(3);
});
