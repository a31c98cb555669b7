import { BREAKDOWN_NULL, type Breakdown, type PropertyBreakdown } from '../../breakdown.js';
import type { Span } from '../../buckets.js';
import type { TrendsQuery } from '../../query.js';
import { breakdownValue } from '../../sql/breakdown.js';
import { bound, commaList, every, type Fragment, identifier, some, sql } from '../../sql/fragment.js';
import { aboutScope } from '../../sql/scope.js';
import { selectFromEvents } from '../../sql/source.js';
import { isEvent } from '../actor.js';
import { type Execute, instantSql, type KindContext } from '../kind.js';

/** Histogram bins of equal width between the lowest and the highest number. */
export interface BinEdges {
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
  const asked = breakdown.by.type === 'properties' ? breakdown.by.properties : [];
  if (asked.every(({ bins }) => bins === null)) return [];
  const select = asked.flatMap((one, index) => {
    const { number } = breakdownValue(one, context);
    return [sql`min(${number}) as ${identifier(`low${index}`)}`, sql`max(${number}) as ${identifier(`high${index}`)}`];
  });
  const [row] = await execute<Record<string, number | null>>(selectFromEvents({ projectId: context.projectId, select, where }));
  return asked.map(({ bins }, index) => {
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
  const within = spans.map(({ from, to }) =>
    every([sql`e.timestamp >= ${instantSql(from)}`, sql`e.timestamp < ${instantSql(to)}`]),
  );
  const where = [some(within), ...aboutScope(query, context), some(query.series.map((one) => isEvent(one, context)))];
  return findBins(breakdown, where, context, execute);
}

/** The bin of an event's number, as `[from,to]`; numbers outside belong to the nearest bin. */
export function binOf(breakdown: PropertyBreakdown, { low, width, count }: BinEdges, context: KindContext): Fragment {
  const { number } = breakdownValue(breakdown, context);
  const place = sql`toInt64(greatest(0, least(${bound('Float64', count - 1)}, floor((${number} - ${bound('Float64', low)}) / ${bound('Float64', width)}))))`;
  const names = Array.from({ length: count }, (_, index) => {
    const [from, to] = [low + index * width, count === 1 && width === 1 ? low : low + (index + 1) * width];
    return bound('String', JSON.stringify([rounded(from), rounded(to)]));
  });
  return sql`if(${number} is null, ${bound('String', BREAKDOWN_NULL)}, arrayElement([${commaList(names)}], ${place} + 1))`;
}

const rounded = (value: number): number => Number(value.toPrecision(12));
