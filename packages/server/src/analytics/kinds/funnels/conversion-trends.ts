import { BREAKDOWN_OTHER, shownValues } from '../../breakdown.js';
import { type Buckets, beginLabel, type Span } from '../../buckets.js';
import { type Fragment, sql, whole } from '../../sql/fragment.js';
import { type Execute, type KindContext, LIMIT_FIELD, requireNumbers, scaledBy } from '../kind.js';
import { type FunnelBreakdown, labelOf } from './breakdown-label.js';
import { entrances } from './funnel-runs-sql.js';
import type { FunnelsQuery, FunnelView } from './funnels-schema.js';

/** Conversion rate of the actors who started in each interval. */
export interface ConversionTrend extends Omit<FunnelBreakdown, 'breakdown'> {
  /** Number of intervals. */
  count: number;
  /** Percent, two digits. */
  data: number[];
  /** Actors who started, and those of them who converted. */
  reached_from_step_count: number[];
  reached_to_step_count: number[];
  labels: string[];
  days: string[];
}

interface Row {
  value: string[];
  start: number;
  began: number;
  converted: number;
}

/** An actor counts once in each interval in which one of the actor's runs starts, with the run that reaches the most steps. */
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
  const counts = sql`countIf(steps > ${whole(from)}) as began, countIf(steps > ${whole(to)}) as converted`;
  const rows = await execute.ofSpan<Row>(
    sql`select value, start, ${counts} from (${entrances(query, span, buckets, context)}) group by value, start`,
    span,
  );
  if (!breakdown) return [lineOf(query, buckets, rows)];
  const values = new Map<string, Row[]>();
  for (const row of rows) {
    const name = JSON.stringify(row.value);
    const own = values.get(name);
    if (own) own.push(row);
    else values.set(name, [row]);
  }
  const began = (own: Row[]): number => own.reduce((sum, row) => sum + row.began, 0);
  const sorted = [...values].toSorted(([a, one], [b, other]) => compared(began(one), a, began(other), b));
  const shown = sorted.slice(0, breakdown.limit).map(([, own]) => ({ value: own[0]?.value ?? [], own }));
  const rest = sorted.slice(breakdown.limit).flatMap(([, own]) => own);
  if (rest.length > 0 && !breakdown.hideOther) shown.push({ value: rest[0]?.value.map(() => BREAKDOWN_OTHER) ?? [], own: rest });
  return shown.map(({ value, own }) => {
    const { breakdown: _, ...label } = labelOf(breakdown, value, context);
    return { ...lineOf(query, buckets, own), ...label };
  });
}

/** Orders values by the number of actors who started, descending. */
const compared = (began: number, name: string, otherBegan: number, otherName: string): number =>
  otherBegan - began || (name < otherName ? -1 : 1);

/** The values with their own line, from rows of `entrances`. */
export async function rankedValues({ breakdown }: FunnelsQuery, rows: Fragment, execute: Execute): Promise<string[][]> {
  const values = await execute<{ value: string[]; began: number }>(
    sql`select value, count() as began from (${rows}) group by value`,
  );
  return values
    .map(({ value, began }) => ({ value, began, name: JSON.stringify(value) }))
    .toSorted((one, other) => compared(one.began, one.name, other.began, other.name))
    .slice(0, breakdown?.limit)
    .map(({ value }) => value);
}

function lineOf(query: FunnelsQuery, { starts, days }: Buckets, rows: readonly Row[]): ConversionTrend {
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
    labels: days.map(beginLabel),
    days,
  };
}
