import { type Fragment, sql } from '../../sql/fragment.js';
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
  /** @throws SqlFault when the statement has become too large */
  count(): void;
}

/** What names stand for where an expression is written. */
export interface Scope {
  statement: Statement;
  /** Named selects that can be asked like tables, and the names that these know. */
  tables: ReadonlyMap<string, { query: SqlSelect; scope: Scope }>;
  /** Named expressions, and the names that these know. */
  values: ReadonlyMap<string, { expr: Expr; scope: Scope }>;
  sources: readonly ScopeSource[];
  /** Names of what is selected. */
  aliases: ReadonlySet<string>;
  args: ReadonlySet<string>;
}

const MAX_EXPRESSIONS = 20_000;

export function statementFor(of: Omit<Statement, 'number' | 'count'>): Statement {
  let numbers = 0;
  let written = 0;
  return {
    ...of,
    number: () => numbers++,
    count: () => {
      if (++written > MAX_EXPRESSIONS) throw new SqlFault('The query is too long.');
    },
  };
}

/** One of the project's tables. Only columns that are asked for are read. */
export function viewSource(view: View, name: string, { projectId, zone, filters, number }: Statement): ScopeSource {
  const own = sql`s${wholeName(number())}`;
  const read = new Map<string, Fragment>();
  const kept: Fragment[] = [];
  const first: Fragment[] = [];
  const isEvents = view.columns.includes('event');
  const column = (key: string, expression: Fragment): Fragment => {
    read.set(key, expression);
    return sql`${own}.${given(key)}`;
  };
  return {
    name,
    columns: view.columns,
    read: (chain, form) => {
      const found = view.column(chain, form, zone);
      return found && column(chain.length > 1 ? `${chain.join('.')} ${form}` : chain.join('.'), found);
    },
    filters: () => (isEvents ? column('filters of the request', filters) : null),
    rows: () => {
      const columns = [...read].map(([key, expression]) => sql`${expression} as ${given(key)}`);
      return sql`(${view.rows(projectId, columns.length > 0 ? columns : [sql`1 as ${given('nothing')}`], kept, first)}) as ${own}`;
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
  const own = sql`s${wholeName(number())}`;
  return {
    name,
    columns,
    read: ([column = '', ...path]) => {
      if (!columns.includes(column)) return null;
      return inJson(sql`${own}.${given(column)}`, path);
    },
    filters: () => null,
    rows: () => sql`(${rows}) as ${own}`,
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
  rows: () => sql``,
  keep: null,
  raw: () => null,
});

/** A value within JSON that is a text by now. */
export function inJson(value: Fragment, path: readonly string[]): Fragment {
  if (path.length === 0) return value;
  const steps = path.map((step) => textOf(step)).reduce((all, next) => sql`${all}, ${next}`);
  return sql`if(JSONType(${value}, ${steps}) = 'String', JSONExtractString(${value}, ${steps}), nullIf(JSONExtractRaw(${value}, ${steps}), ''))`;
}

const textOf = (text: string): Fragment => ({ parts: [{ type: 'String', value: text }], joins: [] });
const wholeName = (name: number | string): Fragment => ({ parts: [String(name)], joins: [] });
