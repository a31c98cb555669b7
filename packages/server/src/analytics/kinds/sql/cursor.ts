import type { Expr, SqlSelect } from './ast.js';
import { SqlFault } from './sql-fault.js';
import type { Token } from './tokens.js';

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
    const { type, text } = peek();
    throw new SqlFault(type === 'end' ? 'The query ends too early.' : `"${text.slice(0, 100)}" is not allowed there.`);
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
