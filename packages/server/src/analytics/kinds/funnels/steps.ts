import { BREAKDOWN_OTHER, type Breakdown } from '../../breakdown.js';
import type { Span } from '../../buckets.js';
import { bound, commaList, type Fragment, sql, TRUE, whole } from '../../sql/fragment.js';
import { nameOf } from '../actor.js';
import { type Execute, type KindContext, scaledBy } from '../kind.js';
import { type FunnelBreakdown, labelOf } from './breakdown-label.js';
import { funnelRuns } from './funnel-runs-sql.js';
import type { FunnelsQuery } from './funnels-schema.js';
import { requiredBefore, took } from './steps-sql.js';

/** One step of a funnel. */
export interface FunnelStep extends FunnelBreakdown {
  action_id: string | number | null;
  name: string;
  custom_name: string | null;
  order: number;
  type: 'events' | 'actions';
  /** Actors who took this step and all required steps before it. */
  count: number;
  /** Seconds since the required step before; null for the first step and if nobody took the step. */
  average_conversion_time: number | null;
  median_conversion_time: number | null;
}

interface Row {
  value: string[];
  counts: number[];
  averages: (number | null)[];
  medians: (number | null)[];
}

/** Computes the steps; with a breakdown, a list of steps for each value, the most frequent value first. */
export async function funnelSteps(
  query: FunnelsQuery,
  span: Span,
  context: KindContext,
  execute: Execute,
): Promise<FunnelStep[] | FunnelStep[][]> {
  const runs = funnelRuns(query, span, context);
  const { breakdown } = query;
  if (!breakdown) {
    const [row] = await execute.ofSpan<Row>(sql`select ${commaList(numbers(query, ''))} from (${runs})`, span);
    return stepsOf(query, context, row);
  }
  const rows = await execute.ofSpan<Row>(byValue(query, breakdown, runs), span);
  return rows.map((row) => stepsOf(query, context, row, labelOf(breakdown, row.value, context)));
}

/** The values with their own steps, from rows of `funnelRuns`. */
export async function stepValues({ breakdown }: FunnelsQuery, runs: Fragment, execute: Execute): Promise<string[][]> {
  const limit = bound('Int64', breakdown?.limit ?? 0);
  const rows = await execute<{ value: string[] }>(
    sql`select value from (${runs}) group by value order by count() desc, value limit ${limit}`,
  );
  return rows.map(({ value }) => value);
}

/** Counts, average and median times of all steps, as lists. With the suffix `State`, mergeable aggregate states. */
function numbers(query: FunnelsQuery, suffix: '' | 'State'): Fragment[] {
  const { series } = query;
  const best = sql`best`;
  const counts = series.map((_, index) => sql`countIf(${took(query, best, index)})`);
  const times = series.slice(1).map((_, index) => ({
    // whole milliseconds: their sum does not depend on the order in which the engine adds them
    time: sql`best[${whole(index + 2)}] - best[${whole(requiredBefore(query, index + 1) + 1)}]`,
    is: took(query, best, index + 1),
  }));
  const [average, median] = suffix ? [sql`avgStateIf`, MEDIAN_STATE] : [sql`avgIf`, sql`quantileExactInclusiveIf(0.5)`];
  return [
    sql`[${commaList(counts)}] as counts`,
    ...(suffix ? times.map(({ time, is }, index) => sql`${average}(${time}, ${is}) as a${whole(index)}`) : []),
    ...(suffix ? times.map(({ time, is }, index) => sql`${median}(${time}, ${is}) as m${whole(index)}`) : []),
    ...(suffix ? [] : [sql`[${commaList(times.map(({ time, is }) => sql`${average}(${time}, ${is}) / 1000`))}] as averages`]),
    ...(suffix ? [] : [sql`[${commaList(times.map(({ time, is }) => sql`${median}(${time}, ${is}) / 1000`))}] as medians`]),
  ];
}
const MEDIAN_STATE = sql`quantileExactInclusiveStateIf(0.5)`;

/** Merges all values beyond the limit into one. Ranks need the counts first, so the times are merged as aggregate states. */
function byValue(query: FunnelsQuery, { limit, hideOther, by }: Breakdown, runs: Fragment): Fragment {
  const each = sql`select value, ${commaList(numbers(query, 'State'))}, row_number() over (order by counts[1] desc, value) as place
    from (${runs})
    group by value`;
  const later = query.series.slice(1).map((_, index) => whole(index));
  const other = bound('String', BREAKDOWN_OTHER);
  const others = by.type === 'properties' ? sql`[${commaList(by.properties.map(() => other))}]` : sql`[${other}]`;
  const shown = sql`if(place <= ${bound('Int64', limit)}, value, ${others})`;
  const averages = later.map((index) => sql`avgMerge(a${index}) / 1000`);
  const medians = later.map((index) => sql`quantileExactInclusiveMerge(0.5)(m${index}) / 1000`);
  const times = sql`[${commaList(averages)}] as averages, [${commaList(medians)}] as medians`;
  return sql`select ${shown} as value, sumForEach(counts) as counts, ${times}
    from (${each})
    where ${hideOther ? sql`place <= ${bound('Int64', limit)}` : TRUE}
    group by value
    order by min(place)`;
}

function stepsOf(query: FunnelsQuery, context: KindContext, row: Row | undefined, value: FunnelBreakdown = {}): FunnelStep[] {
  const isOrdered = query.order !== 'unordered';
  const scaled = scaledBy(query);
  return query.series.map((step, order) => ({
    action_id: isOrdered ? (step.action ?? step.event) : null,
    name: isOrdered ? nameOf(step, context) : `Completed ${order + 1} step${order === 0 ? '' : 's'}`,
    custom_name: isOrdered ? step.customName : null,
    order,
    type: isOrdered && step.action !== undefined ? 'actions' : 'events',
    count: scaled(row?.counts[order] ?? 0),
    average_conversion_time: row?.averages[order - 1] ?? null,
    median_conversion_time: row?.medians[order - 1] ?? null,
    ...value,
  }));
}
