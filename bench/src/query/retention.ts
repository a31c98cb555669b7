import type { MeasuredKind } from '../query-kinds.js';
import { dayNumber, lastDays, OVERRIDES, PERSON } from './tables.js';

const entity = { id: '$pageview', type: 'events' };

export const RETENTION: readonly MeasuredKind[] = [
  {
    name: 'retention by day',
    within: 600,
    query: {
      kind: 'RetentionQuery',
      retentionFilter: { period: 'Day', totalIntervals: 11, targetEntity: entity, returningEntity: entity },
    },
    sql: `SELECT start, later, count() FROM (
        SELECT arrayJoin(days) AS start, arrayJoin(arrayFilter(day -> day >= start, days)) - start AS later
        FROM (SELECT ${PERSON} AS person, groupUniqArray(${dayNumber(10)}) AS days FROM events AS e ${OVERRIDES}
          WHERE ${lastDays(10)} AND e.event = '$pageview' GROUP BY person))
      GROUP BY start, later ORDER BY start, later`,
  },
];
