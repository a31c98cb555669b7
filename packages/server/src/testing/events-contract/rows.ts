import { randomUUID } from 'node:crypto';
import type { EventRow, EventsStore, PersonRow } from '../../ports/events.js';
import { eventRow as plainEvent } from '../events.js';

let lastProject = 0;

/** Nobody else's project. */
export const project = () => 1000 + ++lastProject;

/** Of an insert like no other. */
export const token = () => ({ token: randomUUID() });

/** A row of `events` as the pipeline writes them, with a uuid of its own. */
export const eventRow = (overrides: Partial<EventRow> = {}): EventRow =>
  plainEvent(0, {
    uuid: randomUUID(),
    event: 'opened',
    distinct_id: 'somebody',
    person_id: '00000000-0000-4000-8000-000000000001',
    timestamp: Date.UTC(2026, 2, 4, 5, 6, 7, 89),
    inserted_at: Date.UTC(2026, 2, 4, 5, 6, 8, 0),
    ...overrides,
  });

/** A row of `persons`. */
export const personRow = (fields: Pick<PersonRow, 'project_id' | 'person_id'> & Partial<PersonRow>): PersonRow => ({
  properties: {},
  is_identified: true,
  is_deleted: false,
  created_at: 0,
  version: 1,
  ...fields,
});

/** Events of a project. */
export async function count(store: EventsStore, projectId: number): Promise<number | undefined> {
  const { rows } = await store.query<{ n: number }>({
    sql: 'SELECT count() AS n FROM events WHERE project_id = {project:UInt32}',
    params: { project: projectId },
  });
  return rows[0]?.n;
}
