import { ApiError } from '../../../kernel/errors.js';
import type { Buckets } from '../../buckets.js';
import { resolveDate } from '../../dates.js';
import type { KindContext } from '../kind.js';

/** Index of the interval that `day` names, by its entry in `days` or any time in it. @throws ApiError invalid_input */
export function findInterval(day: string, { starts, ends, days }: Buckets, { moment }: KindContext, field = 'day'): number {
  const named = days.indexOf(day);
  const instant = named >= 0 ? null : (resolveDate(day, moment)?.instant ?? null);
  const found = instant === null ? named : starts.findIndex((start, at) => start <= instant && instant < (ends[at] ?? start));
  if (found >= 0) return found;
  throw new ApiError('invalid_input', 'There is no such interval in the range of the insight.', `query__source__${field}`);
}
