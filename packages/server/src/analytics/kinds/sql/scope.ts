import { bound, commaList, type Fragment, own, sql } from '../../sql/fragment.js';
import type { Expr, SqlSelect } from './ast.js';
import { given } from './names.js';
import { SqlFault } from './sql-fault.js';
import type { Form, View } from './views.js';

/** A table of a select, as its expressions see it. */
export interface ScopeSource {
  /** What its author calls it. */
  name: string | null;
  /** What `*` stands for, in the author's words. */
  columns: readonly string[];
  /** The value behind `a.b.c`; null: there is none. */
  read(chain: readonly string[], form: Form): Fragment | null;
  /** Null: it is not one of events. */
  filters(): Fragment | null;
  /** A value that the service itself reads of a row of the table; null: it is none of the project's tables. */
  own(name: string, value: Fragment): Fragment | null;
  /** The table itself, once all was read of it. */
  rows(): Fragment;
  /** Leaves out rows before anything of the author's is computed, and before anything is joined where `first`; null: not possible. */
  keep: ((where: Fragment, first: boolean) => void) | null;
  /** The column of a row that is not read yet, for what may be handed on; null: it is none of these. */
  raw(chain: readonly string[]): 'event' | 'distinct_id' | 'timestamp' | null;
}

/** What is the same in a whole statement. */
export interface Statement {
  projectId: number;
  zone: string;
  now: number;
  /** What the request's `filters` say of an event, and that of it which is on time. */
  filters: Fragment;
  time: Fragment;
  /** A number that was not given out before. */
  number(): number;
  /** Counts what is written, about one for each character of it. @throws SqlFault when the statement has become too large */
  spend(characters: number): void;
  /** Writes something within something else. @throws SqlFault when it lies too deep */
  deeper<T>(write: () => T): T;
}

/** A select for the engine, and what its columns are called. */
export interface Written {
  fragment: Fragment;
  columns: string[];
}

/** What names stand for where an expression is written. */
export interface Scope {
  statement: Statement;
  /** Named selects that can be asked like tables, and the names that these know; `written` once one was asked. */
  tables: ReadonlyMap<string, { query: SqlSelect; scope: Scope; written?: Written }>;
  /** Named expressions, and the names that these know. */
  values: ReadonlyMap<string, { expr: Expr; scope: Scope }>;
  sources: readonly ScopeSource[];
  /** Names of what is selected, but the one that is being written: in it the name means the column. */
  aliases: ReadonlySet<string>;
  writing: string | null;
  args: ReadonlySet<string>;
}

/** Characters that a statement may have once it is written. What is named is written again at each use. */
export const MAX_WRITTEN = 200_000;
/** What lies within each other when names are replaced by what they stand for. */
const MAX_LEVELS = 400;

/** Whether a name is that of something selected. */
export const isAlias = ({ aliases, writing }: Scope, name: string): boolean => name !== writing && aliases.has(name);

/** A scope in which nothing is known yet. */
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

/** One of the project's tables. Only columns that are asked for are read. */
export function viewSource(view: View, name: string, { projectId, zone, filters, number, spend }: Statement): ScopeSource {
  const table = own(`s${number()}`);
  const read = new Map<string, Fragment>();
  const kept: Fragment[] = [];
  const first: Fragment[] = [];
  const isEvents = view.columns.includes('event');
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
      return sql`(${view.rows(projectId, columns.length > 0 ? columns : [sql`1 as ${given('nothing')}`], kept, first)}) as ${table}`;
    },
    keep: isEvents ? (where, isFirst) => (isFirst ? first : kept).push(where) : null,
    raw: ([one, ...more]) => {
      const isRaw = isEvents && more.length === 0 && (one === 'event' || one === 'distinct_id' || one === 'timestamp');
      return isRaw ? one : null;
    },
  };
}

/** The rows of another select. */
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

/** Columns that an `array join` adds. */
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

/** A value within JSON that is a text by now. */
export function inJson(value: Fragment, path: readonly string[]): Fragment {
  if (path.length === 0) return value;
  const steps = commaList(path.map((step) => bound('String', step)));
  return sql`if(JSONType(${value}, ${steps}) = 'String', JSONExtractString(${value}, ${steps}), nullIf(JSONExtractRaw(${value}, ${steps}), ''))`;
}
