import type { Db } from '../../ports/db.js';

/** More names are no help to the engine: it reads all events then. */
const MAX_NAMES = 100;

/** The names of the events that have a property; null: too many, or none that is known. */
export async function eventsOf(db: Db, projectId: number, property: string): Promise<string[] | null> {
  const rows = await db
    .selectFrom('event_properties')
    .select('event')
    .where('project_id', '=', projectId)
    .where('property', '=', property)
    .limit(MAX_NAMES + 1)
    .execute();
  return rows.length === 0 || rows.length > MAX_NAMES ? null : rows.map(({ event }) => event);
}
