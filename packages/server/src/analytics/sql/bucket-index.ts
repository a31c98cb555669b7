import type { Buckets } from '../buckets.js';
import { bound, type Fragment, sql } from './fragment.js';

/** Index of the bucket (from 0) that contains an instant in milliseconds. The instant must lie in one of the buckets. */
export function bucketIndex(millis: Fragment, { starts }: Pick<Buckets, 'starts'>): Fragment {
  if (starts.length === 1) return sql`toInt64(0)`;
  const step = stepOf(starts);
  if (step !== null) {
    const steps = sql`intDiv(${millis} - ${bound('Int64', starts[0])}, ${bound('Int64', step)})`;
    // the last bucket may be longer: a day on which clocks are set back
    return sql`least(${steps}, ${bound('Int64', starts.length - 1)})`;
  }
  const known = bound('Array(Int64)', starts);
  return sql`transform(roundDown(${millis}, ${known}), ${known}, ${bound('Array(Int64)', [...starts.keys()])})`;
}

/** The common length of all buckets but the last; null if lengths differ. A division costs a tenth of a binary search. */
function stepOf([first = 0, second, ...rest]: readonly number[]): number | null {
  const step = (second ?? first) - first;
  if (second === undefined || step === 0) return null;
  return rest.every((start, index) => start === second + (index + 1) * step) ? step : null;
}

/** Timestamp of an event in epoch milliseconds. */
export const EVENT_MILLIS: Fragment = sql`toUnixTimestamp64Milli(e.timestamp)`;

/** Conversion to the smallest unsigned integer with `places` bits; null: no integer has that many. */
export function maskType(places: number): Fragment | null {
  if (places <= 64) return sql`toUInt64`;
  return places <= 256 ? sql`toUInt256` : null;
}

/** A bit mask with one bit set; places start at 0. */
export const bitAt = (place: Fragment, type: Fragment): Fragment => sql`bitShiftLeft(${type}(1), ${place})`;

/** The places of all set bits, ascending. */
export const placesIn = (mask: Fragment): Fragment => sql`arrayMap(place -> toInt64(place), bitPositionsToArray(${mask}))`;
