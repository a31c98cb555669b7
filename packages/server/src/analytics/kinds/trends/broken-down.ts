import { BREAKDOWN_OTHER, type Breakdown, shownValues } from '../../breakdown.js';
import type { EventsNode, TrendsQuery } from '../../query.js';
import { bound, type Fragment, sql } from '../../sql/fragment.js';
import type { Execute, KindContext } from '../kind.js';
import { binsOf } from './bins.js';
import { areAmong, type Keys, keysOf } from './keys.js';
import type { Numbers } from './line.js';
import type { NumbersPlan } from './numbers-sql.js';
import { planOf, type SeriesNumbers, type Time, type Times } from './plan.js';
import { isAdditive, type RankedRow, rankedStatement } from './ranked-sql.js';

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
  const rows = await execute<RankedRow>(rankedStatement(plans, shownValues(breakdown), context));
  const chosen = new Map<string, Keys>();
  for (const row of rows) if (row.shown) chosen.set(JSON.stringify(keysIn(row, plans)), keysIn(row, plans));
  const of = async (plan: NumbersPlan, series: number): Promise<Numbers[]> => {
    const own = rows.filter((row) => row.series === series);
    const shown = own.filter((row) => row.shown).map((row) => numbersIn(row, plan));
    const rest = own.filter((row) => !row.shown);
    if (rest.length === 0 || breakdown.hideOther) return shown;
    if (isAdditive(plan.series.math)) return [...shown, ...rest.map((row) => numbersIn(row, plan))];
    // unique counts do not add up: a person with two of these values counts once
    const others = await execute<RankedRow>(rankedStatement([othersOf(plan, [...chosen.values()])], 1, context));
    return [...shown, ...others.map((row) => numbersIn(row, plan))];
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

function numbersIn(row: RankedRow, plan: NumbersPlan): Numbers {
  const byStart = new Map(row.starts.map((start, index) => [start, row.numbers[index] ?? 0]));
  return { keys: keysIn(row, [plan]), data: plan.buckets.starts.map((start) => byStart.get(start) ?? 0) };
}
