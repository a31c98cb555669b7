import { z } from 'zod';
import { isoTime } from '../http/dates.js';
import { validate } from '../http/validate.js';
import type { JsonObject } from '../kernel/json.js';
import type { EventsStore } from '../ports/events.js';
import { createKindContext, loadQueryMetadata, type QueryContext } from './context.js';
import { createExecute } from './execute.js';
import type { FilterGroup } from './filter.js';
import { filters } from './filter-schema.js';
import { instantSql, type KindContext } from './kinds/kind.js';
import { condition } from './sql/filter.js';
import { bound, type Fragment, sql } from './sql/fragment.js';
import { PERSON_ID } from './sql/property.js';
import { selectFromEvents } from './sql/source.js';
import { within } from './sql/time.js';

/** Which events a live list has; null: all of them. */
export interface RecentFilter {
  event: string | null;
  distinctId: string | null;
  personId: string | null;
  properties: FilterGroup;
}

/** An event as a live list shows it. */
export interface RecentEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  timestamp: string;
  /** When the service stored it. */
  created_at: string;
  properties: JsonObject;
  elements_chain: string;
}

/** Reads property filters of events as sent: a list or a tree. @throws ApiError invalid_input, with the path to the filter in `attr` */
export const readEventFilters = (properties: unknown): FilterGroup =>
  validate(z.object({ properties: filters() }), { properties }).properties;

/** How far behind its arrival the time of an event may be; the engine finds recent events by their time alone. Milliseconds. */
const LATE_MS = 24 * 3_600_000;

/** Counts the events that were stored after `since` (epoch milliseconds), by the second in which they were. */
export async function countRecentEvents(
  events: EventsStore,
  filter: RecentFilter,
  context: QueryContext,
  since: number,
): Promise<Map<number, number>> {
  const statement = selectFromEvents({
    projectId: context.projectId,
    select: [sql`toUnixTimestamp(e.inserted_at) as second`, sql`count() as count`],
    where: await conditions(events, filter, context, since),
    groupBy: [sql`second`],
  });
  const rows = await createExecute(events, context.projectId, context.signal)<{ second: number; count: number }>(statement);
  return new Map(rows.map(({ second, count }) => [second, count]));
}

interface Row {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  time: number;
  stored: number;
  elements_chain: string;
  properties: string;
}

/** Lists the events that were stored after `since` (epoch milliseconds), those stored last first. */
export async function listRecentEvents(
  events: EventsStore,
  filter: RecentFilter,
  context: QueryContext,
  { since, limit }: { since: number; limit: number },
): Promise<RecentEvent[]> {
  const statement = selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`toString(e.uuid) as uuid`,
      sql`toString(e.event) as event`,
      sql`e.distinct_id as distinct_id`,
      sql`toString(${PERSON_ID}) as person_id`,
      sql`toUnixTimestamp64Milli(e.timestamp) as time`,
      sql`toUnixTimestamp64Milli(e.inserted_at) as stored`,
      sql`e.elements_chain as elements_chain`,
      sql`toJSONString(e.properties) as properties`,
    ],
    where: await conditions(events, filter, context, since),
    orderBy: [sql`e.inserted_at desc`, sql`e.timestamp desc`, sql`e.uuid`],
    limit,
  });
  const rows = await createExecute(events, context.projectId, context.signal)<Row>(statement);
  return rows.map(({ time, stored, properties, ...row }) => ({
    ...row,
    timestamp: isoTime(new Date(time)),
    created_at: isoTime(new Date(stored)),
    properties: JSON.parse(properties),
  }));
}

async function conditions(
  events: EventsStore,
  { event, distinctId, personId, properties }: RecentFilter,
  context: QueryContext,
  since: number,
): Promise<Fragment[]> {
  const isFiltered = properties.values.length > 0;
  return [
    sql`e.inserted_at > ${instantSql(since)}`,
    sql`e.timestamp > ${instantSql(since - LATE_MS)}`,
    ...(event === null ? [] : [sql`e.event = ${bound('String', event)}`]),
    ...(distinctId === null ? [] : [sql`e.distinct_id = ${bound('String', distinctId)}`]),
    ...(personId === null ? [] : [sql`${PERSON_ID} = ${bound('UUID', personId)}`]),
    ...(isFiltered ? [condition(properties, await kindContext(events, properties, context))] : []),
  ];
}

const kindContext = async (events: EventsStore, properties: FilterGroup, context: QueryContext): Promise<KindContext> =>
  createKindContext(events, [properties], context, await loadQueryMetadata([properties], context));

const MINUTE_MS = 60_000;
/** How many minutes count as "now" in numbers of active people. */
export const ACTIVE_MINUTES = 30;

/** What happened in the last half hour. */
export interface RecentActivity {
  /** People with an event. */
  active_people: number;
  events: number;
  /** Events of each minute, the present one last. */
  per_minute: number[];
}

/** Counts the people and events of the last {@link ACTIVE_MINUTES}, by the time of the events. */
export async function countRecentActivity(events: EventsStore, projectId: number, now: number): Promise<RecentActivity> {
  const from = (Math.floor(now / MINUTE_MS) + 1 - ACTIVE_MINUTES) * MINUTE_MS;
  const inside = within({ from, to: from + ACTIVE_MINUTES * MINUTE_MS });
  const execute = createExecute(events, projectId);
  const [people, minutes] = await Promise.all([
    execute<{ people: number }>(selectFromEvents({ projectId, select: [sql`uniq(${PERSON_ID}) as people`], where: inside })),
    execute<{ minute: number; count: number }>(
      selectFromEvents({
        projectId,
        select: [sql`intDiv(toUnixTimestamp(e.timestamp), 60) as minute`, sql`count() as count`],
        where: inside,
        groupBy: [sql`minute`],
      }),
    ),
  ]);
  const counts = new Map(minutes.map(({ minute, count }) => [minute, count]));
  const perMinute = Array.from({ length: ACTIVE_MINUTES }, (_, index) => counts.get(from / MINUTE_MS + index) ?? 0);
  return {
    active_people: people[0]?.people ?? 0,
    events: perMinute.reduce((sum, count) => sum + count, 0),
    per_minute: perMinute,
  };
}
