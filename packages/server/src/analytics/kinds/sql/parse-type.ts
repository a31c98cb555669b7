import { SqlFault } from './ast.js';
import type { Cursor } from './cursor.js';

/** ClickHouse types by lower-case names and common SQL aliases. */
const TYPES = new Map(
  [
    ...['Int8', 'Int16', 'Int32', 'Int64', 'Int128', 'Int256', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'UInt128', 'UInt256'],
    ...['Float32', 'Float64', 'Bool', 'String', 'UUID', 'Date', 'Date32', 'DateTime', 'DateTime64'],
  ].map((name) => [name.toLowerCase(), name]),
);
for (const [name, type] of [
  ['int', 'Int64'],
  ['integer', 'Int64'],
  ['bigint', 'Int64'],
  ['float', 'Float64'],
  ['double', 'Float64'],
  ['text', 'String'],
  ['varchar', 'String'],
  ['boolean', 'Bool'],
  ['timestamp', 'DateTime64(3)'],
] as const) {
  TYPES.set(name, type);
}
const HOLDING = new Map([
  ['array', 'Array'],
  ['nullable', 'Nullable'],
  ['tuple', 'Tuple'],
  ['map', 'Map'],
]);

/**
 * Parses the name of a type for casts.
 *
 *   type = ( "Array" | "Nullable" | "Tuple" | "Map" ) "(" type { "," type } ")"
 *        | ( "Decimal" | "DateTime64" ) [ "(" digits { "," digits } ")" ]
 *        | a name in TYPES
 */
export function parseType(cursor: Cursor): string {
  return cursor.deeper(() => {
    const { type, text } = cursor.next();
    const name = text.toLowerCase();
    const holding = type === 'name' ? HOLDING.get(name) : undefined;
    if (holding) {
      cursor.must('(');
      const inner = cursor.list(() => parseType(cursor));
      cursor.must(')');
      return `${holding}(${inner.join(', ')})`;
    }
    if (type === 'name' && name === 'decimal') return `Decimal(${numbers(cursor).join(', ')})`;
    const known = type === 'name' ? TYPES.get(name) : undefined;
    if (!known) throw new SqlFault(`"${text.slice(0, 100)}" is not a type.`);
    return name === 'datetime64' ? `DateTime64(${numbers(cursor).join(', ')})` : known;
  });
}

function numbers(cursor: Cursor): number[] {
  if (!cursor.takes('(')) return [18, 3].slice(1);
  const found = cursor.list(() => {
    const { type, text } = cursor.next();
    if (type !== 'number' || !/^\d{1,2}$/.test(text)) throw new SqlFault(`"${text.slice(0, 100)}" is not allowed there.`);
    return Number(text);
  });
  cursor.must(')');
  return found;
}
