import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';
import type { EventQuery, PropertyQuery } from './schema.js';

const containing = (column: Expression<string>, search: string): Expression<SqlBool> =>
  sql<SqlBool>`position(lower(${search}) in lower(${column})) > 0`;

/** Lists a page of event definitions, by default in the order of their names. */
export async function listEvents(db: Db, projectId: number, { search, ordering = 'name' }: EventQuery, page: Page) {
  let found = db.selectFrom('event_definitions').where('project_id', '=', projectId);
  if (search) found = found.where((eb) => containing(eb.ref('name'), search));
  const column = ordering.endsWith('name') ? 'name' : 'last_seen_at';
  const [rows, total] = await Promise.all([
    found
      .selectAll()
      .orderBy(column, ordering.startsWith('-') ? 'desc' : 'asc')
      .orderBy('id')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  ]);
  return { rows, count: total.count };
}

/** Reads an event definition. */
export const findEvent = (db: Db, projectId: number, id: string) =>
  db.selectFrom('event_definitions').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();

/** Lists a page of property definitions. Properties of the events in `event_names` come first, then the order is that of the names. */
export async function listProperties(db: Db, projectId: number, query: PropertyQuery, page: Page) {
  const { search, type = 'event', group_type_index: group, event_names: events = [], filter_by_event_names: only } = query;
  const hasEvents = type === 'event' && events.length > 0;
  const seen: RawBuilder<boolean | null> = hasEvents ? seenOn(projectId, events) : sql`null::boolean`;
  let found = db.selectFrom('property_definitions').where('project_id', '=', projectId).where('type', '=', type);
  if (search) found = found.where((eb) => containing(eb.ref('name'), search));
  if (type === 'group' && group !== undefined) found = found.where('group_type_index', '=', group);
  if (hasEvents && only) found = found.where(seenOn(projectId, events));
  const [rows, total] = await Promise.all([
    found
      .select(['id', 'name', 'property_type', seen.as('is_seen')])
      .orderBy(seen, 'desc')
      .orderBy('name')
      .orderBy('id')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  ]);
  return { rows, count: total.count };
}

/** Lists those of the events that had a property. */
export async function eventsWith(db: Db, projectId: number, events: readonly string[], property: string): Promise<string[]> {
  const rows = await db
    .selectFrom('event_properties')
    .select('event')
    .distinct()
    .where('project_id', '=', projectId)
    .where((eb) => eb('event', '=', eb.fn.any(eb.val([...events]))))
    .where('property', '=', property)
    .execute();
  return rows.map(({ event }) => event);
}

const seenOn = (projectId: number, events: string[]) => sql<boolean>`exists (
  select 1 from event_properties as seen
  where seen.project_id = ${projectId} and seen.event = any(${events}) and seen.property = property_definitions.name)`;
