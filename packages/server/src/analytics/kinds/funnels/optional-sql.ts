import { every, type Fragment, sql, whole } from '../../sql/fragment.js';
import type { FunnelsQuery } from './funnels-query.js';

/*
 * Runs of funnels in which steps may be skipped. `best` then has a place for each step up to the last one that was taken, and 0 for
 * those that were not: whoever took a step that is not optional is known by its length alone.
 */

export const hasOptional = ({ series }: FunnelsQuery): boolean => series.some(({ isOptional }) => isOptional);

/** The steps (numbered from 0) that a run which waits for a step may take next: it, and after optional ones those behind them. */
export function nextSteps({ series }: FunnelsQuery, waiting: number): number[] {
  const required = series.findIndex(({ isOptional }, index) => index >= waiting && !isOptional);
  const last = required < 0 ? series.length - 1 : required;
  return Array.from({ length: last - waiting + 1 }, (_, index) => waiting + index);
}

/** The step before another (both numbered from 0) that everybody took who took that one. */
export const requiredBefore = ({ series }: FunnelsQuery, step: number): number =>
  series.findLastIndex(({ isOptional }, index) => index < step && !isOptional);

/** That a run took a step, numbered from 0. */
export const took = ({ series }: FunnelsQuery, run: Fragment, step: number): Fragment => {
  const came = sql`length(${run}) > ${whole(step)}`;
  return series[step]?.isOptional ? every([came, sql`${run}[${whole(step + 1)}] > 0`]) : came;
};

/** A step that was taken, as one number: when, and in the last bits its number from 1. */
const STEP_BITS = 5;
export const taken = (time: Fragment, step: number): Fragment =>
  sql`bitShiftLeft(${time}, ${whole(STEP_BITS)}) + ${whole(step + 1)}`;
export const timeOf = (one: Fragment): Fragment => sql`bitShiftRight(${one}, ${whole(STEP_BITS)})`;
/** Of a list of them how far it comes: the number of its last step from 1; 0 when it is empty. */
export const reachOf = (list: Fragment): Fragment => sql`bitAnd(${list}[-1], ${whole(2 ** STEP_BITS - 1)})`;

/** Of a list of them when it takes a step, numbered from 0; 0 where it does not. */
export const timeOfStep = (list: Fragment, step: number): Fragment =>
  timeOf(sql`arrayFirst(one -> bitAnd(one, ${whole(2 ** STEP_BITS - 1)}) = ${whole(step + 1)}, ${list})`);

/** A list of them as `best`: with a place for every step. */
export const withPlaces = (list: Fragment): Fragment =>
  sql`arrayMap(step -> ${timeOf(sql`arrayFirst(one -> bitAnd(one, ${whole(2 ** STEP_BITS - 1)}) = step, ${list})`)}, range(1, toUInt64(${reachOf(list)}) + 1))`;
