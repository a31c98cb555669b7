import { bound, commaList, every, type Fragment, own, selfContained, sequence, sql, whole } from '../../sql/fragment.js';
import { LONGEST_SESSION } from '../../sql/source.js';
import { type Expr, type Item, type Select, type Source, SqlFault, type SqlSelect } from './ast.js';
import {
  answered,
  given,
  isAlias,
  MAX_WRITTEN,
  rowsSource,
  type Scope,
  type ScopeSource,
  unfoldedSource,
  viewSource,
  type Written,
} from './scope.js';
import { findView, TABLES } from './views.js';
import { createWriter } from './write-expression.js';

const { write, ordered } = createWriter((query, scope) => selfContained(writeSelect(query, within(scope)).fragment));

/** Writes an expression. */
export { write };

/** The scope of a subquery: it does not see the tables of the outer select. */
const within = (scope: Scope): Scope => ({ ...scope, sources: [], aliases: new Set(), writing: null, args: new Set() });

/** Writes combined selects with their `with` clause. */
export const writeSelect = (query: SqlSelect, outer: Scope): Written =>
  outer.statement.deeper(() => {
    const scope = withNamed(query.named, outer);
    const first = operand(query.first, scope);
    if (query.rest.length === 0) return first;
    const rest = query.rest.map(({ how, select }) => sql` ${own(how)} (${operand(select, scope).fragment})`);
    return { fragment: sql`(${first.fragment})${sequence(rest)}`, columns: first.columns };
  });

export function withNamed(named: SqlSelect['named'], outer: Scope): Scope {
  let scope = outer;
  for (const one of named) {
    const known = within(scope);
    outer.statement.spend(scope.tables.size + scope.values.size);
    scope =
      'query' in one
        ? { ...scope, tables: new Map([...scope.tables, [one.name, { query: one.query, scope: known }]]) }
        : { ...scope, values: new Map([...scope.values, [one.name, { expr: one.expr, scope: known }]]) };
  }
  return scope;
}

const operand = (select: Select | SqlSelect, scope: Scope): Written =>
  'first' in select ? writeSelect(select, scope) : writeOne(select, scope);

/** Base cost of a select, in characters. */
const SELECT_COST = 400;

/** Writes one select. `limit` replaces its own limit. */
export function writeOne(select: Select, outer: Scope, limit = select.limit): Written {
  outer.statement.spend(SELECT_COST);
  const { from } = select;
  const tables = from ? [from.first, ...from.joins.map(({ source }) => source)].map((source) => open(source, outer)) : [];
  const before: Scope = { ...within(outer), sources: tables };
  const unfolded = from?.unfold?.items.map((item) => ({
    name: nameOf(item),
    fragment: sql`${write(item.expr, before)} as ${given(nameOf(item))}`,
  }));
  const sources = unfolded ? [...tables, unfoldedSource(unfolded.map(({ name }) => name))] : tables;
  const names = new Set(select.items.flatMap(({ alias }) => (alias === null ? [] : [alias])));
  const scope: Scope = { ...before, sources, aliases: names };

  const items = distinctNames(select.items.flatMap((item) => expanded(item, scope)));
  const columns = items.map(({ item, name }) => sql`${write(item.expr, { ...scope, writing: item.alias })} as ${given(name)}`);
  const where = select.where && write(narrowed(select.where, select, scope), scope, 'flag');
  const tail = [
    ...(where ? [sql` where ${where}`] : []),
    ...(select.groupBy.length > 0 ? [sql` group by ${commaList(select.groupBy.map((one) => write(one, scope)))}`] : []),
    ...(select.having ? [sql` having ${write(select.having, scope, 'flag')}`] : []),
    ...(select.orderBy.length > 0 ? [sql` order by ${ordered(select.orderBy, scope)}`] : []),
    ...(select.limitBy
      ? [sql` limit ${whole(select.limitBy.limit)} by ${commaList(select.limitBy.by.map((one) => write(one, scope)))}`]
      : []),
    ...(limit === null ? [] : [sql` limit ${whole(limit)}`]),
    ...(select.offset === null ? [] : [sql` offset ${whole(select.offset)}`]),
  ];
  const joined = from?.joins.map(({ how, on }, index) => {
    const condition = on ? sql` on ${write(on, { ...before, sources: tables.slice(0, index + 2) }, 'flag')}` : sql``;
    return { how, condition };
  });
  // all expressions are written by now, so the tables know which columns are used
  const [first, ...others] = tables.map((table) => table.rows());
  const joins = others.map(
    (rows, index) => sql` ${own(joined?.[index]?.how ?? '')} join ${rows}${joined?.[index]?.condition ?? sql``}`,
  );
  const unfold = unfolded
    ? [sql` ${own(from?.unfold?.left ? 'left array join' : 'array join')} ${commaList(unfolded.map(({ fragment }) => fragment))}`]
    : [];
  const head = sql`select ${own(select.distinct ? 'distinct ' : '')}${commaList(columns)}`;
  const body = first ? [sql` from ${first}`, ...joins, ...unfold, ...tail] : tail;
  const fragment = sequence([head, ...body]);
  if (fragment.size > MAX_WRITTEN) throw new SqlFault('The query is too long.');
  return { fragment, columns: items.map(({ name }) => name) };
}

const nameOf = ({ alias, text }: Item): string => alias ?? text;

function expanded(item: Item, { sources, statement }: Scope): Item[] {
  const { expr } = item;
  if (expr.is !== 'star') return [item];
  const named = expr.of === null ? sources : sources.filter(({ name }) => name === expr.of);
  const columns = named.flatMap(({ columns, name }) => columns.map((column) => (name === null ? [column] : [name, column])));
  if (columns.length === 0) throw new SqlFault(`"${expr.of === null ? '*' : `${expr.of}.*`}" stands for nothing there.`);
  statement.spend(20 * columns.length + sources.length);
  return columns.map((chain) => ({ expr: { is: 'field', chain }, alias: null, text: chain.at(-1) ?? '' }));
}

/** Makes duplicate column names unique by a suffix: `name_2`. */
function distinctNames(items: readonly Item[]): { item: Item; name: string }[] {
  const taken = new Set<string>();
  /** Uses by name, so that the search for a free suffix does not restart at 2: linear time. */
  const uses = new Map<string, number>();
  return items.map((item) => {
    const name = nameOf(item);
    let count = uses.get(name) ?? 1;
    let free = count === 1 ? name : `${name}_${count}`;
    while (taken.has(answered(free))) free = `${name}_${++count}`;
    taken.add(answered(free));
    uses.set(name, count + 1);
    return { item, name: free };
  });
}

const MAX_NUMBERS = 1_000_000;

function open(source: Source, scope: Scope): ScopeSource {
  const { statement } = scope;
  if (source.is === 'numbers') {
    if (source.count > MAX_NUMBERS) throw new SqlFault(`There may be ${MAX_NUMBERS} numbers.`);
    const rows = sql`select number as ${given('number')} from numbers(${whole(source.from)}, ${whole(source.count)})`;
    return rowsSource(rows, ['number'], source.alias ?? 'numbers', statement);
  }
  if (source.is === 'rows') {
    const { fragment, columns } = writeSelect(source.query, within(scope));
    return rowsSource(fragment, columns, source.alias, statement);
  }
  const named = scope.tables.get(source.name);
  if (named) {
    named.written ??= writeSelect(named.query, named.scope);
    const { fragment, columns } = named.written;
    return rowsSource(fragment, columns, source.alias ?? source.name, statement);
  }
  const view = findView(source.name);
  if (!view) throw new SqlFault(`"${source.name.slice(0, 100)}" is not a table. There are ${TABLES.join(', ')}.`);
  return viewSource(view, source.alias ?? source.name, statement);
}

/**
 * Pushes conditions on timestamp, event and distinct id, and on the times of sessions, down to the table. The engine must not push conditions down itself: it could
 * evaluate user expressions on rows of other projects, and errors would reveal those rows.
 */
function narrowed(where: Expr, { from }: Select, scope: Scope): Expr {
  const [first] = scope.sources;
  const { keep } = first ?? {};
  if (!first || !keep || from?.joins.some(({ how }) => /^(right|full)|any/.test(how))) return where;
  const parts = where.is === 'every' ? where.of : [where];
  const rest = parts.flatMap((part): Expr[] => {
    if (part.is === 'filters') {
      keep(scope.statement.time, true);
      keep(scope.statement.filters, false);
      return [];
    }
    const condition = handedOn(part, first, scope);
    if (condition) keep(condition, true);
    return [part];
  });
  const [only] = rest;
  if (rest.length === 0) return { is: 'constant', value: 'true' };
  return only && rest.length === 1 ? only : { is: 'every', of: rest };
}

function handedOn(part: Expr, first: ScopeSource, scope: Scope): Fragment | null {
  const raw = (expr: Expr) => {
    if (expr.is !== 'field') return null;
    const [head = '', ...rest] = expr.chain;
    if (isAlias(scope, head)) return null;
    if (first.name === head && rest.length > 0) return first.raw(rest);
    return scope.sources.length === 1 ? first.raw(expr.chain) : null;
  };
  if (part.is === 'in' && !part.not && (part.right.is === 'tuple' || part.right.is === 'array')) {
    const column = raw(part.left);
    const items = part.right.of;
    if ((column !== 'event' && column !== 'distinct_id') || !items.every((one) => one.is === 'text')) return null;
    return sql`e.${own(column)} in (${commaList(items.map((one) => write(one, scope)))})`;
  }
  if (part.is !== 'binary' || part.operator === '!=') return null;
  const [left, right] = [raw(part.left), raw(part.right)];
  const [column, bounding] = left ? [left, part.right] : [right, part.left];
  if (!column || !isConstant(bounding)) return null;
  if (column === 'session') return aroundSession(left ? part.operator : mirrored(part.operator), bounding, scope);
  const [low, high] = column === 'timestamp' ? inTime(bounding, scope) : [sql`e.${own(column)}`, write(bounding, scope)];
  return left ? sql`${low} ${own(part.operator)} ${high}` : sql`${high} ${own(part.operator)} ${low}`;
}

const mirrored = (operator: string): string => operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));

/** Which events may be of a session whose time compares in this way. */
function aroundSession(operator: string, bounding: Expr, scope: Scope): Fragment | null {
  const [timestamp, time] = inTime(bounding, scope);
  const day = bound('Int64', LONGEST_SESSION / 1000);
  const since = sql`${timestamp} >= ${time} - toIntervalSecond(${day})`;
  const until = sql`${timestamp} <= ${time} + toIntervalSecond(${day})`;
  if (operator === '=') return every([since, until]);
  return operator.startsWith('>') ? since : operator.startsWith('<') ? until : null;
}

/** Both sides of a comparison with the timestamp. The primary key is used only if the timestamp column is not wrapped in a function. */
function inTime(bounding: Expr, scope: Scope): [Fragment, Fragment] {
  const time = write(bounding, scope);
  const zone = bound('String', scope.statement.zone);
  if (bounding.is === 'text') return [sql`e.timestamp`, sql`parseDateTime64BestEffortOrNull(${time}, 3, ${zone})`];
  // dates begin in the project's time zone
  return isInstant(bounding) ? [sql`e.timestamp`, time] : [sql`toTimeZone(e.timestamp, ${zone})`, time];
}

const isInstant = (expr: Expr): boolean =>
  (expr.is === 'call' && /^(now|now64|todatetime)$/i.test(expr.name)) || (expr.is === 'binary' && isInstant(expr.left));

const TIMES = /^(now|now64|today|yesterday|todatetime|todate|tostartof\w+|tointerval\w+)$/i;

/** Whether an expression is constant for all rows. */
function isConstant(expr: Expr): boolean {
  if (expr.is === 'text' || expr.is === 'number') return true;
  if (expr.is === 'interval') return isConstant(expr.amount);
  if (expr.is === 'binary') return /^[-+]$/.test(expr.operator) && isConstant(expr.left) && isConstant(expr.right);
  return expr.is === 'call' && TIMES.test(expr.name) && !expr.over && !expr.params && expr.args.every(isConstant);
}
