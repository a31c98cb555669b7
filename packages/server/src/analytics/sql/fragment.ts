import type { Join } from './source.js';

/** ClickHouse types of bound values. */
export type BoundType = 'Int32' | 'Int64' | 'Float64' | 'String' | 'UUID' | 'Array(String)' | 'Array(UUID)' | 'Array(Int64)';

interface Bound {
  type: BoundType;
  value: unknown;
}

/**
 * A piece of SQL: constant text, bound values, nested fragments, and the joins that it needs. Nested fragments are shared, never copied,
 * so creating a fragment takes constant time.
 */
export interface Fragment {
  readonly parts: readonly (string | Bound | Fragment)[];
  /** Joins of this fragment itself, without those of nested fragments. */
  readonly joins: readonly Join[];
  /** Lower bound of the rendered length in characters; a bound value counts as its placeholder. */
  readonly size: number;
  /** A condition: the events for which it holds lie within these limits. */
  readonly limits?: Limits;
  /** A complete statement that has its own joins. */
  readonly isSelfContained?: true;
  /** A select of which each row depends on the events of one person alone: of the one whose number is in the column `actor`. */
  readonly isByPerson?: true;
  /** Rows of a table of profiles: of persons, or of groups. */
  readonly profilesOf?: ProfileOwner;
  /** Contains SQL written by a user, whose days begin in this time zone: it may only run with the row filter (row-filter.ts). */
  readonly userSqlZone?: string;
}

/** Limits of events, for what is joined to them. */
export interface Limits {
  /** First moment, and that after the last; epoch milliseconds. Without a limit they may also be infinite. */
  from?: number;
  to?: number;
  /** A condition on the columns of persons, which holds for theirs. */
  persons?: Fragment | undefined;
}

/** Whose profiles a table has. */
export type ProfileOwner = 'person' | 'group';

/** Approximate length of a rendered placeholder. */
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
 * Template tag for SQL. Only fragments can be interpolated, so that values of requests are always bound.
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

/** Raw SQL. Only for keywords, names of allowed functions and parsed numbers, never for text of a request. */
export const own = (text: string): Fragment => fragment([text]);

/** A bound value of a type. */
export const bound = (type: BoundType, value: unknown): Fragment => fragment([{ type, value }]);

/** An integer as a literal, for places where ClickHouse accepts no parameter. */
export const whole = (number: number): Fragment => fragment([String(Math.trunc(number))]);

/** An identifier in backticks, escaped. */
export const identifier = (name: string): Fragment => fragment([`\`${name.replace(/[\\`]/g, '\\$&')}\``]);

/** The same SQL, requiring further joins. */
export const joining = (of: Fragment, ...joins: Join[]): Fragment => fragment([of], joins);

/** The same SQL as a subquery with its own joins. */
export const selfContained = (of: Fragment): Fragment => ({ ...of, joins: [], isSelfContained: true });

/** The same condition, marked as one that holds within limits alone. */
export const withLimits = (of: Fragment, limits: Limits): Fragment => ({ ...of, limits });

/** The same select, marked as one of which each row depends on the events of one person. */
export const byPerson = (of: Fragment): Fragment => ({ ...of, isByPerson: true });

/** The same rows, marked as those of a table of profiles. */
export const profileRows = (owner: ProfileOwner, of: Fragment): Fragment => ({ ...of, profilesOf: owner });

/** The same SQL, marked as written by a user whose days begin in this time zone. */
export const userSql = (of: Fragment, timezone: string): Fragment => ({ ...of, userSqlZone: timezone });

export const EMPTY: Fragment = fragment([]);
export const TRUE = sql`1`;
export const FALSE = sql`0`;

/** Joins fragments by raw SQL. */
export function separated(fragments: readonly Fragment[], separator: string): Fragment {
  return fragment(fragments.flatMap((one, index) => (index > 0 ? [separator, one] : [one])));
}

export const commaList = (fragments: readonly Fragment[]): Fragment => separated(fragments, ', ');
/** Concatenates fragments. */
export const sequence = (fragments: readonly Fragment[]): Fragment => fragment(fragments);
/** AND. `TRUE` is dropped, as the engine recognises `event in (…)` in the primary key only without it. */
export function every(conditions: readonly Fragment[]): Fragment {
  const open = conditions.filter((one) => one !== TRUE);
  return open.length === 0 ? TRUE : withLimits(sql`(${separated(open, ' and ')})`, limitsOfEvery(open));
}
/** OR. */
export const some = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? FALSE : withLimits(sql`(${separated(conditions, ' or ')})`, limitsOfSome(conditions));

/** The limits of events for which all conditions hold. */
export const limitsOfEvery = (conditions: readonly Fragment[]): Limits =>
  conditions.reduce<Limits>(
    (all, { limits }) => ({
      from: Math.max(all.from ?? Number.NEGATIVE_INFINITY, limits?.from ?? Number.NEGATIVE_INFINITY),
      to: Math.min(all.to ?? Number.POSITIVE_INFINITY, limits?.to ?? Number.POSITIVE_INFINITY),
      persons: all.persons ?? limits?.persons,
    }),
    {},
  );

/** The limits of events for which at least one of the conditions holds. */
const limitsOfSome = (conditions: readonly Fragment[]): Limits =>
  conditions.reduce<Limits>(
    (all, { limits }) => ({
      from: Math.min(all.from ?? Number.POSITIVE_INFINITY, limits?.from ?? Number.NEGATIVE_INFINITY),
      to: Math.max(all.to ?? Number.NEGATIVE_INFINITY, limits?.to ?? Number.POSITIVE_INFINITY),
    }),
    {},
  );

/** All joins that fragments need, in order of appearance. Visits shared fragments once. */
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

/** Whether a fragment contains a subquery with its own joins, or SQL written by a user. */
export function hasSubqueryOrUserSql(of: Fragment): boolean {
  const left: Fragment[] = [of];
  const seen = new Set<Fragment>();
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.isSelfContained || next.userSqlZone !== undefined) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    for (const part of next.parts) if (typeof part === 'object' && 'parts' in part) left.push(part);
  }
  return false;
}

/** Whose profiles a fragment reads, by its joins or as rows. Visits shared fragments once. */
export function profilesRead(of: Fragment): Set<ProfileOwner> {
  const owners = new Set<ProfileOwner>();
  const seen = new Set<Fragment>();
  const left: Fragment[] = [of];
  for (let next = left.pop(); next; next = left.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.profilesOf) owners.add(next.profilesOf);
    for (const { table } of next.joins) {
      if (table === 'persons') owners.add('person');
      if (table === 'groups') owners.add('group');
    }
    for (const part of next.parts) if (typeof part === 'object' && 'parts' in part) left.push(part);
  }
  return owners;
}

/** The outermost fragments that match. */
export function fragmentsIn(of: Fragment, matches: (one: Fragment) => boolean): Fragment[] {
  if (matches(of)) return [of];
  return of.parts.flatMap((part) => (typeof part === 'object' && 'parts' in part ? fragmentsIn(part, matches) : []));
}

/** The same SQL with another fragment in the place of one of its fragments. */
export function replaced(of: Fragment, one: Fragment, other: Fragment): Fragment {
  if (of === one) return other;
  const parts = of.parts.map((part) => (typeof part === 'object' && 'parts' in part ? replaced(part, one, other) : part));
  const isSame = parts.every((part, index) => part === of.parts[index]);
  return isSame ? of : { ...of, ...fragment(parts, of.joins) };
}

/** SQL text with parameters. */
export interface Rendered {
  /** Text with `{p0:Type}` placeholders. */
  sql: string;
  /** Values by placeholder. */
  params: Record<string, unknown>;
  /** Time zone of the SQL written by a user in it; null: there is none. */
  userSqlZone: string | null;
}

/** Renders a fragment, in time proportional to the text: check `size` first. */
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
