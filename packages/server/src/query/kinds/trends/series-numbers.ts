import { BREAKDOWN_OTHER, type Breakdown } from '../../breakdown.js';
import type { Buckets, Span } from '../../buckets.js';
import type { SeriesMath } from '../../math.js';
import type { TrendsQuery } from '../../query.js';
import { bound, commaList, type Fragment, identifier, some, sql } from '../../sql/fragment.js';
import { inScope } from '../../sql/scope.js';
import { selectFromEvents } from '../../sql/source.js';
import type { Execute, KindContext } from '../kind.js';
import { aggregate, isEventMath, isUnique, mathBy } from './aggregate.js';
import { findBins } from './bins.js';
import { areAmong, type Keys, keysOf, orOther } from './keys.js';
import type { Numbers } from './line.js';
import { keyName, type NumbersPlan, numbersStatement, ofSeries, startOfEvent } from './numbers-sql.js';

interface Time {
  span: Span;
  buckets: Buckets;
}

/** The present time, and the one to compare it with. */
export interface Times {
  current: Time;
  previous: Time | null;
}

/** For each series of a query its numbers: once, or for each value of the breakdown. */
export interface Found {
  current: Numbers[][];
  previous: Numbers[][];
}

/** Computes the numbers of all series. */
export async function seriesNumbers(given: TrendsQuery, times: Times, context: KindContext, execute: Execute): Promise<Found> {
  const query = { ...given, series: given.series.map((one) => ({ ...one, math: mathBy(one.math, given) })) };
  const { breakdown } = query;
  if (breakdown) return brokenDown(query, breakdown, times, context, execute);
  const [current, previous] = await Promise.all([
    whole(query, times.current, context, execute),
    times.previous ? whole(query, times.previous, context, execute) : [],
  ]);
  return { current, previous };
}

type Row = Record<string, number>;

/** All series that look at each event for itself in one pass over the events; each of the others in a pass of its own. */
async function whole(query: TrendsQuery, time: Time, context: KindContext, execute: Execute): Promise<Numbers[][]> {
  const together = query.series.flatMap(({ math }, index) => (isEventMath(math) && !isOnce(query, math) ? [index] : []));
  const shared = together.length > 0 ? execute<Row>(togetherStatement(query, together, time, context)) : Promise.resolve([]);
  return Promise.all(
    query.series.map(async (series, index) => {
      if (together.includes(index)) return [numbersOf(await shared, together.indexOf(index), time)];
      const plan = planOf(query, series, time, { keys: [] });
      return [numbersOf(await execute<Row>(numbersStatement(plan, context)), null, time)];
    }),
  );
}

function numbersOf(rows: readonly Row[], column: number | null, { buckets }: Time): Numbers {
  const name = column === null ? 'v' : `s${column}`;
  const byStart = new Map(rows.map((row) => [row['start'], row[name] ?? 0]));
  return { keys: [], data: buckets.starts.map((start) => byStart.get(start) ?? 0) };
}

/** A row for each bucket that has any events, a column for each of the series. */
function togetherStatement(
  query: TrendsQuery,
  indexes: readonly number[],
  { span, buckets }: Time,
  context: KindContext,
): Fragment {
  const series = indexes.flatMap((index) => query.series[index] ?? []);
  const conditions = series.map((one) => ofSeries(one, context));
  const values = series.flatMap(({ math }, place) => {
    // with one series its condition is the statement's
    const only = conditions.length > 1 ? (conditions[place] ?? null) : null;
    return isEventMath(math) ? [sql`${aggregate(math, only)} as ${identifier(`s${place}`)}`] : [];
  });
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${startOfEvent(buckets)} as start`, ...values],
    where: [...inScope(query, span, context), some(conditions)],
    groupBy: [sql`start`],
  });
}

const planOf = (
  query: TrendsQuery,
  series: TrendsQuery['series'][number],
  { span, buckets }: Time,
  { keys, where = [] }: { keys: readonly Fragment[]; where?: readonly Fragment[] },
): NumbersPlan => ({
  scope: query,
  series,
  span,
  buckets,
  keys,
  areOfPerson: query.breakdown?.by.type === 'cohorts',
  where,
  isOnce: isOnce(query, series.math),
});

/** Sums of all until then hold everybody once. */
const isOnce = ({ trends }: TrendsQuery, math: SeriesMath): boolean => trends.cumulative && isUnique(math);

async function brokenDown(
  query: TrendsQuery,
  breakdown: Breakdown,
  times: Times,
  context: KindContext,
  execute: Execute,
): Promise<Found> {
  const relevant = [...inScope(query, times.current.span, context), some(query.series.map((one) => ofSeries(one, context)))];
  const keys = keysOf(breakdown, await findBins(breakdown, relevant, context, execute), context);
  const ask = (series: TrendsQuery['series'][number], chosen: Keys[] | null) =>
    oneSeries({ query, breakdown, series, keys, times, chosen }, context, execute);
  const [first, ...rest] = query.series;
  if (!first) return { current: [], previous: [] };
  // a formula needs the same values in all its series: the first one says which
  const leading = query.trends.formulas.length > 0 ? await ask(first, null) : null;
  const chosen = leading?.current.map((one) => one.keys).filter(([key]) => key !== BREAKDOWN_OTHER);
  const found = await Promise.all([leading ?? ask(first, null), ...rest.map((series) => ask(series, chosen ?? null))]);
  return { current: found.map((one) => one.current), previous: found.map((one) => one.previous) };
}

interface Ask {
  query: TrendsQuery;
  breakdown: Breakdown;
  series: TrendsQuery['series'][number];
  keys: readonly Fragment[];
  times: Times;
  /** The values to show; null: the largest. */
  chosen: Keys[] | null;
}

async function oneSeries(ask: Ask, context: KindContext, execute: Execute): Promise<{ current: Numbers[]; previous: Numbers[] }> {
  const { query, breakdown, series, keys, times } = ask;
  const isOpen = breakdown.by.type === 'properties';
  const read = async (time: Time, plan: { keys: readonly Fragment[]; where?: readonly Fragment[] }, limit: number) =>
    execute<KeysRow>(largest(planOf(query, series, time, plan), limit, context)).then((rows) =>
      rows.map((row) => keyedNumbers(row, keys.length, time)),
    );
  const among = async (time: Time, chosen: readonly Keys[], withOthers: boolean): Promise<Numbers[]> =>
    withOthers && isOpen
      ? read(time, { keys: orOther(keys, chosen) }, chosen.length + 1)
      : read(time, { keys, where: isOpen ? [areAmong(keys, chosen)] : [] }, chosen.length);

  if (ask.chosen) {
    const chosen = ask.chosen;
    const [current, previous] = await Promise.all(
      [times.current, times.previous].map((time) => (time ? among(time, chosen, !breakdown.hideOther) : [])),
    );
    return { current: current ?? [], previous: previous ?? [] };
  }
  const limit = isOpen ? breakdown.limit : breakdown.by.type === 'cohorts' ? breakdown.by.cohorts.length : 0;
  const plan = planOf(query, series, times.current, { keys });
  const isSum = isOpen && isAdditive(series.math);
  const found = isSum
    ? await execute<KeysRow>(largestAndRest(plan, limit, context)).then((rows) =>
        rows.map((row) => keyedNumbers(row, keys.length, times.current)),
      )
    : await read(times.current, { keys }, limit + 1);
  const isRest = ({ keys: [key] }: Numbers, index: number) => index >= limit || (isSum && key === BREAKDOWN_OTHER);
  const top = found.filter((one, index) => !isRest(one, index));
  const rest = found.filter(isRest);
  const chosen = top.map((one) => one.keys);
  const hasOthers = rest.length > 0 && !breakdown.hideOther;
  const [others, previous] = await Promise.all([
    hasOthers && isSum
      ? rest
      : hasOthers
        ? read(
            times.current,
            { keys: keys.map(() => bound('String', BREAKDOWN_OTHER)), where: [sql`not ${areAmong(keys, chosen)}`] },
            1,
          )
        : [],
    times.previous && top.length > 0 ? among(times.previous, chosen, !breakdown.hideOther) : [],
  ]);
  return { current: [...top, ...others], previous };
}

interface KeysRow extends Record<`k${number}`, string> {
  starts: number[];
  numbers: number[];
}

/** A row for each of the keys, those with the largest sum first, and all their numbers in it. */
function largest(plan: NumbersPlan, limit: number, context: KindContext): Fragment {
  const names = commaList(plan.keys.map((_, index) => keyName(index)));
  return sql`select ${names}, groupArray(start) as starts, groupArray(v) as numbers from (${numbersStatement(plan, context)}) group by ${names} order by sum(v) desc, ${names} limit ${bound('Int64', limit)}`;
}

/** Whether the number of several values together is the sum of theirs. */
const isAdditive = ({ kind }: SeriesMath): boolean => kind === 'total' || kind === 'sum';

/** As {@link largest}, with the sums of all behind them as one more row, in the same pass over the events. */
function largestAndRest(plan: NumbersPlan, limit: number, context: KindContext): Fragment {
  const indexes = plan.keys.map((_, index) => index);
  const names = commaList(indexes.map(keyName));
  const lists = sql`select ${names}, groupArray(start) as starts, groupArray(v) as numbers, sum(v) as score from (${numbersStatement(plan, context)}) group by ${names}`;
  const ranked = sql`select *, row_number() over (order by score desc, ${names}) <= ${bound('Int64', limit)} as shown from (${lists})`;
  const labels = indexes.map(
    (index) => sql`if(shown, ${keyName(index)}, ${bound('String', BREAKDOWN_OTHER)}) as ${labelName(index)}`,
  );
  const labelNames = commaList(indexes.map(labelName));
  const sums = sql`select ${commaList(labels)}, shown, sumMap(starts, numbers) as sums, sum(score) as total from (${ranked}) group by ${labelNames}, shown`;
  const renamed = commaList(indexes.map((index) => sql`${labelName(index)} as ${keyName(index)}`));
  return sql`select ${renamed}, sums.1 as starts, sums.2 as numbers from (${sums}) order by shown desc, total desc, ${labelNames}`;
}

const labelName = (index: number): Fragment => identifier(`l${index}`);

function keyedNumbers(row: KeysRow, keys: number, { buckets }: Time): Numbers {
  const byStart = new Map(row.starts.map((start, index) => [start, row.numbers[index] ?? 0]));
  return {
    keys: Array.from({ length: keys }, (_, index) => row[`k${index}`] ?? ''),
    data: buckets.starts.map((start) => byStart.get(start) ?? 0),
  };
}
