import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { selectPage } from '../../http/select-page.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import type { EventQuery, ListFilters, PropertyQuery } from './schema.js';
import type { EventDefinition, PropertyDefinition } from './view.js';

/** Lists a page of event definitions, by default in the order of their names. `volumes`: events by name; null: not known. */
export function listEvents(
  db: Db,
  projectId: number,
  { ordering = 'name', ...filters }: EventQuery,
  volumes: ReadonlyMap<string, number> | null,
  page: Page,
) {
  const [names, counts] = [[...(volumes?.keys() ?? [])], [...(volumes?.values() ?? [])]];
  return selectPage<EventDefinition>(
    db,
    {
      columns: volumes ? sql`d.*, coalesce(v.volume, 0) as volume` : sql`d.*, null::int8 as volume`,
      from: sql`event_definitions d left join unnest(${names}::text[], ${counts}::int8[]) as v (name, volume) on v.name = d.name`,
      where: conditions(projectId, filters),
      orderBy: sql`${ORDERS[ordering]}, d.name, d.id`,
    },
    page,
  );
}

const ORDERS: Record<NonNullable<EventQuery['ordering']>, RawBuilder<unknown>> = {
  name: sql`d.name`,
  '-name': sql`d.name desc`,
  last_seen_at: sql`d.last_seen_at`,
  '-last_seen_at': sql`d.last_seen_at desc`,
  volume_30_day: sql`coalesce(v.volume, 0)`,
  '-volume_30_day': sql`coalesce(v.volume, 0) desc`,
};

/** Lists a page of property definitions. Properties of the events in `event_names` come first, then the order is that of the names. */
export function listProperties(db: Db, projectId: number, query: PropertyQuery, page: Page) {
  const { type = 'event', group_type_index: group, event_names: events = [], filter_by_event_names: only } = query;
  const hasEvents = type === 'event' && events.length > 0;
  const seen: RawBuilder<unknown> = hasEvents ? seenOn(projectId, events) : sql`null::boolean`;
  return selectPage<PropertyDefinition>(
    db,
    {
      columns: sql`d.*, ${seen} as is_seen`,
      from: sql`property_definitions d`,
      where: [
        ...conditions(projectId, query),
        sql`d.type = ${type}`,
        ...(type === 'group' && group !== undefined ? [sql`d.group_type_index = ${group}`] : []),
        ...(hasEvents && only ? [seen] : []),
      ],
      orderBy: sql`is_seen desc, d.name, d.id`,
    },
    page,
  );
}

/** The conditions that the filters of a list put on a definition `d`. */
function conditions(projectId: number, filters: ListFilters): RawBuilder<unknown>[] {
  const { search, tags, verified, hidden, exclude_hidden: excludeHidden = true } = filters;
  const isHidden = hidden ?? (excludeHidden ? false : undefined);
  return [
    sql`d.project_id = ${projectId}`,
    ...(search ? [sql`position(lower(${search}) in lower(d.name)) > 0`] : []),
    ...(tags ? [sql`d.tags && ${tags}::text[]`] : []),
    ...(verified === undefined ? [] : [sql`d.verified = ${verified}`]),
    ...(isHidden === undefined ? [] : [sql`d.hidden = ${isHidden}`]),
  ];
}

/** Reads an event definition, without its volume. */
export async function findEvent(db: Db, projectId: number, id: string): Promise<EventDefinition | undefined> {
  const row = await db
    .selectFrom('event_definitions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, volume: null };
}

/** Reads a property definition. */
export async function findProperty(db: Db, projectId: number, id: string): Promise<PropertyDefinition | undefined> {
  const row = await db
    .selectFrom('property_definitions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, is_seen: null };
}

/** The fields of a definition that people change. */
export interface DescriptionFields {
  description: string;
  tags: string[];
  verified: boolean;
  verified_at: Date | null;
  verified_by: number | null;
  hidden: boolean;
  updated_at: Date;
  updated_by: number;
}

/** Locks a definition against other changes until the transaction ends. */
export async function lockDefinition(tx: DbTransaction, table: DefinitionTable, projectId: number, id: string): Promise<void> {
  await sql`select from ${sql.table(table)} where project_id = ${projectId} and id = ${id} for no key update`.execute(tx);
}

export async function updateDefinition(
  db: Db,
  table: DefinitionTable,
  projectId: number,
  id: string,
  fields: DescriptionFields,
): Promise<void> {
  await db.updateTable(table).set(fields).where('project_id', '=', projectId).where('id', '=', id).execute();
}

export type DefinitionTable = 'event_definitions' | 'property_definitions';

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

const seenOn = (projectId: number, events: string[]) => sql`exists (
  select 1 from event_properties as seen
  where seen.project_id = ${projectId} and seen.event = any(${events}) and seen.property = d.name)`;
