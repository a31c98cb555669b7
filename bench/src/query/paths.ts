import type { MeasuredKind } from '../query-kinds.js';
import { lastDays, OVERRIDES, PERSON } from './tables.js';

const PAGE = "replaceRegexpOne(ifNull(e.properties.`$current_url`::String, ''), '(.)/$', '\\\\1')";

export const PATHS: readonly MeasuredKind[] = [
  {
    name: 'paths',
    query: { kind: 'PathsQuery', dateRange: { date_from: '-30d' }, pathsFilter: { includeEventTypes: ['$pageview'] } },
    sql: `SELECT step, path[step].2 AS source, path[step + 1].2 AS target, count() AS paths, avg(path[step + 1].1 - path[step].1)
      FROM (SELECT arraySlice(arrayCompact(one -> one.2, part), 1, 5) AS path, arrayJoin(range(1, length(path))) AS step
        FROM (SELECT arrayJoin(arraySplit((one, pause) -> pause > 1800000, visits, arrayDifference(visits.1))) AS part
          FROM (SELECT ${PERSON} AS person, arraySort(groupArray((toUnixTimestamp64Milli(e.timestamp), ${PAGE}))) AS visits
            FROM events AS e ${OVERRIDES} WHERE ${lastDays(30)} AND e.event = '$pageview' GROUP BY person)))
      GROUP BY step, source, target ORDER BY paths DESC, step, source, target LIMIT 50`,
  },
];
