import type { MeasuredKind } from '../query-kinds.js';
import { lastDays, OVERRIDES, PERSON } from './tables.js';

export const STICKINESS: readonly MeasuredKind[] = [
  {
    name: 'stickiness',
    query: {
      kind: 'StickinessQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      dateRange: { date_from: '-30d' },
    },
    sql: `SELECT days, count() FROM (
        SELECT ${PERSON} AS person, uniqExact(toStartOfDay(e.timestamp, 'UTC')) AS days FROM events AS e ${OVERRIDES}
        WHERE ${lastDays(30)} AND e.event = '$pageview' GROUP BY person)
      GROUP BY days ORDER BY days`,
  },
];
