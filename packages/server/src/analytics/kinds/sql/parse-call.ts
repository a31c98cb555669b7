import type { Expr, Order, Over } from './ast.js';
import type { Cursor } from './cursor.js';

/** Reads an expression. */
type Read = (cursor: Cursor) => Expr;

/**
 * Parses a call after the name of the function.
 *
 *   call      = [ parameters ] arguments [ "over" "(" window ")" ]
 *   arguments = "(" [ "distinct" ] [ select | expression { "," expression } ] ")"      parameters: the same
 *   window    = [ "partition" "by" expression { "," expression } ] [ "order" "by" orders ] [ frame ]
 *   orders    = order { "," order }
 *   order     = expression [ "asc" | "desc" ] [ "nulls" ( "first" | "last" ) ]
 *   frame     = ( "rows" | "range" ) ( bound | "between" bound "and" bound )
 *   bound     = "current" "row" | ( "unbounded" | digits ) ( "preceding" | "following" )
 */
export function parseCall(cursor: Cursor, name: string, read: Read): Expr {
  const first = argumentsOf(cursor, read);
  const second = cursor.sees('(') ? argumentsOf(cursor, read) : null;
  const { distinct, items: args } = second ?? first;
  const over = cursor.takes('over') ? overOf(cursor, read) : null;
  return { is: 'call', name, params: second ? first.items : null, args, distinct, over };
}

function argumentsOf(cursor: Cursor, read: Read): { distinct: boolean; items: Expr[] } {
  cursor.must('(');
  const distinct = cursor.takes('distinct');
  if (cursor.takes(')')) return { distinct, items: [] };
  if (cursor.sees('select') || cursor.sees('with')) {
    const query = cursor.select();
    cursor.must(')');
    return { distinct, items: [{ is: 'query', query }] };
  }
  const items = cursor.list(() => read(cursor));
  cursor.must(')');
  return { distinct, items };
}

/** Parses `orders`. */
export const orderOf = (cursor: Cursor, read: Read): Order[] =>
  cursor.list(() => {
    const by = read(cursor);
    const descending = cursor.takes('desc');
    if (!descending) cursor.takes('asc');
    if (!cursor.takes('nulls')) return { by, descending, nulls: null };
    if (cursor.takes('first')) return { by, descending, nulls: 'first' };
    cursor.must('last');
    return { by, descending, nulls: 'last' };
  });

function overOf(cursor: Cursor, read: Read): Over {
  cursor.must('(');
  const partitionBy = cursor.takes('partition', 'by') ? cursor.list(() => read(cursor)) : [];
  const orderBy = cursor.takes('order', 'by') ? orderOf(cursor, read) : [];
  const frame = cursor.sees('rows') || cursor.sees('range') ? frameOf(cursor) : null;
  cursor.must(')');
  return { partitionBy, orderBy, frame };
}

function frameOf(cursor: Cursor): string {
  const unit = cursor.takes('rows') ? 'rows' : 'range';
  if (unit === 'range') cursor.must('range');
  if (!cursor.takes('between')) return `${unit} ${boundOf(cursor)}`;
  const from = boundOf(cursor);
  cursor.must('and');
  return `${unit} between ${from} and ${boundOf(cursor)}`;
}

function boundOf(cursor: Cursor): string {
  if (cursor.takes('current', 'row')) return 'current row';
  const amount = cursor.takes('unbounded') ? 'unbounded' : countOf(cursor);
  if (cursor.takes('preceding')) return `${amount} preceding`;
  cursor.must('following');
  return `${amount} following`;
}

/** Parses an integer literal. */
export function countOf(cursor: Cursor): number {
  const { type, text } = cursor.peek();
  if (type !== 'number' || !/^\d{1,9}$/.test(text)) cursor.fail();
  cursor.next();
  return Number(text);
}
