import type { Join } from './source.js';

/** ClickHouse types that values are bound as. */
export type BoundType = 'Int32' | 'Int64' | 'Float64' | 'String' | 'UUID' | 'Array(String)' | 'Array(Int64)';

interface Bound {
  type: BoundType;
  value: unknown;
}

/** A piece of SQL as data: texts of our own, bound values, and what has to be joined to the events for it. */
export interface Fragment {
  readonly parts: readonly (string | Bound)[];
  readonly joins: readonly Join[];
}

/**
 * SQL of our own with other fragments in it. A plain text cannot be put in, so a caller's value is always bound.
 * @example sql`e.event = ${bound('String', name)}`
 */
export function sql(texts: TemplateStringsArray, ...fragments: Fragment[]): Fragment {
  const parts: (string | Bound)[] = [texts[0] ?? ''];
  const joins: Join[] = [];
  for (const [index, fragment] of fragments.entries()) {
    // one by one: a call takes some ten thousands of arguments at most
    for (const part of fragment.parts) parts.push(part);
    parts.push(texts[index + 1] ?? '');
    for (const join of fragment.joins) joins.push(join);
  }
  return { parts, joins };
}

/** A value, bound and typed. */
export const bound = (type: BoundType, value: unknown): Fragment => ({ parts: [{ type, value }], joins: [] });

/** A whole number of our own, written out where the engine takes no bound value. */
export const whole = (number: number): Fragment => ({ parts: [String(Math.trunc(number))], joins: [] });

/** A name in backticks; whatever it holds stays a name. */
export const identifier = (name: string): Fragment => ({ parts: [`\`${name.replace(/[\\`]/g, '\\$&')}\``], joins: [] });

/** The same SQL, with one more table joined to the events. */
export const joining = (fragment: Fragment, ...joins: Join[]): Fragment => ({
  parts: fragment.parts,
  joins: [...fragment.joins, ...joins],
});

export const EMPTY: Fragment = { parts: [], joins: [] };
export const TRUE = sql`1`;
export const FALSE = sql`0`;

function separated(fragments: readonly Fragment[], separator: string): Fragment {
  // into one list: made by joining two at a time, ten thousand of them would hold the process up for half a minute
  const parts: Fragment['parts'][number][] = [];
  const joins: Join[] = [];
  for (const [index, fragment] of fragments.entries()) {
    if (index > 0) parts.push(separator);
    for (const part of fragment.parts) parts.push(part);
    for (const join of fragment.joins) joins.push(join);
  }
  return { parts, joins };
}

export const commaList = (fragments: readonly Fragment[]): Fragment => separated(fragments, ', ');
/** True when all are (also when there are none). What always holds is left out: the engine finds lists of names only without it. */
export function every(conditions: readonly Fragment[]): Fragment {
  const open = conditions.filter((one) => one !== TRUE);
  return open.length === 0 ? TRUE : sql`(${separated(open, ' and ')})`;
}
/** True when one is. */
export const some = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? FALSE : sql`(${separated(conditions, ' or ')})`;

/** The text with `{p0:Type}` placeholders, and their values. */
export function render(fragment: Fragment): { sql: string; params: Record<string, unknown> } {
  const params: Record<string, unknown> = {};
  let text = '';
  let count = 0;
  for (const part of fragment.parts) {
    if (typeof part === 'string') {
      text += part;
    } else {
      const name = `p${count++}`;
      params[name] = part.value;
      text += `{${name}:${part.type}}`;
    }
  }
  return { sql: text, params };
}
