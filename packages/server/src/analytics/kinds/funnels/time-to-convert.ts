import type { Span } from '../../buckets.js';
import { bound, sql, whole } from '../../sql/fragment.js';
import { type Execute, type KindContext, scaledBy } from '../kind.js';
import { funnelRuns } from './funnel-runs-sql.js';
import type { FunnelsQuery, FunnelView } from './funnels-schema.js';

/** Histogram of the time between two steps. */
export interface TimeToConvert {
  /** Bins of equal width: lower bound in seconds, and number of actors. */
  bins: [seconds: number, count: number][];
  /** Seconds; null when nobody converted. */
  average_conversion_time: number | null;
}

const MAX_BARS = 60;
/** Width of a bin in seconds if all times are equal. */
const WIDTH_OF_EQUALS = 60;

interface Row {
  bar: number;
  people: number;
  low: number;
  width: number;
  bars: number;
  average: number;
}

/** Computes the histogram. Default number of bins: the cube root of the number of actors, at most 60. */
export async function timeToConvert(
  query: FunnelsQuery,
  { from, to, bins }: Extract<FunnelView, { type: 'time_to_convert' }>,
  span: Span,
  context: KindContext,
  execute: Execute,
): Promise<TimeToConvert> {
  const runs = funnelRuns(query, span, context);
  const seconds = sql`select (best[${whole(to + 1)}] - best[${whole(from + 1)}]) / 1000 as seconds
    from (${runs})
    where length(best) > ${whole(to)}`;
  const all = sql`select
      groupArray(seconds) as list,
      floor(min(seconds)) as low,
      max(seconds) as high,
      avg(seconds) as average,
      count() as total,
      if(total = 0, 0, ${barsOf(bins)}) as bars,
      if(high = min(seconds), ${whole(WIDTH_OF_EQUALS)}, ceil((high - low) / bars)) as width
    from (${seconds})`;
  const barOfEach = sql`arrayJoin(arrayMap(one -> toInt64(floor((one - low) / width)), list)) as bar`;
  const rows = await execute.ofSpan<Row>(
    sql`select bar, count() as people, any(low) as low, any(width) as width, any(bars) as bars, any(average) as average
      from (select low, width, bars, average, ${barOfEach} from (${all}))
      group by bar`,
    span,
  );
  const [first] = rows;
  if (!first) return { bins: [], average_conversion_time: null };
  const people = new Map(rows.map((row) => [row.bar, row.people]));
  const scaled = scaledBy(query);
  // one more bin than requested: the longest time lies at the upper bound of the last
  const bars = Array.from({ length: first.bars + 1 }, (_, bar): [number, number] => [
    first.low + bar * first.width,
    scaled(people.get(bar) ?? 0),
  ]);
  return { bins: bars, average_conversion_time: first.average };
}

const barsOf = (bins: number | null) =>
  bins === null ? sql`toInt64(least(${whole(MAX_BARS)}, ceil(cbrt(total))))` : bound('Int64', bins);
