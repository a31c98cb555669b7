import { bound, commaList, type Fragment, identifier, own, sql } from '../../sql/fragment.js';
import { type Expr, SqlFault, type SqlSelect } from './ast.js';
import type { Form, View } from './views.js';

/** A table in the `from` clause, as seen by expressions. */
export interface ScopeSource {
  /** Alias or name in the user's SQL. */
  name: string | null;
  /** Columns of `*`. */
  columns: readonly string[];
  /** SQL of `a.b.c`; null: no such column. */
  read(chain: readonly string[], form: Form): Fragment | null;
  /** SQL of `{filters}`; null: not an events table. */
  filters(): Fragment | null;
  /** An expression of the service itself over a row; null: not a table of the project. */
  own(name: string, value: Fragment): Fragment | null;
  /** The table. To be called last, when all columns that are read are known. */
  rows(): Fragment;
  /** Adds a filter that applies before any user expression; `first`: before joins as well. Null: not supported. */
  keep: ((where: Fragment, first: boolean) => void) | null;
  /**
   * The event column of a name, for conditions that can be pushed down; `session`: a time of a session, a day at most from the times of its
   * events. Null: no such column.
   */
  raw(chain: readonly string[]): 'event' | 'distinct_id' | 'timestamp' | 'session' | null;
}

/** State of a whole statement. */
interface Statement {
  projectId: number;
  zone: string;
  now: number;
  /** The condition of `{filters}`, and its part on the timestamp. */
  filters: Fragment;
  time: Fragment;
  /** A unique number. */
  number(): number;
  /** Counts generated characters. @throws SqlFault if the statement becomes too large */
  spend(characters: number): void;
  /** Writes one nesting level deeper. @throws SqlFault beyond the maximum depth */
  deeper<T>(write: () => T): T;
}

/** A generated select with its column names. */
export interface Written {
  fragment: Fragment;
  columns: string[];
}

/** Names that are visible to an expression. */
export interface Scope {
  statement: Statement;
  /** Selects of the `with` clause with their own scope; `written` once they are used. */
  tables: ReadonlyMap<string, { query: SqlSelect; scope: Scope; written?: Written }>;
  /** Expressions of the `with` clause with their own scope. */
  values: ReadonlyMap<string, { expr: Expr; scope: Scope }>;
  sources: readonly ScopeSource[];
  /** Aliases of the select list. `writing` is the item being written: in it, its alias means the column. */
  aliases: ReadonlySet<string>;
  writing: string | null;
  args: ReadonlySet<string>;
}

/** Maximum characters of a generated statement. Expressions of the `with` clause are repeated at each use. */
export const MAX_WRITTEN = 200_000;
/** Maximum nesting after expressions of the `with` clause are substituted. */
const MAX_LEVELS = 400;

/** Whether a name is an alias of the select list. */
export const isAlias = ({ aliases, writing }: Scope, name: string): boolean => name !== writing && aliases.has(name);

/** An empty scope for a new statement. */
export function scopeFor(of: Omit<Statement, 'number' | 'spend' | 'deeper'>): Scope {
  const [tables, values] = [new Map<string, never>(), new Map<string, never>()];
  return { statement: statementFor(of), tables, values, sources: [], aliases: new Set(), writing: null, args: new Set() };
}

function statementFor(of: Omit<Statement, 'number' | 'spend' | 'deeper'>): Statement {
  let numbers = 0;
  let left = MAX_WRITTEN;
  let level = 0;
  return {
    ...of,
    number: () => numbers++,
    spend: (characters) => {
      left -= characters;
      if (left < 0) throw new SqlFault('The query is too long.');
    },
    deeper: (write) => {
      if (++level > MAX_LEVELS) throw new SqlFault(`A query may be nested ${MAX_LEVELS} levels deep.`);
      const written = write();
      level--;
      return written;
    },
  };
}

/** A table of the project. Selects only the columns that are used. */
export function viewSource(view: View, name: string, { projectId, zone, filters, number, spend }: Statement): ScopeSource {
  const table = own(`s${number()}`);
  const read = new Map<string, Fragment>();
  const conditions: Fragment[] = [];
  const first: Fragment[] = [];
  const isEvents = view.columns.includes('event');
  const isSessions = view.columns.includes('$start_timestamp');
  const column = (key: string, expression: Fragment): Fragment => {
    if (!read.has(key)) spend(expression.size);
    read.set(key, expression);
    return sql`${table}.${given(key)}`;
  };
  return {
    name,
    columns: view.columns,
    read: (chain, form) => {
      const found = view.column(chain, form, zone);
      return found && column(chain.length > 1 ? `${chain.join('.')} ${form}` : chain.join('.'), found);
    },
    filters: () => (isEvents ? column('filters of the request', filters) : null),
    own: (name, value) => column(`of the service: ${name}`, value),
    rows: () => {
      const columns = [...read].map(([key, expression]) => sql`${expression} as ${given(key)}`);
      return sql`(${view.rows(projectId, columns.length > 0 ? columns : [sql`1 as ${given('nothing')}`], conditions, first)}) as ${table}`;
    },
    keep: isEvents || isSessions ? (where, isFirst) => (isFirst ? first : conditions).push(where) : null,
    raw: ([one, ...more]) => {
      if (isSessions && more.length === 0 && (one === '$start_timestamp' || one === '$end_timestamp')) return 'session';
      const isRaw = isEvents && more.length === 0 && (one === 'event' || one === 'distinct_id' || one === 'timestamp');
      return isRaw ? one : null;
    },
  };
}

/** A subquery as a source. */
export function rowsSource(rows: Fragment, columns: readonly string[], name: string | null, { number }: Statement): ScopeSource {
  const table = own(`s${number()}`);
  const known = new Set(columns);
  return {
    name,
    columns,
    read: ([column = '', ...path]) => {
      if (!known.has(column)) return null;
      return inJson(sql`${table}.${given(column)}`, path);
    },
    filters: () => null,
    own: () => null,
    rows: () => sql`(${rows}) as ${table}`,
    keep: null,
    raw: () => null,
  };
}

/** The columns of an `array join`. */
export const unfoldedSource = (columns: readonly string[]): ScopeSource => ({
  name: null,
  columns,
  read: ([column = '', ...path]) => (columns.includes(column) ? inJson(given(column), path) : null),
  filters: () => null,
  own: () => null,
  rows: () => sql``,
  keep: null,
  raw: () => null,
});

/** A value at a path inside JSON text. */
function inJson(value: Fragment, path: readonly string[]): Fragment {
  if (path.length === 0) return value;
  const steps = commaList(path.map((step) => bound('String', step)));
  return sql`if(JSONType(${value}, ${steps}) = 'String', JSONExtractString(${value}, ${steps}), nullIf(JSONExtractRaw(${value}, ${steps}), ''))`;
}

/** Cost of one step of a path against the size limit, in characters. */
const STEP_COST = 20;

/** Resolves a name: argument of a lambda, alias, column, or expression of the `with` clause. */
export function readField(
  chain: readonly string[],
  scope: Scope,
  form: Form,
): { fragment: Fragment } | { expr: Expr; scope: Scope } {
  const [first = '', ...rest] = chain;
  scope.statement.spend(scope.sources.length + STEP_COST * chain.length);
  if (scope.args.has(first)) return { fragment: inJson(argument(first), rest) };
  if (isAlias(scope, first)) return { fragment: inJson(given(first), rest) };
  const named = scope.sources.find(({ name }) => name === first);
  const ofNamed = rest.length > 0 ? named?.read(rest, form) : null;
  if (ofNamed) return { fragment: ofNamed };
  const found = scope.sources.flatMap((source) => {
    const fragment = source.read(chain, form);
    return fragment ? [fragment] : [];
  });
  const [fragment] = found;
  if (found.length > 1) throw new SqlFault(`"${shown(chain)}" is in more than one table: say in which.`);
  if (fragment) return { fragment };
  const value = rest.length === 0 ? scope.values.get(first) : undefined;
  if (value) return { expr: value.expr, scope: { ...scope, values: value.scope.values } };
  throw new SqlFault(`"${shown(chain)}" is not a column.`);
}

const shown = (chain: readonly string[]): string => chain.join('.').slice(0, 200);

/** Characters that must be encoded in a generated name. */
const PLAIN = /[^A-Za-z0-9_$ .-]/gu;

/**
 * An identifier of the user as an SQL identifier: with the prefix `u:`, which no generated name has, and with special characters encoded as
 * `%<hex>_`.
 */
export const given = (name: string): Fragment => identifier(`u:${encoded(name)}`);
/** The same for arguments of lambdas, with the prefix `l:`. */
export const argument = (name: string): Fragment => identifier(`l:${encoded(name)}`);

/** The column name of {@link given} in results of the engine. */
export const answered = (name: string): string => `u:${encoded(name)}`;

const encoded = (name: string): string => name.replace(PLAIN, (char) => `%${(char.codePointAt(0) ?? 0).toString(16)}_`);
