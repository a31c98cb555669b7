import type { Join } from './source.js';

/** ClickHouse types that values are bound as. */
export type BoundType = 'Int32' | 'Int64' | 'Float64' | 'String' | 'UUID' | 'Array(String)' | 'Array(Int64)';

interface Bound {
  type: BoundType;
  value: unknown;
}

/**
 * A piece of SQL as data: texts of our own, bound values, other pieces, and what has to be joined to the events for it. A piece refers to
 * the pieces within it and never copies them: making one takes the same time however long they are, and several pieces may share one.
 */
export interface Fragment {
  readonly parts: readonly (string | Bound | Fragment)[];
  /** What this piece itself needs; the pieces within it name their own. */
  readonly joins: readonly Join[];
  /** Characters of SQL once it is rendered, at least; a bound value counts as its placeholder. */
  readonly size: number;
  /** What the pieces within it need is joined within it. */
  readonly isSelfContained?: true;
  /** Its form is of an author's making, whose days begin in this zone: the engine may run it only behind the fence. */
  readonly userSqlZone?: string;
}

/** Characters of a rendered placeholder, about. */
const PLACEHOLDER = 12;

function fragment(parts: Fragment['parts'], joins: readonly Join[] = []): Fragment {
  let size = 0;
  for (const part of parts) {
    if (typeof part === 'string') size += part.length;
    else size += 'parts' in part ? part.size : PLACEHOLDER;
  }
  return { parts, joins, size };
}

/**
 * SQL of our own with other fragments in it. A plain text cannot be put in, so a caller's value is always bound.
 * @example sql`e.event = ${bound('String', name)}`
 */
export function sql(texts: TemplateStringsArray, ...fragments: Fragment[]): Fragment {
  const parts: Fragment['parts'][number][] = [];
  for (const [index, text] of texts.entries()) {
    if (text !== '') parts.push(text);
    const next = fragments[index];
    if (next && next !== EMPTY) parts.push(next);
  }
  return fragment(parts);
}

/** A text that is SQL. Never a caller's: words of the language, names of allowed functions, numbers that were read as such. */
export const own = (text: string): Fragment => fragment([text]);

/** A value, bound and typed. */
export const bound = (type: BoundType, value: unknown): Fragment => fragment([{ type, value }]);

/** A whole number of our own, written out where the engine takes no bound value. */
export const whole = (number: number): Fragment => fragment([String(Math.trunc(number))]);

/** A name in backticks; whatever it holds stays a name. */
export const identifier = (name: string): Fragment => fragment([`\`${name.replace(/[\\`]/g, '\\$&')}\``]);

/** The same SQL, with one more table joined to the events. */
export const joining = (of: Fragment, ...joins: Join[]): Fragment => fragment([of], joins);

/** The same SQL as a statement of its own: what it needs is joined within it, not around it. */
export const selfContained = (of: Fragment): Fragment => ({ ...of, joins: [], isSelfContained: true });

/** The same SQL, marked as what an author wrote whose days begin in this zone. */
export const userSql = (of: Fragment, timezone: string): Fragment => ({ ...of, userSqlZone: timezone });

export const EMPTY: Fragment = fragment([]);
export const TRUE = sql`1`;
export const FALSE = sql`0`;

/** One after another, with a text between them that is SQL. */
export function separated(fragments: readonly Fragment[], separator: string): Fragment {
  return fragment(fragments.flatMap((one, index) => (index > 0 ? [separator, one] : [one])));
}

export const commaList = (fragments: readonly Fragment[]): Fragment => separated(fragments, ', ');
/** One after another, with nothing between them. */
export const sequence = (fragments: readonly Fragment[]): Fragment => fragment(fragments);
/** True when all are (also when there are none). What always holds is left out: the engine finds lists of names only without it. */
export function every(conditions: readonly Fragment[]): Fragment {
  const open = conditions.filter((one) => one !== TRUE);
  return open.length === 0 ? TRUE : sql`(${separated(open, ' and ')})`;
}
/** True when one is. */
export const some = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? FALSE : sql`(${separated(conditions, ' or ')})`;

/** What has to be joined for any of these, in the order in which it is named. Looks at each fragment once, however often it is used. */
export function joinsOf(fragments: readonly Fragment[]): Join[] {
  const joins: Join[] = [];
  const seen = new Set<Fragment>();
  const left = [...fragments].reverse();
  for (let next = left.pop(); next; next = left.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.isSelfContained) continue;
    joins.push(...next.joins);
    for (let at = next.parts.length - 1; at >= 0; at--) {
      const part = next.parts[at];
      if (typeof part === 'object' && 'parts' in part) left.push(part);
    }
  }
  return joins;
}

/** A statement as the engine takes it. */
export interface Rendered {
  /** The text with `{p0:Type}` placeholders. */
  sql: string;
  /** The values of these. */
  params: Record<string, unknown>;
  /** Where an author wrote a part of it: the zone in which the days of the author begin. */
  userSqlZone: string | null;
}

/** Writes a fragment and all within it, in order. Look at `size` before: rendering takes as long as the text is. */
export function render(of: Fragment): Rendered {
  const params: Record<string, unknown> = {};
  let text = '';
  let count = 0;
  let authorsZone: string | null = null;
  const left: Fragment['parts'][number][] = [of];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part === 'string') {
      text += part;
    } else if ('parts' in part) {
      authorsZone ??= part.userSqlZone ?? null;
      for (let at = part.parts.length - 1; at >= 0; at--) {
        const next = part.parts[at];
        if (next !== undefined) left.push(next);
      }
    } else {
      const name = `p${count++}`;
      params[name] = part.value;
      text += `{${name}:${part.type}}`;
    }
  }
  return { sql: text, params, userSqlZone: authorsZone };
}
