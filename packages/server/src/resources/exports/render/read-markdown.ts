import { fromMarkdown, type Options } from 'mdast-util-from-markdown';

/** A part of a line. */
export type Span =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'struck'; spans: Span[] }
  /** Its target is a web or mail address. */
  | { kind: 'link'; target: string; spans: Span[] };

/** A part of a text. Ranks of headings start at 0 and have no gaps. */
export type Block =
  | { kind: 'heading'; rank: number; spans: Span[] }
  | { kind: 'rule' }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: Block[][] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'paragraph'; lines: Span[][] };

type Node = ReturnType<typeof fromMarkdown>['children'][number];
type Extension = Exclude<NonNullable<Options['extensions']>[number], unknown[]>;

/** Targets of links; other links become text. */
const SAFE_TARGET = /^(https?:\/\/|mailto:)/i;
/** Characters that are read, more than any tile has. */
const MAX_LENGTH = 20_000;
/** Lists, quotes and emphasis nested deeper stay as they were written, so that recursion is bounded. */
const MAX_DEPTH = 16;
/** A line that nests more lists and quotes than that: the parser takes quadratic time for them, so all of the text's are text. */
const DEEP_LINE = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){65}/m;
/** Runs of `*` and `_` that are matched: the parser takes quadratic time for them. With more, all of them are text. */
const MAX_DELIMITERS = 1_000;

/**
 * Reads CommonMark with strikethrough and bare web addresses. A line break in a paragraph stays one. HTML and indented code are text,
 * underlines of headings are rules, images become their alternative text, links to other than web and mail addresses their label.
 */
export function readMarkdown(source: string): Block[] {
  const text = source.slice(0, MAX_LENGTH);
  const delimiters = text.match(/[*_]+/g)?.length ?? 0;
  const plain = [...(delimiters > MAX_DELIMITERS ? ['attention'] : []), ...(DEEP_LINE.test(text) ? ['list', 'blockQuote'] : [])];
  const { children } = fromMarkdown(text, { extensions: [dialect(plain)] });
  const ranks = [...new Set(headingDepths(children))].sort();
  return blocksOf(children, { text, ranks }, 0);
}

const URL_END = new Set([...'<>()[]"\'*'].map((char) => char.charCodeAt(0)));

/** `http://…` and `https://…` in a text, as an autolink of CommonMark without its angle brackets. */
const bareUrl: NonNullable<Extension['text']>[number] = {
  tokenize: (effects, ok, nok) => {
    const scheme = 'https://';
    let at = 0;
    const start: typeof ok = (code) => {
      effects.enter('autolink');
      effects.enter('autolinkProtocol');
      return protocol(code);
    };
    const protocol: typeof ok = (code) => {
      if (at === 4 && code === 58) at++;
      if (at === scheme.length) return isEnd(code) ? nok(code) : rest(code);
      if (code === null || String.fromCharCode(code).toLowerCase() !== scheme[at]) return nok(code);
      effects.consume(code);
      at++;
      return protocol;
    };
    const rest: typeof ok = (code) => {
      if (isEnd(code)) {
        effects.exit('autolinkProtocol');
        effects.exit('autolink');
        return ok(code);
      }
      effects.consume(code);
      return rest;
    };
    return start;
  },
};

/** Whether a character cannot be part of an address; line ends and tabs have negative codes in the parser. */
const isEnd = (code: number | null): boolean =>
  code === null || code <= 32 || URL_END.has(code) || /\s/.test(String.fromCharCode(code));

/** `plain`: constructs that are left as text. */
const dialect = (plain: readonly string[]): Extension => ({
  disable: { null: ['htmlFlow', 'htmlText', 'codeIndented', 'setextUnderline', 'definition', ...plain] },
  text: { 72: bareUrl, 104: bareUrl },
});

interface Document {
  text: string;
  /** The depths of its headings in ascending order. */
  ranks: readonly number[];
}

function headingDepths(nodes: readonly Node[]): number[] {
  const depths: number[] = [];
  for (let level: readonly Node[] = nodes; level.length > 0; ) {
    for (const node of level) if (node.type === 'heading') depths.push(node.depth);
    level = level.flatMap((node): Node[] => ('children' in node ? node.children : []));
  }
  return depths;
}

const sourceOf = ({ text }: Document, { position }: Node): string =>
  text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);

const blocksOf = (nodes: readonly Node[], document: Document, depth: number): Block[] =>
  nodes.map((node) => blockOf(node, document, depth));

function blockOf(node: Node, document: Document, depth: number): Block {
  if (depth >= MAX_DEPTH) return { kind: 'paragraph', lines: plainLines(sourceOf(document, node)) };
  switch (node.type) {
    case 'heading':
      return { kind: 'heading', rank: document.ranks.indexOf(node.depth), spans: linesOf(node.children, document, depth).flat() };
    case 'thematicBreak':
      return { kind: 'rule' };
    case 'code':
      return { kind: 'code', text: node.value };
    case 'blockquote':
      return { kind: 'quote', blocks: blocksOf(node.children, document, depth + 1) };
    case 'list': {
      const items = node.children.map((item) => blocksOf(item.children, document, depth + 1));
      return { kind: 'list', isOrdered: node.ordered === true, items };
    }
    case 'paragraph':
      return { kind: 'paragraph', lines: linesOf(node.children, document, depth) };
    default:
      return { kind: 'paragraph', lines: plainLines(sourceOf(document, node)) };
  }
}

/** Reads the content of a paragraph, line by line. */
const linesOf = (nodes: readonly Node[], document: Document, depth: number): Span[][] =>
  concatenated(nodes.map((node) => inlineLines(node, document, depth))).map(withStrikes);

function inlineLines(node: Node, document: Document, depth: number): Span[][] {
  if (depth >= MAX_DEPTH) return plainLines(sourceOf(document, node));
  const wrapped = (nodes: readonly Node[], wrap: (spans: Span[]) => Span[]): Span[][] =>
    linesOf(nodes, document, depth + 1).map((spans) => (spans.length > 0 ? wrap(spans) : spans));
  switch (node.type) {
    case 'text':
      return plainLines(node.value);
    case 'break':
      return [[], []];
    case 'inlineCode':
      return [[{ kind: 'code', text: node.value }]];
    case 'image':
      return plainLines(node.alt ?? '');
    case 'strong':
    case 'emphasis':
      return wrapped(node.children, (spans) => [{ kind: node.type, spans }]);
    case 'link': {
      const source = sourceOf(document, node);
      if (!source.startsWith('[') && !source.startsWith('<')) return [bareLink(source)];
      if (!SAFE_TARGET.test(node.url)) return linesOf(node.children, document, depth + 1);
      return wrapped(node.children, (spans) => [{ kind: 'link', target: node.url, spans: withoutLinks(spans) }]);
    }
    default:
      return plainLines(sourceOf(document, node));
  }
}

const plainLines = (text: string): Span[][] => text.split('\n').map((line) => (line ? [{ kind: 'text', text: line }] : []));

/** Joins texts of several lines: the last line of one and the first of the next are the same line. */
function concatenated(parts: readonly Span[][][]): Span[][] {
  const lines: Span[][] = [[]];
  for (const [first = [], ...rest] of parts) {
    lines.at(-1)?.push(...first);
    lines.push(...rest.map((line) => [...line]));
  }
  return lines;
}

/** A bare address; punctuation at its end belongs to the sentence. */
function bareLink(source: string): Span[] {
  const target = source.replace(/(?:[.,;:!?]|~~)+$/, '');
  const spans: Span[] = [{ kind: 'link', target, spans: [{ kind: 'text', text: target }] }];
  return target.length < source.length ? [...spans, { kind: 'text', text: source.slice(target.length) }] : spans;
}

/** A link holds no other. */
const withoutLinks = (spans: readonly Span[]): Span[] =>
  spans.flatMap((span) => {
    if (span.kind === 'link') return withoutLinks(span.spans);
    return 'spans' in span ? [{ ...span, spans: withoutLinks(span.spans) }] : [span];
  });

/** Strikes what stands between two `~~` of a line, which CommonMark does not know. A `~~` without a second one is text. */
function withStrikes(spans: readonly Span[]): Span[] {
  let outside: Span[] = [];
  let inside: Span[] | null = null;
  for (const span of spans) {
    const parts = span.kind === 'text' ? span.text.split('~~') : [];
    if (parts.length <= 1) {
      (inside ?? outside).push(span);
      continue;
    }
    for (const [i, text] of parts.entries()) {
      if (i > 0 && inside === null) inside = [];
      else if (i > 0 && inside !== null) {
        if (inside.length > 0) outside.push({ kind: 'struck', spans: inside });
        else outside.push({ kind: 'text', text: '~~~~' });
        inside = null;
      }
      if (text) (inside ?? outside).push({ kind: 'text', text });
    }
  }
  if (inside !== null) outside = [...outside, { kind: 'text', text: '~~' }, ...inside];
  return outside;
}
