import type { MeasuredKind } from '../query-kinds.js';
import { lastDays, OVERRIDES, PERSON } from './tables.js';

const STEPS = ['$pageview', 'signed_up', 'bought'];
const NAMES = STEPS.map((step) => `'${step}'`).join(', ');
const WINDOW = 14 * 86_400_000;
const NEVER = 'toInt64(4611686018427387904)';
const FROM_HERE = 'OVER (PARTITION BY person ORDER BY at DESC, step DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)';

/**
 * For each event the next purchase, then the next sign-up with the purchase after it. Of each person's attempts the longest counts, of these the
 * first to finish, and of these the last to begin. Nested arrays of step times are faster for most
 * people, but exceed the memory limit for people with thousands of events.
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
    sql: `SELECT count(), countIf(run.1 >= 2), countIf(run.1 >= 3),
        avgIf(run.3 - run.2, run.1 >= 2) / 1000, avgIf(run.4 - run.3, run.1 >= 3) / 1000,
        quantileExactInclusiveIf(0.5)(run.3 - run.2, run.1 >= 2) / 1000, quantileExactInclusiveIf(0.5)(run.4 - run.3, run.1 >= 3) / 1000
      FROM (SELECT person, argMax((level, at, second, third), (level, -multiIf(level = 3, third, level = 2, second, at), at)) AS run
        FROM (SELECT person, at, next.1 AS second, next.2 AS third,
            multiIf(third - at <= ${WINDOW}, 3, second - at <= ${WINDOW}, 2, 1) AS level
          FROM (SELECT person, at, step, min(if(step = 2, (at, bought), (${NEVER}, ${NEVER}))) ${FROM_HERE} AS next
            FROM (SELECT person, at, step, min(if(step = 3, at, ${NEVER})) ${FROM_HERE} AS bought
              FROM (SELECT ${PERSON} AS person, toUnixTimestamp64Milli(e.timestamp) AS at,
                  transform(e.event, [${NAMES}], [1, 2, 3], 0) AS step
                FROM events AS e ${OVERRIDES} WHERE ${lastDays(30)} AND e.event IN (${NAMES}))))
          WHERE step = 1)
        GROUP BY person)`,
  },
];
