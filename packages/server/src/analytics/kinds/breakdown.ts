import { BREAKDOWN_NULL, type Breakdown, type PropertyBreakdown } from '../breakdown.js';
import type { Span } from '../buckets.js';
import type { Filter } from '../filter.js';
import { aboutScope, condition, type FilterContext } from '../sql/filter.js';
import { bound, commaList, every, type Fragment, identifier, some, sql } from '../sql/fragment.js';
import { ofText, type Property, property } from '../sql/property.js';
import { selectFromEvents } from '../sql/source.js';
import { within } from '../sql/time.js';
import { isEvent } from './actor.js';
import type { Execute, KindContext } from './kind.js';
import type { TrendsQuery } from './trends/trends-schema.js';

/** The cohorts of a breakdown as a filter, so that they are loaded with those of the filters. */
export function breakdownFilters(breakdown: Breakdown | null): Record<string, Filter> {
  if (breakdown?.by.type !== 'cohorts') return {};
  const values = breakdown.by.cohorts.flatMap((cohort) => (cohort === 'all' ? [] : [{ cohort }]));
  return { breakdownFilter__breakdown: { type: 'OR', values } };
}

/** Field beside `breakdown_value` if that is the number of a cohort (or `all`). */
export interface BreakdownName {
  /** Name of the cohort. */
  breakdown_name?: string;
}

/** The name of a cohort value; empty for breakdowns by properties. */
export function breakdownName([key = '']: readonly string[], { by }: Breakdown, { cohorts }: KindContext): BreakdownName {
  if (by.type !== 'cohorts') return {};
  const name = key === 'all' ? 'All users' : cohorts.get(Number(key))?.name;
  return name ? { breakdown_name: name } : {};
}

/** The values of a line's breakdowns, in their order. */
export type Keys = readonly string[];

/** What tells events apart: a text for each breakdown. */
export const keysOf = (breakdown: Breakdown, bins: readonly (BinEdges | null)[], context: KindContext): Fragment[] =>
  breakdownValues(breakdown, context).map((value, index) => {
    const edges = bins[index];
    const own = breakdown.by.type === 'properties' ? breakdown.by.properties[index] : undefined;
    return edges && own ? binOf(own, edges, context) : value;
  });

/** That the keys of an event are among these. */
export const areAmong = (keys: readonly Fragment[], chosen: readonly Keys[]): Fragment =>
  sql`${asOne(keys)} in (select arrayJoin(${bound('Array(String)', chosen.map(textOf))}))`;

/**
 * Several keys as one text that no others have, as {@link textOf} writes it. Not as JSON: the engine writes it with other escapes
 * than we do.
 */
const asOne = (keys: readonly Fragment[]): Fragment => {
  const [only] = keys;
  return only && keys.length === 1
    ? only
    : sql`concat(${commaList(keys.map((key) => sql`toString(length(${key})), ':', ${key}`))})`;
};

const textOf = (keys: Keys): string =>
  keys.length === 1 ? (keys[0] ?? '') : keys.map((key) => `${Buffer.byteLength(key)}:${key}`).join('');

/** Histogram bins of equal width between the lowest and the highest number. */
interface BinEdges {
  low: number;
  width: number;
  count: number;
}

/** Computes the bins of breakdowns that have any, from the events that match `where`. */
export async function findBins(
  breakdown: Breakdown,
  where: readonly Fragment[],
  context: KindContext,
  execute: Execute,
): Promise<(BinEdges | null)[]> {
  const byProperties = breakdown.by.type === 'properties' ? breakdown.by.properties : [];
  if (byProperties.every(({ bins }) => bins === null)) return [];
  const select = byProperties.flatMap((one, index) => {
    const { number } = breakdownValue(one, context);
    return [sql`min(${number}) as ${identifier(`low${index}`)}`, sql`max(${number}) as ${identifier(`high${index}`)}`];
  });
  const [row] = await execute<Record<string, number | null>>(selectFromEvents({ projectId: context.projectId, select, where }));
  return byProperties.map(({ bins }, index) => {
    const low = row?.[`low${index}`] ?? 0;
    const high = row?.[`high${index}`] ?? 0;
    if (bins === null) return null;
    return high > low ? { low, width: (high - low) / bins, count: bins } : { low, width: 1, count: 1 };
  });
}

/** As {@link findBins}, for all series and spans of a query: they share their bins. */
export function binsOf(
  query: TrendsQuery,
  breakdown: Breakdown,
  spans: readonly Span[],
  context: KindContext,
  execute: Execute,
): Promise<(BinEdges | null)[]> {
  const inSpans = spans.map((span) => every(within(span)));
  const where = [some(inSpans), ...aboutScope(query, context), some(query.series.map((one) => isEvent(one, context)))];
  return findBins(breakdown, where, context, execute);
}

/** The bin of an event's number, as `[from,to]`; numbers outside belong to the nearest bin. */
function binOf(breakdown: PropertyBreakdown, { low, width, count }: BinEdges, context: KindContext): Fragment {
  const { number } = breakdownValue(breakdown, context);
  const place = sql`toInt64(greatest(0, least(${bound('Float64', count - 1)}, floor((${number} - ${bound('Float64', low)}) / ${bound('Float64', width)}))))`;
  const names = Array.from({ length: count }, (_, index) => {
    const [from, to] = [low + index * width, count === 1 && width === 1 ? low : low + (index + 1) * width];
    return bound('String', JSON.stringify([rounded(from), rounded(to)]));
  });
  return sql`if(${number} is null, ${bound('String', BREAKDOWN_NULL)}, arrayElement([${commaList(names)}], ${place} + 1))`;
}

const rounded = (value: number): number => Number(value.toPrecision(12));

/**
 * Breakdown values of an event: a text for each property of the breakdown (`BREAKDOWN_NULL` if absent). For cohorts one text, the
 * number of the cohort or `all`, in a row for each cohort that the person is in.
 */
export function breakdownValues({ by }: Breakdown, context: FilterContext): Fragment[] {
  return by.type === 'properties'
    ? by.properties.map((one) => propertyValue(one, context))
    : [sql`arrayJoin(${cohortNames(by.cohorts, context)})`];
}

/** The cohorts among `cohorts` that the event's person is in: a list of numbers as texts, or `all`. */
export function cohortNames(cohorts: readonly (number | 'all')[], context: FilterContext): Fragment {
  const memberships = cohorts.map((cohort) => {
    const name = bound('String', String(cohort));
    return cohort === 'all' ? name : sql`if(${condition({ cohort }, context)}, ${name}, '')`;
  });
  return sql`arrayFilter(name -> name != '', [${commaList(memberships)}])`;
}

function propertyValue(breakdown: PropertyBreakdown, context: FilterContext): Fragment {
  const { text } = breakdownValue(breakdown, context);
  const value = breakdown.normalizeUrl ? sql`replaceRegexpOne(${text}, '[/?#]*$', '')` : text;
  return sql`ifNull(nullIf(${value}, ''), ${bound('String', BREAKDOWN_NULL)})`;
}

/** The raw value of a breakdown as text and as number; null if absent. */
function breakdownValue(
  breakdown: PropertyBreakdown,
  { writeExpression: written }: FilterContext,
): Pick<Property, 'text' | 'number'> {
  if (!('expression' in breakdown)) return property(breakdown.owner, breakdown.key);
  return ofText(sql`toString(${written(breakdown.expression, 'text')})`);
}
