import { ACTORS } from './query/actors.js';
import { FUNNELS } from './query/funnels.js';
import { LIFECYCLE } from './query/lifecycle.js';
import { PATHS } from './query/paths.js';
import { RETENTION } from './query/retention.js';
import { STICKINESS } from './query/stickiness.js';
import { OVERRIDES, PERSON } from './query/tables.js';

/** A query and the SQL that an expert would write by hand for the same result. */
export interface MeasuredKind {
  name: string;
  query: Record<string, unknown>;
  sql: string;
  /** Target on 10M events, milliseconds. */
  within?: number;
}

const DAYS = `e.project_id = 1 AND e.timestamp >= toStartOfDay(now('UTC')) - INTERVAL 30 DAY
    AND e.timestamp < toStartOfDay(now('UTC')) + INTERVAL 1 DAY`;
const DAY = "toStartOfDay(e.timestamp, 'UTC')";
const dateRange = { date_from: '-30d' };
const visits = (more: object = {}) => ({ kind: 'EventsNode', event: '$pageview', ...more });

export const KINDS: readonly MeasuredKind[] = [
  {
    name: 'trend, events a day',
    query: { kind: 'TrendsQuery', series: [visits()], dateRange },
    sql: `SELECT ${DAY} AS day, count() FROM events AS e WHERE ${DAYS} AND e.event = '$pageview' GROUP BY day ORDER BY day`,
  },
  {
    name: 'trend, persons a day',
    query: { kind: 'TrendsQuery', series: [visits({ math: 'dau' })], dateRange },
    sql: `SELECT ${DAY} AS day, uniqExact(${PERSON}) FROM events AS e ${OVERRIDES}
      WHERE ${DAYS} AND e.event = '$pageview' GROUP BY day ORDER BY day`,
  },
  {
    name: 'trend, events by browser',
    within: 600,
    query: { kind: 'TrendsQuery', series: [visits()], dateRange, breakdownFilter: { breakdown: '$browser' } },
    sql: `SELECT e.properties.\`$browser\`::String AS browser, ${DAY} AS day, count() FROM events AS e
      WHERE ${DAYS} AND e.event = '$pageview' GROUP BY browser, day ORDER BY browser, day`,
  },
  {
    name: 'trend, events by page, the rest as other',
    query: { kind: 'TrendsQuery', series: [visits()], dateRange, breakdownFilter: { breakdown: '$current_url' } },
    sql: `WITH counts AS (SELECT e.properties.\`$current_url\`::String AS page, ${DAY} AS day, count() AS n FROM events AS e
        WHERE ${DAYS} AND e.event = '$pageview' GROUP BY page, day),
      ranks AS (SELECT page, day, n, dense_rank() OVER (ORDER BY total DESC, page) AS place
        FROM (SELECT page, day, n, sum(n) OVER (PARTITION BY page) AS total FROM counts))
      SELECT if(place <= 25, page, 'other') AS label, day, sum(n) FROM ranks GROUP BY label, day ORDER BY label, day`,
  },
  {
    name: 'trend, sum of a number',
    query: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'bought', math: 'sum', math_property: 'amount' }],
      dateRange,
    },
    sql: `SELECT ${DAY} AS day, sum(toFloat64OrNull(toString(e.properties.amount))) FROM events AS e
      WHERE ${DAYS} AND e.event = 'bought' GROUP BY day ORDER BY day`,
  },
  {
    name: 'trend, persons in the week until each day',
    query: { kind: 'TrendsQuery', series: [visits({ math: 'weekly_active' })], dateRange },
    sql: `SELECT active, uniqExact(person) FROM (SELECT DISTINCT ${DAY} AS day, ${PERSON} AS person FROM events AS e ${OVERRIDES}
        WHERE e.project_id = 1 AND e.timestamp >= toStartOfDay(now('UTC')) - INTERVAL 36 DAY
          AND e.timestamp < toStartOfDay(now('UTC')) + INTERVAL 1 DAY AND e.event = '$pageview')
      ARRAY JOIN arrayMap(later -> day + toIntervalDay(later), range(7)) AS active
      WHERE active >= toStartOfDay(now('UTC')) - INTERVAL 30 DAY AND active < toStartOfDay(now('UTC')) + INTERVAL 1 DAY
      GROUP BY active ORDER BY active`,
  },
  {
    name: 'list of events',
    query: { kind: 'EventsQuery', select: ['event', 'timestamp', 'properties.$current_url'], after: '-7d' },
    sql: `SELECT toString(e.event), e.timestamp, toJSONString(e.properties.\`$current_url\`) FROM events AS e
      WHERE e.project_id = 1 AND e.timestamp > now('UTC') - INTERVAL 7 DAY ORDER BY e.timestamp DESC, e.uuid LIMIT 101`,
  },
  {
    name: 'list of events and their persons',
    within: 150,
    query: { kind: 'EventsQuery', select: ['*', 'person'], after: 'all' },
    sql: `SELECT toString(e.uuid), toString(e.event), toJSONString(e.properties), e.timestamp, e.distinct_id, e.elements_chain,
        toString(${PERSON}), p.properties, p.created_at
      FROM events AS e ${OVERRIDES}
      LEFT JOIN (SELECT person_id, toJSONString(properties) AS properties, created_at FROM persons FINAL
        WHERE project_id = 1 AND NOT is_deleted) AS p ON p.person_id = ${PERSON}
      WHERE e.project_id = 1 ORDER BY e.timestamp DESC, e.uuid LIMIT 101`,
  },
  ...FUNNELS,
  ...RETENTION,
  ...STICKINESS,
  ...LIFECYCLE,
  ...PATHS,
  ...ACTORS,
];
