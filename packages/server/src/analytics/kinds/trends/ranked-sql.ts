import { BREAKDOWN_NULL, BREAKDOWN_OTHER } from '../../breakdown.js';
import type { SeriesMath } from '../../math.js';
import { bound, commaList, type Fragment, identifier, separated, some, sql } from '../../sql/fragment.js';
import type { KindContext } from '../kind.js';
import { keyName, type NumbersPlan, numbersStatement } from './numbers-sql.js';

/** The numbers of one series for one breakdown value, or for all values beyond the limit. */
export interface RankedRow extends Record<`k${number}`, string> {
  /** Index of the plan. */
  series: number;
  /** The value is within the limit. */
  shown: 0 | 1;
  starts: number[];
  numbers: number[];
}

/** Whether the result for several values is the sum of their results. */
export const isAdditive = ({ kind }: SeriesMath): boolean => kind === 'total' || kind === 'sum';

/**
 * Selects a row for each series and each of the `limit` values with the largest sums over all series, and for each series one row for all
 * other values. Ties: "none" comes last, then alphabetical order. The rows for other values have numbers only if the math is additive.
 */
export function rankedStatement(plans: readonly NumbersPlan[], limit: number, context: KindContext): Fragment {
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

const labelName = (index: number): Fragment => identifier(`l${index}`);
