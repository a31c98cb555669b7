/** A part of a line. */
export type Span =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'struck'; spans: Span[] }
  /** Leads to the web or to an address for mail. */
  | { kind: 'link'; target: string; spans: Span[] };

/** A part of a text. Ranks of headings begin at 0 and have no gaps. */
export type Block =
  | { kind: 'heading'; rank: number; spans: Span[] }
  | { kind: 'rule' }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: Span[][] }
  | { kind: 'quote' | 'paragraph'; lines: Span[][] };

/** Where links may lead; everything else stays text. */
const SAFE = /^(https?:\/\/|mailto:)/i;
/** What is read of a text; more than any tile has. */
const MOST = 20_000;

/**
 * Reads Markdown: headings, lists, quotes, code, rules, emphasis and links. HTML in it is text, pictures are their description, and links
 * lead to the web or to an address for mail, or are none.
 */
export function readMarkdown(source: string): Block[] {
  const lines = source.slice(0, MOST).replace(/\r\n?/g, '\n').split('\n');
  const ranks = [...new Set(lines.flatMap((line) => HEADING.exec(line)?.[1]?.length ?? []))].sort();
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = readBlock(lines, at, (signs) => ranks.indexOf(signs));
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>\s?/;
const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d{1,9}[.)]\s+/;

type Read = [block: Block | null, next: number];

function readBlock(lines: readonly string[], at: number, rankOf: (signs: number) => number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return [null, at + 1];
  if (FENCE.test(line)) {
    let end = at + 1;
    while (end < lines.length && !FENCE.test(lines[end] ?? '')) end++;
    return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
  }
  const heading = HEADING.exec(line);
  if (heading) {
    const rank = rankOf((heading[1] ?? '').length);
    return [{ kind: 'heading', rank, spans: readSpans(heading[2] ?? '') }, at + 1];
  }
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
  for (const [sign, isOrdered] of [
    [BULLET, false],
    [NUMBER, true],
  ] as const) {
    if (!sign.test(line)) continue;
    const [items, next] = taken(lines, at, (one) => sign.test(one));
    return [{ kind: 'list', isOrdered, items: items.map((item) => readSpans(item.replace(sign, ''))) }, next];
  }
  if (QUOTE.test(line)) {
    const [quoted, next] = taken(lines, at, (one) => QUOTE.test(one));
    return [{ kind: 'quote', lines: quoted.map((one) => readSpans(one.replace(QUOTE, ''))) }, next];
  }
  const [text, next] = taken(
    lines,
    at,
    (one) => one.trim() !== '' && ![FENCE, HEADING, RULE, QUOTE, BULLET].some((sign) => sign.test(one)),
  );
  return [{ kind: 'paragraph', lines: text.map((one) => readSpans(one.trim())) }, next];
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

function readSpans(line: string): Span[] {
  const spans: Span[] = [];
  let last = 0;
  for (const match of line.matchAll(SPAN)) {
    const [whole, code, picture, label, target, auto, strong, strong2, emphasis, struck, bare] = match;
    if (match.index > last) spans.push({ kind: 'text', text: line.slice(last, match.index) });
    last = match.index + whole.length;
    const bold = strong ?? strong2;
    const address = auto ?? bare;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (picture !== undefined) spans.push({ kind: 'text', text: picture });
    else if (label !== undefined && target !== undefined) spans.push(...linked(target, readSpans(label)));
    else if (address !== undefined) spans.push(...linked(address, [{ kind: 'text', text: address }]));
    else if (bold !== undefined) spans.push({ kind: 'strong', spans: readSpans(bold) });
    else if (emphasis !== undefined) spans.push({ kind: 'emphasis', spans: readSpans(emphasis) });
    else spans.push({ kind: 'struck', spans: readSpans(struck ?? '') });
  }
  if (last < line.length) spans.push({ kind: 'text', text: line.slice(last) });
  return spans;
}

const linked = (target: string, spans: Span[]): Span[] =>
  SAFE.test(target) ? [{ kind: 'link', target, spans: withoutLinks(spans) }] : spans;

/** A link holds no other. */
const withoutLinks = (spans: readonly Span[]): Span[] =>
  spans.flatMap((span) => {
    if (span.kind === 'link') return withoutLinks(span.spans);
    return 'spans' in span ? [{ ...span, spans: withoutLinks(span.spans) }] : [span];
  });
