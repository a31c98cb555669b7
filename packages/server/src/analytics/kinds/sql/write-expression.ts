import { bound, commaList, every, type Fragment, own, some, sql } from '../../sql/fragment.js';
import { instantSql } from '../kind.js';
import { type Expr, type Order, SqlFault, UNITS } from './ast.js';
import { findFunction } from './functions.js';
import { refuseArguments } from './limits.js';
import { argument, isAlias, MAX_WRITTEN, readField, type Scope } from './scope.js';
import type { Form } from './views.js';

/** Writes a subquery. */
export type WriteRows = (query: Extract<Expr, { is: 'query' }>['query'], scope: Scope) => Fragment;

/** Creates the writer of expressions. It resolves names, checks functions against the allowlist and binds texts. */
export function createWriter(rows: WriteRows) {
  const write = (expr: Expr, scope: Scope, form: Form = 'text'): Fragment => {
    scope.statement.spend(costOf(expr));
    const written = scope.statement.deeper(() => writeOf(expr, scope, form));
    if (written.size > MAX_WRITTEN) throw new SqlFault('The query is too long.');
    return written;
  };

  const writeOf = (expr: Expr, scope: Scope, form: Form): Fragment => {
    switch (expr.is) {
      case 'text':
        return bound('String', expr.value);
      case 'number':
      case 'constant':
        return own(expr.value);
      case 'field':
        return field(expr.chain, scope, form);
      case 'part':
        return part(expr, scope, form);
      case 'call':
        return call(expr, scope);
      case 'binary':
        return binary(expr, scope);
      case 'every':
        return every(expr.of.map((one) => write(one, scope, 'flag')));
      case 'some':
        return some(expr.of.map((one) => write(one, scope, 'flag')));
      case 'not':
        return sql`(not ${write(expr.of, scope, 'flag')})`;
      case 'minus':
        return sql`(- ${write(expr.of, scope, 'number')})`;
      case 'array':
        return sql`[${commaList(expr.of.map((one) => write(one, scope)))}]`;
      case 'tuple':
        return sql`tuple(${commaList(expr.of.map((one) => write(one, scope)))})`;
      case 'lambda': {
        const names = commaList(expr.names.map(argument));
        const inner = { ...scope, args: new Set([...scope.args, ...expr.names]) };
        return sql`((${names}) -> ${write(expr.body, inner)})`;
      }
      case 'case':
        return cases(expr, scope);
      case 'cast':
        return sql`cast(${write(expr.of, scope)}, ${bound('String', expr.type)})`;
      case 'interval':
        return sql`${own(`toInterval${expr.unit.slice(0, 1).toUpperCase()}${expr.unit.slice(1)}`)}(${write(expr.amount, scope)})`;
      case 'null-test':
        return sql`(${write(expr.of, scope)} ${own(expr.not ? 'is not null' : 'is null')})`;
      case 'in':
        return contained(expr, scope);
      case 'query':
        return sql`(${rows(expr.query, scope)})`;
      case 'filters':
        return scope.sources.map((source) => source.filters()).find((found) => found !== null) ?? noFilters();
      case 'own':
        return scope.sources.map((source) => source.own(expr.name, expr.value)).find((found) => found !== null) ?? noFilters();
      case 'star':
        throw new SqlFault('"*" is not allowed there.');
    }
  };

  const field = (chain: readonly string[], scope: Scope, form: Form): Fragment => {
    const found = readField(chain, scope, form);
    return 'fragment' in found ? found.fragment : sql`(${write(found.expr, found.scope, form)})`;
  };

  const part = (expr: Extract<Expr, { is: 'part' }>, scope: Scope, form: Form): Fragment => {
    const chain = chainOf(expr);
    if (chain?.includes('properties')) return field(chain, scope, form);
    return sql`arrayElement(${write(expr.of, scope)}, ${write(expr.at, scope)})`;
  };

  const call = (expr: Extract<Expr, { is: 'call' }>, scope: Scope): Fragment => {
    const special = expr.params || expr.over || expr.distinct ? null : moments(expr, scope);
    if (special) return special;
    const allowed = findFunction(expr.name);
    if (!allowed) throw new SqlFault(`The function "${expr.name.slice(0, 100)}" is not allowed.`);
    if (allowed.needsWindow && !expr.over) throw new SqlFault(`The function "${allowed.name}" needs "over".`);
    if (expr.distinct && !allowed.isAggregate) throw new SqlFault(`"distinct" is not allowed in "${allowed.name}".`);
    refuseArguments(allowed.name, expr.args);
    const [only] = expr.args;
    const isCountOfAll = allowed.name === 'count' && only?.is === 'star' && only.of === null && expr.args.length === 1;
    const last = expr.args.length - 1;
    // conditions: the last argument of countIf and the like, those of if, multiIf and boolean functions
    const isTest = (index: number) =>
      (allowed.isAggregate && /If/.test(allowed.name) && index === last) ||
      (/^(if|multiIf)$/.test(allowed.name) && index % 2 === 0 && index < last) ||
      /^(and|or|not|xor)$/.test(allowed.name);
    const args = isCountOfAll
      ? []
      : expr.args.map((one, index) => write(one, scope, isTest(index) ? 'flag' : allowed.takesNumbers ? 'number' : 'text'));
    const params = expr.params ? sql`(${commaList(expr.params.map((one) => literal(one)))})` : sql``;
    const head = sql`${own(allowed.name)}${params}(${own(expr.distinct ? 'distinct ' : '')}${commaList(args)})`;
    if (!expr.over) return head;
    const { partitionBy, orderBy, frame } = expr.over;
    const by = partitionBy.length > 0 ? sql`partition by ${commaList(partitionBy.map((one) => write(one, scope)))} ` : sql``;
    const order = orderBy.length > 0 ? sql`order by ${ordered(orderBy, scope)} ` : sql``;
    return sql`${head} over (${by}${order}${own(frame ?? '')})`;
  };

  /** Functions of time. `now()` is the time of the request; days begin in the project's time zone. */
  const moments = ({ name, args }: Extract<Expr, { is: 'call' }>, scope: Scope): Fragment | null => {
    const zone = bound('String', scope.statement.zone);
    const now = sql`toTimeZone(${instantSql(scope.statement.now)}, ${zone})`;
    const [first] = args;
    switch (name.toLowerCase()) {
      case 'now':
      case 'now64':
      case 'current_timestamp':
        return now;
      case 'today':
      case 'current_date':
        return sql`toDate(${now})`;
      case 'yesterday':
        return sql`(toDate(${now}) - 1)`;
      case 'todatetime':
      case 'totimestamp':
        if (!first || args.length > 1) return null;
        return isText(first, scope) ? instant(first, scope) : sql`toDateTime(${write(first, scope)}, ${zone})`;
      case 'todate':
        return first && args.length === 1 && isText(first, scope) ? sql`toDate(${instant(first, scope)})` : null;
      case 'dateadd':
      case 'date_add':
        return moved('+', args, scope);
      case 'datesub':
      case 'date_sub':
        return moved('-', args, scope);
      case 'tofloat':
      case 'todouble':
        return first ? sql`accurateCastOrNull(${write(first, scope, 'number')}, 'Float64')` : null;
      case 'toint':
      case 'tointeger':
        return first ? sql`accurateCastOrNull(trunc(${write(first, scope, 'number')}), 'Int64')` : null;
      default:
        return null;
    }
  };

  /** `dateAdd('day', 1, time)`, `dateAdd(time, interval 1 day)`. */
  const moved = (sign: '+' | '-', [first, second, third]: readonly Expr[], scope: Scope): Fragment | null => {
    if (!first || !second) return null;
    if (!third) return sql`(${write(first, scope)} ${own(sign)} ${write(second, scope)})`;
    const name = first.is === 'text' ? first.value : first.is === 'field' ? first.chain.join('.') : '';
    const unit = UNITS.find((one) => one === name.toLowerCase());
    if (!unit) throw new SqlFault(`"${name.slice(0, 100)}" is no unit of time.`);
    return sql`(${write(third, scope)} ${own(sign)} ${write({ is: 'interval', amount: second, unit }, scope)})`;
  };

  const instant = (text: Expr, scope: Scope): Fragment =>
    sql`parseDateTime64BestEffortOrNull(${write(text, scope)}, 3, ${bound('String', scope.statement.zone)})`;
  const isText = (expr: Expr, scope: Scope): boolean => expr.is === 'text' || isProperty(expr, scope);

  const binary = ({ operator, left, right }: Extract<Expr, { is: 'binary' }>, scope: Scope): Fragment => {
    const isSum = /^[-+*/%]$/.test(operator);
    const form = (other: Expr): Form =>
      isSum || isNumber(other) ? 'number' : other.is === 'constant' && other.value !== 'null' ? 'flag' : 'text';
    return sql`(${write(left, scope, form(right))} ${own(operator)} ${write(right, scope, form(left))})`;
  };

  const contained = ({ left, right, not }: Extract<Expr, { is: 'in' }>, scope: Scope): Fragment => {
    if (right.is === 'field') {
      const [name = '', ...rest] = right.chain;
      const table = rest.length === 0 ? scope.tables.get(name) : undefined;
      if (!table) throw new SqlFault('"in" needs a list or a select in brackets.');
      return sql`(${write(left, scope)} ${own(not ? 'not in' : 'in')} (${rows(table.query, table.scope)}))`;
    }
    const items = right.is === 'tuple' || right.is === 'array' ? right.of : [right];
    const form = items.every(isNumber) ? 'number' : 'text';
    const list = right.is === 'query' ? write(right, scope) : sql`(${commaList(items.map((one) => write(one, scope)))})`;
    return sql`(${write(left, scope, form)} ${own(not ? 'not in' : 'in')} ${list})`;
  };

  const cases = ({ of, when, otherwise }: Extract<Expr, { is: 'case' }>, scope: Scope): Fragment => {
    const value = of && write(of, scope);
    const pairs = when.map(({ test, result }) => {
      const holds = value ? sql`(${value} = ${write(test, scope)})` : write(test, scope, 'flag');
      return sql`${holds}, ${write(result, scope)}`;
    });
    return sql`multiIf(${commaList(pairs)}, ${otherwise ? write(otherwise, scope) : own('null')})`;
  };

  const ordered = (orders: readonly Order[], scope: Scope): Fragment =>
    commaList(
      orders.map(
        ({ by, descending, nulls }) =>
          sql`${write(by, scope)} ${own(descending ? 'desc' : 'asc')}${own(nulls === null ? '' : ` nulls ${nulls}`)}`,
      ),
    );

  return { write, ordered };
}

const noFilters = (): never => {
  throw new SqlFault('{filters} needs a select from events.');
};

/** Writes a parameter of an aggregate: a constant. */
function literal(expr: Expr): Fragment {
  if (expr.is === 'number') return own(expr.value);
  if (expr.is === 'text') return bound('String', expr.value);
  throw new SqlFault('The first brackets of a function may hold numbers and texts.');
}

/** Cost of an expression without nested ones, in characters. */
const costOf = (expr: Expr): number => (expr.is === 'text' ? 20 + expr.value.length : 20);

/** `properties['a'].b` as one path. */
function chainOf(expr: Expr): string[] | null {
  const keys: string[] = [];
  let of = expr;
  for (; of.is === 'part' && of.at.is === 'text'; of = of.of) keys.push(of.at.value);
  return of.is === 'field' ? [...of.chain, ...keys.reverse()] : null;
}

/** Whether an expression is a property: a text, unless read in another form. */
function isProperty(expr: Expr, scope: Scope): boolean {
  const chain = chainOf(expr);
  const [first = ''] = chain ?? [];
  if (chain === null || chain.length < 2 || !chain.includes('properties')) return false;
  return !scope.args.has(first) && !isAlias(scope, first);
}

/** Memoises {@link isNumber}: it recurses, and is called at every level. */
const numbers = new WeakMap<Expr, boolean>();

function isNumber(expr: Expr): boolean {
  const known = numbers.get(expr);
  if (known !== undefined) return known;
  const found = givesNumber(expr);
  numbers.set(expr, found);
  return found;
}

function givesNumber(expr: Expr): boolean {
  if (expr.is === 'number') return true;
  if (expr.is === 'minus') return isNumber(expr.of);
  if (expr.is === 'binary') return /^[-+*/%]$/.test(expr.operator) && (isNumber(expr.left) || isNumber(expr.right));
  if (expr.is !== 'call') return false;
  return /^to(float|int|double|integer)$/i.test(expr.name) || (findFunction(expr.name)?.givesNumbers ?? false);
}
