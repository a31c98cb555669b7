import { BREAKDOWN_OTHER, shownValues } from '../../breakdown.js';
import type { Buckets, Span } from '../../buckets.js';
import { bound, sql, whole } from '../../sql/fragment.js';
import { type BreakdownName, breakdownName } from '../breakdown-name.js';
import type { Execute, KindContext } from '../kind.js';
import { LIMIT_FIELD, requireNumbers } from '../require-numbers.js';
import { scaledBy } from '../sample.js';
import type { FunnelsQuery, FunnelView } from './funnels-query.js';
import { funnelRuns, originOf } from './runs-sql.js';
import { type BreakdownLabel, labelOf } from './steps.js';

/** Of those who began in each interval, the share that converted. */
export interface ConversionTrend extends BreakdownName {
  /** How many intervals. */
  count: number;
  /** Percent, two digits. */
  data: number[];
  /** How many began, and how many of them converted. */
  reached_from_step_count: number[];
  reached_to_step_count: number[];
  labels: string[];
  days: string[];
  breakdown_value?: BreakdownLabel;
}

interface Row {
  value: string[];
  start: number;
  began: number;
  converted: number;
}

/** A person counts once in every interval in which a run begins, with the run that gets furthest. */
export async function conversionTrends(
  query: FunnelsQuery,
  { from, to }: Extract<FunnelView, { type: 'trends' }>,
  span: Span,
  buckets: Buckets,
  context: KindContext,
  execute: Execute,
): Promise<ConversionTrend[]> {
  const { breakdown } = query;
  if (buckets.starts.length === 0) return breakdown ? [] : [lineOf(query, buckets, [])];
  if (breakdown) requireNumbers((shownValues(breakdown) + 1) * buckets.starts.length, LIMIT_FIELD);
  const begins = sql`toInt64(run.1) + ${bound('Int64', originOf(span))}`;
  const furthest = sql`select actor, value, roundDown(${begins}, ${bound('Array(Int64)', buckets.starts)}) as start, max(run.2) as steps from (select actor, value, arrayJoin(runs) as run from (${funnelRuns(query, span, context, true)})) group by actor, value, start`;
  const counts = sql`countIf(steps > ${whole(from)}) as began, countIf(steps > ${whole(to)}) as converted`;
  const rows = await execute<Row>(sql`select value, start, ${counts} from (${furthest}) group by value, start`);
  if (!breakdown) return [lineOf(query, buckets, rows)];
  const values = new Map<string, Row[]>();
  for (const row of rows) {
    const name = JSON.stringify(row.value);
    const own = values.get(name);
    if (own) own.push(row);
    else values.set(name, [row]);
  }
  const began = (own: Row[]): number => own.reduce((sum, row) => sum + row.began, 0);
  const [...sorted] = [...values].toSorted(([a, one], [b, other]) => began(other) - began(one) || (a < b ? -1 : 1));
  const shown = sorted.slice(0, breakdown.limit).map(([, own]) => ({ value: own[0]?.value ?? [], own }));
  const rest = sorted.slice(breakdown.limit).flatMap(([, own]) => own);
  if (rest.length > 0 && !breakdown.hideOther) shown.push({ value: rest[0]?.value.map(() => BREAKDOWN_OTHER) ?? [], own: rest });
  return shown.map(({ value, own }) => ({
    ...lineOf(query, buckets, own),
    breakdown_value: labelOf(breakdown, value),
    ...breakdownName(value, breakdown, context),
  }));
}

function lineOf(query: FunnelsQuery, { starts, days, labels }: Buckets, rows: readonly Row[]): ConversionTrend {
  const sums = new Map<number, { began: number; converted: number }>();
  for (const { start, began, converted } of rows) {
    const sum = sums.get(start) ?? { began: 0, converted: 0 };
    sums.set(start, { began: sum.began + began, converted: sum.converted + converted });
  }
  const scaled = scaledBy(query);
  const began = starts.map((start) => sums.get(start)?.began ?? 0);
  const converted = starts.map((start) => sums.get(start)?.converted ?? 0);
  return {
    count: starts.length,
    data: began.map((all, index) => (all === 0 ? 0 : Math.round(((converted[index] ?? 0) / all) * 10_000) / 100)),
    reached_from_step_count: began.map(scaled),
    reached_to_step_count: converted.map(scaled),
    labels,
    days,
  };
}
