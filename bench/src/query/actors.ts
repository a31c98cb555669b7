import type { MeasuredKind } from '../query-kinds.js';
import { lastDays, OVERRIDES, PERSON } from './tables.js';

export const ACTORS: readonly MeasuredKind[] = [
  {
    name: 'persons behind a point',
    query: {
      kind: 'ActorsQuery',
      source: {
        kind: 'InsightActorsQuery',
        source: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
          dateRange: { date_from: '-30d' },
        },
      },
    },
    // a scalar is computed once, wherever it stands: so only the profiles of those on the page are read
    sql: `WITH (SELECT groupArray((person, events)) FROM (SELECT ${PERSON} AS person, count() AS events FROM events AS e ${OVERRIDES}
          WHERE ${lastDays(30)} AND e.event = '$pageview' GROUP BY person ORDER BY events DESC, toString(person) LIMIT 101)) AS page
      SELECT a.one.1, p.properties, p.created_at, p.is_identified, a.one.2
      FROM (SELECT arrayJoin(page) AS one) AS a
      LEFT JOIN (SELECT person_id, toJSONString(properties) AS properties, created_at, is_identified FROM persons FINAL
        WHERE project_id = 1 AND NOT is_deleted AND person_id IN (SELECT arrayJoin(page).1)) AS p ON p.person_id = a.one.1
      ORDER BY a.one.2 DESC, toString(a.one.1)`,
  },
];
