import type { MeasuredKind } from '../query-kinds.js';
import { dayNumber, lastDays, OVERRIDES, PERSON } from './tables.js';

/** Persons without a profile begin with their first event, which the statement must find as well. */
export const LIFECYCLE: readonly MeasuredKind[] = [
  {
    name: 'lifecycle',
    query: {
      kind: 'LifecycleQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      dateRange: { date_from: '-30d' },
    },
    sql: `SELECT day, status, count() FROM (
        SELECT person, arrayJoin(arrayConcat(
          arrayMap((day, number) -> (day, multiIf(number = 1 AND day = birth, 'new', has(days, day - 1), 'returning', 'resurrecting')), days, arrayEnumerate(days)),
          arrayMap(day -> (day + 1, 'dormant'), arrayFilter(day -> day < 31 AND NOT has(days, day + 1), days)))) AS found,
          found.1 AS day, found.2 AS status
        FROM (SELECT a.person AS person, a.days AS days,
            toInt64(dateDiff('day', toDate(now('UTC')) - 31, toDate(if(p.known = 1, p.created_at, f.first), 'UTC'))) AS birth
          FROM (SELECT ${PERSON} AS person, arraySort(groupUniqArray(${dayNumber(31)})) AS days FROM events AS e ${OVERRIDES}
            WHERE ${lastDays(31)} AND e.event = '$pageview' GROUP BY person) AS a
          LEFT JOIN (SELECT person_id, created_at, 1 AS known FROM persons FINAL WHERE project_id = 1 AND NOT is_deleted) AS p ON p.person_id = a.person
          LEFT JOIN (SELECT ${PERSON} AS person, min(e.timestamp) AS first FROM events AS e ${OVERRIDES}
            WHERE e.project_id = 1 AND e.person_mode = 'propertyless' GROUP BY person) AS f ON f.person = a.person))
      WHERE day > 0 GROUP BY day, status ORDER BY day, status`,
  },
];
