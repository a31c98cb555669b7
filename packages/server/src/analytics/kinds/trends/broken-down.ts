import { BREAKDOWN_NULL, BREAKDOWN_OTHER, type Breakdown, shownValues } from '../../breakdown.js';
import type { IntervalStatement } from '../../cache/interval-parts.js';
import type { EventsNode, SeriesMath } from '../../series-schema.js';
import { bound, commaList, type Fragment, identifier, separated, some, sql } from '../../sql/fragment.js';
import { areAmong, binsOf, type Keys, keysOf } from '../breakdown.js';
import type { Execute, KindContext } from '../kind.js';
import { isEventMath } from './aggregate.js';
import type { Numbers } from './line.js';
import { keyName, type NumbersPlan, numbersStatement } from './numbers-sql.js';
import { planOf, type SeriesNumbers, type Time, type Times } from './plan.js';
import type { TrendsQuery } from './trends-schema.js';

/**
 * Computes all series for each breakdown value, the largest sums first. Values are ranked for each series and time by itself, except for
 * formulas: their series share the values with the largest sums over all series.
 */
export async function brokenDown(
  query: TrendsQuery,
  breakdown: Breakdown,
  times: Times,
  context: KindContext,
  execute: Execute,
): Promise<SeriesNumbers> {
  const spans = [times.current, times.previous].flatMap((time) => (time ? [time.span] : []));
  const keys = keysOf(breakdown, await binsOf(query, breakdown, spans, context, execute), context);
  const groups = sharedBy(query);
  const read = async (time: Time): Promise<Numbers[][]> => {
    const found = groups.map((series) =>
      rankedNumbers(
        series.map((one) => planOf(query, one, time, { keys })),
        breakdown,
        context,
        execute,
      ),
    );
    return (await Promise.all(found)).flat();
  };
  const [current, previous] = await Promise.all([read(times.current), times.previous ? read(times.previous) : []]);
  return { current, previous };
}

/** Groups of series that share their breakdown values. */
const sharedBy = ({ series, trends }: TrendsQuery): EventsNode[][] =>
  trends.formulas.length > 0 ? [series] : series.map((one) => [one]);

/** The breakdown values with their own lines for a series and time. */
export async function shownKeys(
  query: TrendsQuery,
  { series, keys, time, shown }: { series: EventsNode; keys: readonly Fragment[]; time: Time; shown: number },
  context: KindContext,
  execute: Execute,
): Promise<Keys[]> {
  const together = sharedBy(query).find((group) => group.includes(series)) ?? [];
  const plans = together.map((one) => planOf(query, one, time, { keys }));
  const rows = await execute<RankedRow>(rankedStatement(plans, shown, context));
  return rows.filter((row) => row.shown).map((row) => keysIn(row, plans));
}

/** Computes series that share their breakdown values; values beyond the limit are merged into "other". */
async function rankedNumbers(
  plans: readonly NumbersPlan[],
  breakdown: Breakdown,
  context: KindContext,
  execute: Execute,
): Promise<Numbers[][]> {
  const ranked = (some: readonly NumbersPlan[], limit: number): Promise<RankedRow[]> => {
    const statement = rankedStatement(some, limit, context);
    const [first] = some;
    const isOfSpan = some.every(({ series }) => isEventMath(series.math));
    return first && isOfSpan ? execute.ofSpan<RankedRow>(statement, first.span) : execute<RankedRow>(statement);
  };
  const shownCount = shownValues(breakdown);
  const rows = (await rankedByInterval(plans, shownCount, context, execute)) ?? (await ranked(plans, shownCount));
  const chosen = new Map<string, Keys>();
  for (const row of rows) if (row.shown) chosen.set(JSON.stringify(keysIn(row, plans)), keysIn(row, plans));
  const of = async (plan: NumbersPlan, series: number): Promise<Numbers[]> => {
    const places = new Map(plan.buckets.starts.map((start, at) => [start, at]));
    const own = rows.filter((row) => row.series === series);
    const shown = own.filter((row) => row.shown).map((row) => numbersIn(row, plan, places));
    const rest = own.filter((row) => !row.shown);
    if (rest.length === 0 || breakdown.hideOther) return shown;
    if (isAdditive(plan.series.math)) return [...shown, ...rest.map((row) => numbersIn(row, plan, places))];
    // unique counts do not add up: a person with two of these values counts once
    const others = await ranked([othersOf(plan, [...chosen.values()])], 1);
    return [...shown, ...others.map((row) => numbersIn(row, plan, places))];
  };
  return Promise.all(plans.map(of));
}

/** The plan for all events whose values are not among the chosen ones. */
const othersOf = (plan: NumbersPlan, chosen: readonly Keys[]): NumbersPlan => ({
  ...plan,
  keys: plan.keys.map((): Fragment => bound('String', BREAKDOWN_OTHER)),
  where: [...plan.where, sql`not ${areAmong(plan.keys, chosen)}`],
});

const keysIn = (row: RankedRow, [plan]: readonly NumbersPlan[]): Keys =>
  (plan?.keys ?? []).map((_, index) => row[`k${index}`] ?? '');

/** @param places of the starts in the list of all */
function numbersIn(row: RankedRow, plan: NumbersPlan, places: ReadonlyMap<number, number>): Numbers {
  const data = new Array<number>(places.size).fill(0);
  for (const [index, start] of row.starts.entries()) {
    const at = places.get(start);
    if (at !== undefined) data[at] = row.numbers[index] ?? 0;
  }
  return { keys: keysIn(row, [plan]), data };
}

/** The numbers of one series for one breakdown value, or for all values beyond the limit. */
interface RankedRow extends Record<`k${number}`, string> {
  /** Index of the plan. */
  series: number;
  /** The value is within the limit. */
  shown: 0 | 1;
  starts: number[];
  numbers: number[];
}

/** Whether the result for several values is the sum of their results. */
const isAdditive = ({ kind }: SeriesMath): boolean => kind === 'total' || kind === 'sum';

/**
 * Selects a row for each series and each of the `limit` values with the largest sums over all series, and for each series one row for all
 * other values. Ties: "none" comes last, then alphabetical order. The rows for other values have numbers only if the math is additive.
 */
function rankedStatement(plans: readonly NumbersPlan[], limit: number, context: KindContext): Fragment {
  const indexes = (plans[0]?.keys ?? []).map((_, index) => index);
  const names = commaList(indexes.map(keyName));
  const own = plans.map((plan, series) => {
    const lists = sql`${bound('Int64', series)} as series, groupArray(start) as starts, groupArray(toFloat64(v)) as numbers`;
    return sql`select ${names}, ${lists}, toFloat64(sum(v)) as score from (${numbersStatement(plan, context)}) group by ${names}`;
  });
  const parts = sql`select ${names}, groupArray((series, starts, numbers)) as parts, sum(score) as total
    from (${separated(own, ' union all ')})
    group by ${names}`;
  const isNone = some(indexes.map((index) => sql`${keyName(index)} = ${bound('String', BREAKDOWN_NULL)}`));
  const place = sql`row_number() over (order by total desc, ${isNone}, ${names})`;
  const ranked = sql`select *, ${place} <= ${bound('Int64', limit)} as shown from (${parts})`;
  const labels = indexes.map(
    (index) => sql`if(shown, ${keyName(index)}, ${bound('String', BREAKDOWN_OTHER)}) as ${labelName(index)}`,
  );
  const labelNames = commaList(indexes.map(labelName));
  const isNeeded = plans.some(({ series }) => isAdditive(series.math)) ? sql`1` : sql`shown`;
  const numbers = sql`if(${isNeeded}, part.2, []) as starts, if(${isNeeded}, part.3, []) as numbers`;
  const flat = sql`select ${commaList(labels)}, shown, total, part.1 as series, ${numbers}
    from (${ranked})
    array join parts as part`;
  const sums = sql`select ${labelNames}, shown, series, sumMap(starts, numbers) as sums, sum(total) as score
    from (${flat})
    group by ${labelNames}, shown, series`;
  const renamed = commaList(indexes.map((index) => sql`${labelName(index)} as ${keyName(index)}`));
  return sql`select ${renamed}, shown, series, sums.1 as starts, sums.2 as numbers
    from (${sums})
    order by shown desc, score desc, ${labelNames}`;
}

/** Rows of all intervals together up to which values are ranked here instead of in the engine. */
const MAX_RANKED = 20_000;

/** The number of one interval and breakdown value: `k0`, `k1` and so on are the value. */
interface ValueRow extends Record<`k${number}`, string> {
  start: number;
  v: number;
}

/** As {@link rankedStatement} for one series of event counts, from cached intervals. Null: it takes more, or there are too many values. */
async function rankedByInterval(
  [plan, ...others]: readonly NumbersPlan[],
  limit: number,
  context: KindContext,
  execute: Execute,
): Promise<RankedRow[] | null> {
  if (!plan || others.length > 0 || plan.series.math.kind !== 'total') return null;
  const { span, buckets } = plan;
  const statement: IntervalStatement = (within, some) => numbersStatement({ ...plan, span: within, buckets: some }, context);
  const rows = await execute.byInterval<ValueRow>({ statement, span, buckets, maxRows: MAX_RANKED });
  return rows && rank(rows, plan, limit);
}

/** Ranks values by their sums as {@link rankedStatement} does, and merges those beyond the limit. */
function rank(rows: readonly ValueRow[], { keys }: NumbersPlan, limit: number): RankedRow[] {
  const byKeys = new Map<string, { keys: string[]; total: number; numbers: Map<number, number> }>();
  for (const row of rows) {
    const own = keys.map((_, index) => row[`k${index}`] ?? '');
    const name = JSON.stringify(own);
    const entry = byKeys.get(name) ?? { keys: own, total: 0, numbers: new Map<number, number>() };
    entry.total += row.v;
    entry.numbers.set(row.start, row.v);
    byKeys.set(name, entry);
  }
  const isNone = (own: readonly string[]): number => Number(own.includes(BREAKDOWN_NULL));
  const ranked = [...byKeys.values()].sort(
    (a, b) => b.total - a.total || isNone(a.keys) - isNone(b.keys) || compareLists(a.keys, b.keys),
  );
  const shown = ranked.slice(0, limit).map(({ keys: own, numbers }) => rankedRow(own, 1, numbers));
  const rest = ranked.slice(limit);
  if (rest.length === 0) return shown;
  const sums = new Map<number, number>();
  for (const { numbers } of rest) for (const [start, v] of numbers) sums.set(start, (sums.get(start) ?? 0) + v);
  return [
    ...shown,
    rankedRow(
      keys.map(() => BREAKDOWN_OTHER),
      0,
      sums,
    ),
  ];
}

const rankedRow = (keys: readonly string[], shown: 0 | 1, numbers: ReadonlyMap<number, number>): RankedRow => ({
  ...Object.fromEntries(keys.map((key, index) => [`k${index}`, key])),
  series: 0,
  shown,
  starts: [...numbers.keys()],
  numbers: [...numbers.values()],
});

/** Compares lists of texts of one length by their bytes, as the engine does. */
function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, text] of a.entries()) {
    const order = Buffer.compare(Buffer.from(text), Buffer.from(b[index] ?? ''));
    if (order !== 0) return order;
  }
  return 0;
}

const labelName = (index: number): Fragment => identifier(`l${index}`);
