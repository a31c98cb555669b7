import { SqlFault } from './sql-fault.js';

/** A token; `at` is its position in the text. */
export interface Token {
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
