import type { Buckets } from '../buckets.js';
import { bound, type Fragment, sql } from './fragment.js';

/** Which bucket (from 0) an instant in milliseconds is in, for one that is in any of them. */
export function bucketIndex(millis: Fragment, { starts }: Pick<Buckets, 'starts'>): Fragment {
  const step = stepOf(starts);
  if (step !== null) {
    const steps = sql`intDiv(${millis} - ${bound('Int64', starts[0])}, ${bound('Int64', step)})`;
    // the last one may be longer: a day on which the clocks go back
    return sql`least(${steps}, ${bound('Int64', starts.length - 1)})`;
  }
  const known = bound('Array(Int64)', starts);
  return sql`transform(roundDown(${millis}, ${known}), ${known}, ${bound('Array(Int64)', [...starts.keys()])})`;
}

/** The length of buckets that are all equally long, but for the last: a division is a tenth of a search. */
function stepOf([first = 0, second, ...rest]: readonly number[]): number | null {
  const step = (second ?? first) - first;
  if (second === undefined || step === 0) return null;
  return rest.every((start, index) => start === second + (index + 1) * step) ? step : null;
}

/** When an event was, in milliseconds. */
export const EVENT_MILLIS: Fragment = sql`toUnixTimestamp64Milli(e.timestamp)`;

/** An unsigned number with a bit for each of so many places; null where there are too many. */
export function maskType(places: number): Fragment | null {
  if (places <= 64) return sql`toUInt64`;
  return places <= 256 ? sql`toUInt256` : null;
}

/** Such a number with the one bit at a place, of places from 0. */
export const bitAt = (place: Fragment, type: Fragment): Fragment => sql`bitShiftLeft(${type}(1), ${place})`;

/** The places of the bits of such a number, ascending. */
export const placesIn = (mask: Fragment): Fragment => sql`arrayMap(place -> toInt64(place), bitPositionsToArray(${mask}))`;
