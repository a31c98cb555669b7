import type { MeasuredKind } from '../query-kinds.js';
import { lastDays, OVERRIDES, PERSON } from './tables.js';

const STEPS = ['$pageview', 'signed_up', 'bought'];
const WINDOW = 14 * 86_400_000;
const TIME = 'toUnixTimestamp64Milli(e.timestamp)';
const times = (step: number) => `arraySort(groupArrayIf(${TIME}, e.event = '${STEPS[step]}'))`;

/**
 * Levels by the engine's own function. The times are those of the first to get there, from the last beginning that does: only who
 * took two steps has any, and they are looked for step by step.
 */
export const FUNNELS: readonly MeasuredKind[] = [
  {
    name: 'funnel of three steps',
    within: 600,
    query: {
      kind: 'FunnelsQuery',
      series: STEPS.map((event) => ({ kind: 'EventsNode', event })),
      dateRange: { date_from: '-30d' },
    },
    sql: `SELECT countIf(level >= 1), countIf(level >= 2), countIf(level >= 3),
        avgIf(second - first, level >= 2) / 1000, avgIf(third - second, level >= 3) / 1000,
        quantileExactInclusiveIf(0.5)(second - first, level >= 2) / 1000, quantileExactInclusiveIf(0.5)(third - second, level >= 3) / 1000
      FROM (SELECT level,
          if(level < 2, [], a) AS begins, if(level < 2, [], b) AS goes, if(level < 3, [], c) AS ends,
          arrayFirst(at -> at - arrayLast(begin -> begin <= arrayLast(go -> go <= at, goes), begins) <= ${WINDOW}
            AND arrayExists(go -> go <= at AND arrayExists(begin -> begin <= go, begins), goes), ends) AS third,
          if(level >= 3, third, arrayFirst(at -> at - arrayLast(begin -> begin <= at, begins) <= ${WINDOW}
            AND arrayExists(begin -> begin <= at, begins), goes)) AS until,
          arrayLast(begin -> begin <= arrayLast(go -> go <= until, goes), begins) AS first,
          arrayFirst(go -> go >= first, goes) AS second
        FROM (SELECT ${PERSON} AS person,
            windowFunnel(${WINDOW})(toUInt64(${TIME}), ${STEPS.map((step) => `e.event = '${step}'`).join(', ')}) AS level,
            ${STEPS.map((_, index) => `${times(index)} AS ${'abc'[index]}`).join(', ')}
          FROM events AS e ${OVERRIDES}
          WHERE ${lastDays(30)} AND e.event IN (${STEPS.map((step) => `'${step}'`).join(', ')}) GROUP BY person))`,
  },
];
