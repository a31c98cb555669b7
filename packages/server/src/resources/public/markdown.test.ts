import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdown } from './markdown.js';

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
  ['[a](https://example.org/?a=1&b="2)', '<a href="https://example.org/?a=1&amp;b=&quot;2" rel="noopener nofollow">a</a>'],
  ['[a](mailto:a@example.org)', '<a href="mailto:a@example.org" rel="noopener nofollow">a</a>'],
  ['see https://example.org/a.', 'see <a href="https://example.org/a" rel="noopener nofollow">https://example.org/a</a>.'],
  ['[a](javascript:alert(1))', 'a'],
  ['[a](https://example.org/b_(c))', '<a href="https://example.org/b_(c)" rel="noopener nofollow">a</a>'],
  ['[a](javascript:x)', 'a'],
  ['[a](data:text/html,x)', 'a'],
  ['[a](//evil.example)', 'a'],
  ['[https://b.example](https://a.example)', '<a href="https://a.example" rel="noopener nofollow">https://b.example</a>'],
])('a link %j', (source, expected) => {
  expect(of(source)).toBe(`<p>${expected}</p>`);
});

test('nothing becomes markup but the tags that are ours, closed as they were opened', () => {
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

test('long and odd texts take no longer than others', () => {
  for (const odd of ['*'.repeat(20_000), '['.repeat(20_000), '[a]('.repeat(5_000), '`a'.repeat(10_000), '~~a'.repeat(6_000)]) {
    const begun = process.cpuUsage();
    of(odd);
    expect(process.cpuUsage(begun).user).toBeLessThan(3_000_000);
  }
});
