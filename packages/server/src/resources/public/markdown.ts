import { escapeHtml, Html } from './html.js';

/** Where links may lead; everything else stays text. */
const SAFE = /^(https?:\/\/|mailto:)/i;
/** What is read of a text; more than any tile has. */
const MOST = 20_000;

/**
 * Markdown as HTML: headings, lists, quotes, code, rules, emphasis and links. HTML in it is text, pictures are their description,
 * and links lead to the web or to an address for mail, or are none. Headings follow each other without a gap, from `level` on.
 */
export function markdown(source: string, level = 2): Html {
  const lines = source.slice(0, MOST).replace(/\r\n?/g, '\n').split('\n');
  const ranks = [...new Set(lines.flatMap((line) => HEADING.exec(line)?.[1]?.length ?? []))].sort();
  const rankOf = (signs: number) => Math.min(6, level + ranks.indexOf(signs));
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = readBlock(lines, at, rankOf);
    out.push(block);
    at = next;
  }
  return new Html(out.join(''));
}

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>\s?/;
const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d{1,9}[.)]\s+/;

type Read = [block: string, next: number];

function readBlock(lines: readonly string[], at: number, rankOf: (signs: number) => number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return ['', at + 1];
  if (FENCE.test(line)) {
    let end = at + 1;
    while (end < lines.length && !FENCE.test(lines[end] ?? '')) end++;
    return [`<pre><code>${escapeHtml(lines.slice(at + 1, end).join('\n'))}</code></pre>`, end + 1];
  }
  const heading = HEADING.exec(line);
  if (heading) {
    const rank = rankOf((heading[1] ?? '').length);
    return [`<h${rank}>${inline(heading[2] ?? '')}</h${rank}>`, at + 1];
  }
  if (RULE.test(line)) return ['<hr>', at + 1];
  for (const [sign, tag] of [
    [BULLET, 'ul'],
    [NUMBER, 'ol'],
  ] as const) {
    if (!sign.test(line)) continue;
    const [items, next] = taken(lines, at, (one) => sign.test(one));
    return [`<${tag}>${items.map((item) => `<li>${inline(item.replace(sign, ''))}</li>`).join('')}</${tag}>`, next];
  }
  if (QUOTE.test(line)) {
    const [quoted, next] = taken(lines, at, (one) => QUOTE.test(one));
    return [`<blockquote><p>${quoted.map((one) => inline(one.replace(QUOTE, ''))).join('<br>')}</p></blockquote>`, next];
  }
  const [text, next] = taken(
    lines,
    at,
    (one) => one.trim() !== '' && ![FENCE, HEADING, RULE, QUOTE, BULLET].some((sign) => sign.test(one)),
  );
  return [`<p>${text.map((one) => inline(one.trim())).join('<br>')}</p>`, next];
}

/** The lines from `at` on that belong together; at least one. */
function taken(lines: readonly string[], at: number, belongs: (line: string) => boolean): [string[], number] {
  let end = at + 1;
  while (end < lines.length && belongs(lines[end] ?? '')) end++;
  return [lines.slice(at, end), end];
}

/** What has a meaning within a line; each alternative ends at the first sign that closes it. */
const SPAN =
  /`([^`]+)`|!\[([^\][]*)\]\([^()\s]*\)|\[([^\][]+)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)|<(https?:\/\/[^\s<>]+)>|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|~~([^~]+)~~|(https?:\/\/[^\s<>()"']+[^\s<>()"'.,;:!?])/gi;

function inline(text: string): string {
  let out = '';
  let last = 0;
  for (const match of text.matchAll(SPAN)) {
    const [whole, code, picture, label, target, auto, strong, strong2, emphasis, struck, bare] = match;
    out += escapeHtml(text.slice(last, match.index));
    last = match.index + whole.length;
    const bold = strong ?? strong2;
    const address = auto ?? bare;
    if (code !== undefined) out += `<code>${escapeHtml(code)}</code>`;
    else if (picture !== undefined) out += escapeHtml(picture);
    else if (label !== undefined && target !== undefined) out += link(target, inline(label));
    else if (address !== undefined) out += link(address, escapeHtml(address));
    else if (bold !== undefined) out += `<strong>${inline(bold)}</strong>`;
    else if (emphasis !== undefined) out += `<em>${inline(emphasis)}</em>`;
    else out += `<del>${inline(struck ?? '')}</del>`;
  }
  return out + escapeHtml(text.slice(last));
}

const link = (target: string, label: string): string =>
  SAFE.test(target)
    ? `<a href="${escapeHtml(target)}" rel="noopener nofollow">${label.replace(/<\/?a\b[^>]*>/g, '')}</a>`
    : label;
