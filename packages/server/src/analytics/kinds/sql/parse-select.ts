import { type Expr, type From, type Item, type Select, type Source, type SourceJoin, SqlFault, type SqlSelect } from './ast.js';
import { type Cursor, createCursor, seesName, tokensOf } from './cursor.js';
import { refuseDepth } from './limits.js';
import { countOf, orderOf } from './parse-call.js';
import { parseExpression } from './parse-expression.js';

/*
 * The grammar of statements, in EBNF. Expressions are in parse-expression.ts, `orders` in parse-call.ts.
 *
 *   statement = select [ ";" ]
 *   select    = [ "with" named { "," named } ] operand { combined operand }
 *   named     = name "as" "(" select ")" | expression "as" name
 *   operand   = "(" select ")" | one
 *   combined  = "union" ( "all" | "distinct" ) | "intersect" | "except"
 *   one       = "select" [ "distinct" ] items [ from ] [ "prewhere" expression ] [ "where" expression ]
 *               [ "group" "by" expression { "," expression } ] [ "having" expression ] [ "order" "by" orders ] limits
 *   items     = item { "," item }
 *   item      = expression [ [ "as" ] name ]
 *   from      = "from" source { join } [ [ "left" ] "array" "join" items ]
 *   join      = ( "," | "cross" "join" ) source
 *             | [ strict ] [ "inner" | ( "left" | "right" | "full" ) [ "outer" ] ] [ strict ] "join" source "on" expression
 *   strict    = "any" | "all"
 *   source    = ( "(" select ")" | name | "numbers" "(" whole [ "," whole ] ")" ) [ [ "as" ] name ]
 *   limits    = { "limit" whole "by" expression { "," expression } } [ "limit" whole [ "," whole ] ] [ "offset" whole ]
 *   whole     = digits | placeholder
 */

/**
 * Parses a statement.
 * @param placeholder resolves `{name}`
 * @throws SqlFault
 */
export function parseStatement(sql: string, placeholder: (chain: string[]) => Expr): SqlSelect {
  const cursor = createCursor(sql, tokensOf(sql), { select: parseSelect, placeholder });
  const query = cursor.select();
  cursor.takes(';');
  if (cursor.peek().type !== 'end') cursor.fail();
  refuseDepth(query);
  return query;
}

/**
 * Parses one column: `expression [ "as" name ]`. Unlike in a statement, an alias needs `as`: `properties.first name` is a property name.
 * @throws SqlFault
 */
export function parseColumn(text: string): { expr: Expr; alias: string | null } {
  const cursor = createCursor(text, tokensOf(text), { select: parseSelect, placeholder: noPlaceholder });
  const expr = parseExpression(cursor);
  const alias = cursor.takes('as') ? cursor.name() : null;
  if (cursor.peek().type !== 'end') cursor.fail();
  refuseDepth(expr);
  return { expr, alias };
}

const noPlaceholder = (chain: string[]): never => {
  throw new SqlFault(`{${chain.join('.').slice(0, 200)}} has no value.`);
};

function parseSelect(cursor: Cursor): SqlSelect {
  const named = cursor.takes('with') ? cursor.list(() => namedOf(cursor)) : [];
  const first = operand(cursor);
  const rest: SqlSelect['rest'] = [];
  for (let how = combination(cursor); how; how = combination(cursor)) rest.push({ how, select: operand(cursor) });
  return { named, first, rest };
}

/** Parses `named`. */
function namedOf(cursor: Cursor): SqlSelect['named'][number] {
  if (cursor.sees('recursive')) cursor.fail();
  const isRows = cursor.peek(1).text.toLowerCase() === 'as' && cursor.peek(2).text === '(' && seesName(cursor);
  if (isRows) {
    const name = cursor.name();
    cursor.must('as', '(');
    const query = cursor.select();
    cursor.must(')');
    return { name, query };
  }
  const expr = parseExpression(cursor);
  cursor.must('as');
  return { name: cursor.name(), expr };
}

function operand(cursor: Cursor): Select | SqlSelect {
  if (!cursor.takes('(')) return oneSelect(cursor);
  const query = cursor.select();
  cursor.must(')');
  return query;
}

function combination(cursor: Cursor): SqlSelect['rest'][number]['how'] | null {
  if (cursor.takes('union', 'all')) return 'union all';
  if (cursor.takes('union', 'distinct')) return 'union distinct';
  if (cursor.takes('intersect')) return 'intersect';
  return cursor.takes('except') ? 'except' : null;
}

function oneSelect(cursor: Cursor): Select {
  cursor.must('select');
  const distinct = cursor.takes('distinct');
  const items = cursor.list(() => itemOf(cursor));
  const from = cursor.takes('from') ? fromOf(cursor) : null;
  const before = cursor.takes('prewhere') ? parseExpression(cursor) : null;
  const where = cursor.takes('where') ? parseExpression(cursor) : null;
  const groupBy = cursor.takes('group', 'by') ? cursor.list(() => parseExpression(cursor)) : [];
  const having = cursor.takes('having') ? parseExpression(cursor) : null;
  const orderBy = cursor.takes('order', 'by') ? orderOf(cursor, parseExpression) : [];
  const { limitBy, limit, offset } = limits(cursor);
  return {
    distinct,
    items,
    from,
    where: before && where ? { is: 'every', of: [before, where] } : (before ?? where),
    groupBy,
    having,
    orderBy,
    limitBy,
    limit,
    offset,
  };
}

function limits(cursor: Cursor): Pick<Select, 'limitBy' | 'limit' | 'offset'> {
  let limitBy: Select['limitBy'] = null;
  let limit: number | null = null;
  let offset: number | null = null;
  while (cursor.takes('limit')) {
    const count = wholeOf(cursor);
    if (cursor.takes('by')) {
      limitBy = { limit: count, by: cursor.list(() => parseExpression(cursor)) };
      continue;
    }
    if (cursor.takes(',')) {
      offset = count;
      limit = wholeOf(cursor);
    } else limit = count;
    break;
  }
  if (cursor.takes('offset')) offset = wholeOf(cursor);
  return { limitBy, limit, offset };
}

function wholeOf(cursor: Cursor): number {
  if (!cursor.sees('{')) return countOf(cursor);
  const value = parseExpression(cursor);
  if (value.is !== 'number' || !/^\d{1,9}$/.test(value.value)) throw new SqlFault('A whole number is required there.');
  return Number(value.value);
}

function itemOf(cursor: Cursor): Item {
  const { at } = cursor.peek();
  const expr = parseExpression(cursor);
  const text = expr.is === 'field' ? (expr.chain.at(-1) ?? '') : cursor.textFrom(at).slice(0, 200);
  if (cursor.takes('as')) return { expr, alias: cursor.name(), text };
  return { expr, alias: seesName(cursor) ? cursor.name() : null, text };
}

function fromOf(cursor: Cursor): From {
  const first = sourceOf(cursor);
  const joins: SourceJoin[] = [];
  for (let join = joinOf(cursor); join; join = joinOf(cursor)) {
    joins.push(join);
    if (joins.length >= MAX_TABLES) throw new SqlFault(`A select may join ${MAX_TABLES} tables.`);
  }
  const left = cursor.takes('left', 'array', 'join');
  const unfold = left || cursor.takes('array', 'join') ? { left, items: cursor.list(() => itemOf(cursor)) } : null;
  return { first, joins, unfold };
}

const MAX_TABLES = 50;
const KINDS = ['inner', 'left', 'right', 'full'] as const;

function joinOf(cursor: Cursor): SourceJoin | null {
  if (cursor.takes(',') || cursor.takes('cross', 'join')) return { how: 'cross', source: sourceOf(cursor), on: null };
  if (cursor.sees('left', 'array')) return null;
  const strictness = ['any', 'all'].find((word) => cursor.takes(word));
  const kind = KINDS.find((word) => cursor.takes(word));
  if (kind && kind !== 'inner') cursor.takes('outer');
  if (!strictness && !kind && !cursor.sees('join')) return null;
  const late = ['any', 'all'].find((word) => cursor.takes(word));
  cursor.must('join');
  const source = sourceOf(cursor);
  cursor.must('on');
  const any = (strictness ?? late) === 'any' ? ' any' : '';
  return { how: `${kind ?? 'inner'}${any}`, source, on: parseExpression(cursor) };
}

function sourceOf(cursor: Cursor): Source {
  if (cursor.takes('(')) {
    const query = cursor.select();
    cursor.must(')');
    return { is: 'rows', query, alias: aliasOf(cursor) };
  }
  const name = cursor.name();
  if (cursor.sees('.')) throw new SqlFault(`"${name.slice(0, 100)}.${cursor.peek(1).text.slice(0, 100)}" is not a table.`);
  if (!cursor.sees('(')) return { is: 'table', name, alias: aliasOf(cursor) };
  if (name.toLowerCase() !== 'numbers') throw new SqlFault(`The table function "${name.slice(0, 100)}" is not allowed.`);
  cursor.must('(');
  const [one = 0, two] = cursor.list(() => wholeOf(cursor));
  cursor.must(')');
  return { is: 'numbers', from: two === undefined ? 0 : one, count: two ?? one, alias: aliasOf(cursor) };
}

function aliasOf(cursor: Cursor): string | null {
  if (cursor.takes('as')) return cursor.name();
  return seesName(cursor) ? cursor.name() : null;
}
