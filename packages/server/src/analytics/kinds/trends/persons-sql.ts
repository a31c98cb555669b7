import type { Buckets } from '../../buckets.js';
import { bitAt, bucketIndex, EVENT_MILLIS } from '../../sql/bucket-index.js';
import { bound, byPerson, commaList, type Fragment, identifier, some, sql, whole } from '../../sql/fragment.js';
import { maskColumn } from '../../sql/person-columns.js';
import { selectByPerson } from '../../sql/source.js';
import type { KindContext } from '../kind.js';

/** Intervals of one mask, and those of all masks of a series: with more of them, sets of persons take less time. */
const MASK_BITS = 64;
const MAX_INTERVALS = 2 * MASK_BITS;

interface PersonsPlan {
  /** A condition for each series. */
  conditions: readonly Fragment[];
  /** Conditions of all series. */
  where: readonly Fragment[];
  buckets: Pick<Buckets, 'starts'>;
  /** Whether one more row has the persons of all intervals. */
  hasTotal: boolean;
}

/**
 * Selects a row for each interval: `start`, with `hasTotal` also `is_total`, and `s0`, `s1`, …, the numbers of different persons with events of
 * each series. Each person has a bit for each interval, which takes half the time of a set of persons for each interval where events are
 * dense.
 * @returns null: there are too many intervals
 */
export function personsStatement({ conditions, where, buckets, hasTotal }: PersonsPlan, context: KindContext): Fragment | null {
  const { starts } = buckets;
  if (starts.length > MAX_INTERVALS) return null;
  const index = bucketIndex(EVENT_MILLIS, buckets);
  const parts = Array.from({ length: Math.ceil(starts.length / MASK_BITS) }, (_, part) => part);
  const maskName = (series: number, part: number) => identifier(`m${series}_${part}`);
  const bitOf = (part: number) => {
    const bit = bitAt(sql`${index} % ${whole(MASK_BITS)}`, sql`toUInt64`);
    return parts.length > 1 ? sql`if(intDiv(${index}, ${whole(MASK_BITS)}) = ${whole(part)}, ${bit}, 0)` : bit;
  };
  const masks = conditions.flatMap((only, series) =>
    // with a single series, its condition is in `where` already
    parts.map((part) => maskColumn(maskName(series, part), bitOf(part), conditions.length > 1 ? only : undefined)),
  );
  const persons = byPerson(
    selectByPerson({ projectId: context.projectId, columns: masks, where, byDistinctId: true, small: true }),
  );
  const counts = conditions.map((_, series) => {
    const ofIntervals = starts.map((_, place) => {
      const mask = maskName(series, Math.floor(place / MASK_BITS));
      return sql`countIf(bitTest(${mask}, ${whole(place % MASK_BITS)}))`;
    });
    const ofAll = sql`countIf(${some(parts.map((part) => sql`${maskName(series, part)} != 0`))})`;
    return sql`[${commaList(hasTotal ? [ofAll, ...ofIntervals] : ofIntervals)}]`;
  });
  const times = bound('Array(Int64)', hasTotal ? [0, ...starts] : starts);
  const areTotals = bound('Array(Int64)', [1, ...starts.map(() => 0)]);
  const columns = [sql`start`, ...(hasTotal ? [sql`is_total`] : []), ...conditions.map((_, series) => identifier(`s${series}`))];
  const rows = commaList([times, ...(hasTotal ? [areTotals] : []), ...counts]);
  return sql`select ${commaList(columns.map((name, index) => sql`of.${whole(index + 1)} as ${name}`))}
    from (select arrayJoin(arrayZip(${rows})) as of
    from (${persons}))`;
}
