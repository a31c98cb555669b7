import { type Expr, SqlFault, type SqlSelect } from './ast.js';

/** A token; `at` is its position in the text. */
interface Token {
  type: 'name' | 'quoted' | 'number' | 'text' | 'symbol' | 'end';
  /** Value without quotes and escapes. */
  text: string;
  /** Lower-case text of names and symbols. Empty for other tokens, which are never keywords. */
  word: string;
  at: number;
}

const MAX_TOKENS = 10_000;
/** Maximum characters of a name. */
const MAX_NAME = 1_000;
const BLANK = /(?:\s+|--[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const TEXT = /'(?:[^'\\]|\\[\s\S]|'')*'/y;
const QUOTED = /`(?:[^`\\]|\\[\s\S]|``)+`|"(?:[^"\\]|\\[\s\S]|"")+"/y;
const SYMBOL = /->|::|<=|>=|<>|!=|==|\|\||\?\?|=~\*?|!~\*?|[()[\]{},.+\-*/%<>=?:;]/y;

/**
 * Splits a statement into tokens. White space and comments are dropped.
 * @throws SqlFault at an unknown character, and if there are too many tokens
 */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0] ?? null;
  };
  for (;;) {
    at += take(BLANK)?.length ?? 0;
    if (at >= sql.length) break;
    if (tokens.length >= MAX_TOKENS) throw new SqlFault('The query is too long.');
    const { type, raw } = wordAt(take, tokens.at(-1), at);
    if ((type === 'name' || type === 'quoted') && raw.length > MAX_NAME) {
      throw new SqlFault(`The name at position ${at + 1} is longer than ${MAX_NAME} characters.`);
    }
    tokens.push({ type, text: plain(type, raw), word: type === 'name' || type === 'symbol' ? raw.toLowerCase() : '', at });
    at += raw.length;
  }
  tokens.push({ type: 'end', text: '', word: '', at });
  return tokens;
}

function wordAt(
  take: (pattern: RegExp) => string | null,
  last: Token | undefined,
  at: number,
): { type: Token['type']; raw: string } {
  // without this check, each `/*` of an unterminated comment would scan to the end of the text: quadratic time
  if (take(/\/\*/y)) throw new SqlFault(`The comment at position ${at + 1} does not end.`);
  // a dot after a value is an access, not the start of a number: `pair.1`
  const isPart = last && (last.type === 'name' || last.type === 'quoted' || /^[)\]]$/.test(last.text));
  if (isPart && take(/\./y)) return { type: 'symbol', raw: '.' };
  // digits after that dot are an index, not a decimal: `pairs.1.2`
  const place = last?.type === 'symbol' && last.text === '.' ? take(/\d+/y) : null;
  if (place !== null) return { type: 'number', raw: place };
  for (const [type, pattern] of WORDS) {
    const raw = take(pattern);
    if (raw !== null) return { type, raw };
  }
  throw new SqlFault(`The character at position ${at + 1} cannot be read there.`);
}

const WORDS = [
  ['name', NAME],
  ['number', NUMBER],
  ['text', TEXT],
  ['quoted', QUOTED],
  ['symbol', SYMBOL],
] as const;

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

function plain(type: Token['type'], raw: string): string {
  if (type !== 'text' && type !== 'quoted') return raw;
  const quote = raw.slice(0, 1);
  const text = raw.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|[\s\S])|''|``|""/g, (whole, escaped?: string) => {
    if (escaped === undefined) return whole.slice(0, whole.startsWith(quote) ? 1 : 2);
    if (escaped.length === 3) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    if (/[\\'"`/]/.test(escaped)) return escaped;
    // unknown escapes stay as they are, as in patterns: '\d'
    return ESCAPES[escaped] ?? whole;
  });
  if (text.includes('\0')) throw new SqlFault('Null characters are not allowed.');
  return text;
}

const MAX_DEPTH = 60;

/** A cursor over tokens. Keywords are compared case-insensitively. */
export interface Cursor {
  peek(ahead?: number): Token;
  next(): Token;
  /** Whether these keywords or symbols come next. */
  sees(...words: string[]): boolean;
  /** Consumes them if they come next. @returns whether they did */
  takes(...words: string[]): boolean;
  /** Consumes them. @throws SqlFault if they do not come next */
  must(...words: string[]): void;
  /** A name, in quotes or not. */
  name(): string;
  /** Items between commas. */
  list<T>(item: () => T): T[];
  /** Parses one nesting level deeper. @throws SqlFault beyond the maximum depth */
  deeper<T>(read: () => T): T;
  /** The source text from a position to the current token. */
  textFrom(at: number): string;
  fail(): never;
  /** Parses a select. */
  select(): SqlSelect;
  /** Resolves `{name}`. */
  placeholder(chain: string[]): Expr;
}

/** Keywords that end an expression or a table, and so cannot be aliases. */
const RESERVED = new Set(
  `select from where prewhere group having order limit offset union intersect except settings format into join inner left right full
cross any all asof semi anti global on using array final sample window qualify as and or not in is like ilike between then when else end
asc desc nulls with interpolate fill over filter by distinct case`.split(/\s+/),
);

export function createCursor(
  sql: string,
  tokens: Token[],
  grammar: { select(cursor: Cursor): SqlSelect; placeholder(chain: string[]): Expr },
): Cursor {
  let index = 0;
  let depth = 0;
  const end = tokens.at(-1);
  const peek = (ahead = 0): Token => tokens[index + ahead] ?? end ?? { type: 'end', text: '', word: '', at: 0 };
  const next = (): Token => {
    const token = peek();
    index++;
    return token;
  };
  const fail = (): never => {
    const { type, text, at } = peek();
    throw new SqlFault(
      type === 'end' ? 'The query ends too early.' : `"${text.slice(0, 100)}" is not allowed at position ${at + 1}.`,
    );
  };
  const cursor: Cursor = {
    peek,
    next,
    fail,
    sees: (...words) => words.every((word, ahead) => peek(ahead).word === word),
    takes: (...words) => {
      const found = cursor.sees(...words);
      if (found) index += words.length;
      return found;
    },
    must: (...words) => {
      if (!cursor.takes(...words)) fail();
    },
    name: () => {
      const { type, text } = peek();
      if (type !== 'quoted' && !(type === 'name' && !RESERVED.has(text.toLowerCase()))) fail();
      index++;
      return text;
    },
    list: (item) => {
      const items = [item()];
      while (cursor.takes(',')) items.push(item());
      return items;
    },
    deeper: (read) => {
      if (++depth > MAX_DEPTH) throw new SqlFault(`A query may be nested ${MAX_DEPTH} levels deep.`);
      const found = read();
      depth--;
      return found;
    },
    textFrom: (at) => {
      const last = tokens[index - 1];
      const stop = peek().at;
      return last ? sql.slice(at, stop).trim() : '';
    },
    select: () => cursor.deeper(() => grammar.select(cursor)),
    placeholder: grammar.placeholder,
  };
  return cursor;
}

/** Whether an identifier comes next, not a keyword. */
export const seesName = (cursor: Cursor): boolean => {
  const { type, text } = cursor.peek();
  return type === 'quoted' || (type === 'name' && !RESERVED.has(text.toLowerCase()));
};
