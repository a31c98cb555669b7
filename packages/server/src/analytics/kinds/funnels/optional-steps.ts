import { every, type Fragment, sql, whole } from '../../sql/fragment.js';
import type { FunnelsQuery } from './funnels-query.js';

/*
 * Steps are numbered from 0. In `best`, the times of a run, a skipped step has the time 0: a step that is not optional was taken if the
 * list is long enough.
 */

export const hasOptional = ({ series }: FunnelsQuery): boolean => series.some(({ isOptional }) => isOptional);

/** The steps that a run waiting for a step may take next: that step and, while they are optional, the ones behind it. */
export function nextSteps({ series }: FunnelsQuery, waiting: number): number[] {
  const required = series.findIndex(({ isOptional }, index) => index >= waiting && !isOptional);
  const last = required < 0 ? series.length - 1 : required;
  return Array.from({ length: last - waiting + 1 }, (_, index) => waiting + index);
}

/** The last step before another that is not optional. */
export const requiredBefore = ({ series }: FunnelsQuery, step: number): number =>
  series.findLastIndex(({ isOptional }, index) => index < step && !isOptional);

/** Condition: the run took the step. */
export const took = ({ series }: FunnelsQuery, run: Fragment, step: number): Fragment => {
  const isLongEnough = sql`length(${run}) > ${whole(step)}`;
  return series[step]?.isOptional ? every([isLongEnough, sql`${run}[${whole(step + 1)}] > 0`]) : isLongEnough;
};
