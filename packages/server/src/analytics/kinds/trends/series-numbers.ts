import type { IntervalRow, IntervalStatement } from '../../cache/interval-parts.js';
import type { SeriesMath } from '../../series-schema.js';
import { inScope } from '../../sql/filter.js';
import { type Fragment, identifier, some, sql } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { isEvent } from '../actor.js';
import type { Execute, KindContext } from '../kind.js';
import { aggregate, isEventMath } from './aggregate.js';
import { brokenDown } from './broken-down.js';
import type { Numbers } from './line.js';
import { numbersStatement, startOfEvent } from './numbers-sql.js';
import { personsStatement } from './persons-sql.js';
import { isOnce, planOf, type SeriesNumbers, type Time, type Times, withIntervalMath } from './plan.js';
import type { TrendsQuery } from './trends-schema.js';

/** Computes the numbers of all series. */
export async function seriesNumbers(
  given: TrendsQuery,
  times: Times,
  context: KindContext,
  execute: Execute,
): Promise<SeriesNumbers> {
  const query = withIntervalMath(given);
  const { breakdown } = query;
  if (breakdown) return brokenDown(query, breakdown, times, context, execute);
  const [current, previous] = await Promise.all([
    whole(query, times.current, context, execute),
    times.previous ? whole(query, times.previous, context, execute) : [],
  ]);
  return { current, previous };
}

type Row = IntervalRow & Record<string, number>;

/** Computes all series with an {@link isEventMath} in one statement, and each other series in its own. */
async function whole(query: TrendsQuery, time: Time, context: KindContext, execute: Execute): Promise<Numbers[][]> {
  const together = query.series.flatMap(({ math }, index) => (isEventMath(math) && !isOnce(query, math) ? [index] : []));
  const shared = together.length > 0 ? togetherRows(query, together, time, context, execute) : Promise.resolve([]);
  return Promise.all(
    query.series.map(async (series, index) => {
      if (together.includes(index)) return [numbersTogether(await shared, `s${together.indexOf(index)}`, time)];
      return [await ownNumbers(query, series, time, context, execute)];
    }),
  );
}

/** Computes a series by a statement of its own. With a sparkline, its total is taken from the points where it is among them. */
async function ownNumbers(
  query: TrendsQuery,
  series: TrendsQuery['series'][number],
  time: Time,
  context: KindContext,
  execute: Execute,
): Promise<Numbers> {
  const read = async (buckets: Time['buckets']) => {
    const statement: IntervalStatement = (span, some) =>
      numbersStatement(planOf(query, series, { ...time, span, buckets: some }, { keys: [] }), context);
    // all other maths depend on more than the events of an interval
    const isByInterval = series.math.kind === 'count_per_actor';
    return numbersAt(buckets.starts, await rowsOf(statement, { ...time, buckets }, isByInterval, execute), 'v');
  };
  if (!time.points) return { keys: [], data: await read(time.buckets) };
  const totalOf = TOTALS[series.math.kind];
  const [points, data] = await Promise.all([read(time.points), totalOf ? null : read(time.buckets)]);
  return { keys: [], data: data ?? [totalOf?.(points) ?? 0], points };
}

type FromPoints = (points: readonly number[]) => number;
const last: FromPoints = (points) => points.at(-1) ?? 0;
const sum: FromPoints = (points) => points.reduce((all, one) => all + one, 0);

/** Totals that the points have: the last days that end with the range, and persons who count at one time alone. */
const TOTALS: Partial<Record<SeriesMath['kind'], FromPoints>> = {
  weekly_active: last,
  monthly_active: last,
  first_time_for_user: sum,
  first_matching_event_for_user: sum,
};

function numbersAt(starts: readonly number[], rows: readonly Row[], name: string): number[] {
  const byStart = new Map(rows.map((row) => [row['start'], row[name] ?? 0]));
  return starts.map((start) => byStart.get(start) ?? 0);
}

function numbersTogether(rows: readonly Row[], name: string, { buckets, points }: Time): Numbers {
  if (!points) return { keys: [], data: numbersAt(buckets.starts, rows, name) };
  const total = rows.find((row) => row['is_total'])?.[name] ?? 0;
  const others = rows.filter((row) => !row['is_total']);
  return { keys: [], data: [total], points: numbersAt(points.starts, others, name) };
}

/** The rows of a statement; `isByInterval`: each depends on the events of one interval alone. */
async function rowsOf(
  statement: IntervalStatement,
  { span, buckets }: Time,
  isByInterval: boolean,
  execute: Execute,
): Promise<Row[]> {
  const found = isByInterval ? await execute.byInterval<Row>({ statement, span, buckets }) : null;
  return found ?? execute<Row>(statement(span, buckets));
}

/** The rows of {@link togetherStatement}. Those of a sparkline have a total, which is not always the sum of its points. */
async function togetherRows(
  query: TrendsQuery,
  indexes: readonly number[],
  time: Time,
  context: KindContext,
  execute: Execute,
): Promise<Row[]> {
  const statement: IntervalStatement = (span, buckets) => togetherStatement(query, indexes, { ...time, span, buckets }, context);
  if (!time.points) return rowsOf(statement, time, true, execute);
  const { span, buckets, points } = time;
  const byPoint: IntervalStatement = (within, some) =>
    togetherStatement(query, indexes, { span: within, buckets: some, points: null }, context);
  const found = await execute.byInterval<Row>({ statement: byPoint, span, buckets: points });
  if (found === null) return execute.ofSpan<Row>(statement(span, buckets), span);
  const areSums = indexes.every((index) => query.series[index]?.math.kind === 'total');
  const totals = areSums ? [sumOf(found, indexes.length)] : await execute.ofSpan<Row>(byPoint(span, buckets), span);
  return [...found, ...totals.map((row) => ({ ...row, is_total: 1 }))];
}

/** The sums of the columns of some series. */
const sumOf = (rows: readonly Row[], series: number): Row => ({
  start: 0,
  ...Object.fromEntries(
    Array.from({ length: series }, (_, place) => [`s${place}`, sum(rows.map((row) => row[`s${place}`] ?? 0))]),
  ),
});

/**
 * Selects a row for each interval with events, with a column for each series. With a sparkline the rows are those of its points, and one
 * more has the totals of the same events.
 */
function togetherStatement(
  query: TrendsQuery,
  indexes: readonly number[],
  { span, buckets, points }: Time,
  context: KindContext,
): Fragment {
  const series = indexes.flatMap((index) => query.series[index] ?? []);
  const conditions = series.map((one) => isEvent(one, context));
  const where = [...inScope(query, span, context), some(conditions)];
  if (context.hasDenseEvents && series.every(({ math }) => math.kind === 'dau')) {
    const counts = personsStatement({ conditions, where, buckets: points ?? buckets, hasTotal: points !== null }, context);
    if (counts) return counts;
  }
  const values = series.flatMap(({ math }, place) => {
    // with a single series, its condition is in `where` already
    const only = conditions.length > 1 ? (conditions[place] ?? null) : null;
    return isEventMath(math) ? [sql`${aggregate(math, only)} as ${identifier(`s${place}`)}`] : [];
  });
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${startOfEvent(points ?? buckets)} as start`, ...(points ? [sql`grouping(start) as is_total`] : []), ...values],
    where,
    groupBy: [points ? sql`grouping sets ((start), ())` : sql`start`],
  });
}
