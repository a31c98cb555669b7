/** The person id of an event after merges, and the join for it. */
export const PERSON = 'if(o.hash != 0, o.person_id, e.person_id)';
export const OVERRIDES = `LEFT JOIN (SELECT cityHash64(distinct_id) AS hash, argMax(person_id, version) AS person_id FROM person_overrides
    WHERE project_id = 1 GROUP BY hash) AS o ON o.hash = e.distinct_hash`;

/** The events of the last days, today included. */
export const lastDays = (days: number): string => `e.project_id = 1
    AND e.timestamp >= toStartOfDay(now('UTC')) - INTERVAL ${days} DAY AND e.timestamp < toStartOfDay(now('UTC')) + INTERVAL 1 DAY`;

/** The number of the day of an event, the first of the last days being 0. */
export const dayNumber = (days: number): string =>
  `toInt64(dateDiff('day', toDate(now('UTC')) - ${days}, toDate(e.timestamp, 'UTC')))`;
