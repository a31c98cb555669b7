import { randomUUID } from 'node:crypto';
import { writeEvents } from '../../ports/event-rows/index.js';
import type { EventRow, EventsStore } from '../../ports/events.js';
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

/** JSONEachRow bytes; a text is a line as it is. */
export const lines = (...rows: (object | string)[]): Buffer =>
  Buffer.from(rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''));

/** The rows in the binary form. */
export const binary = (...rows: EventRow[]): Buffer => writeEvents(rows);

/** Events of a project. */
export async function count(store: EventsStore, projectId: number): Promise<number | undefined> {
  const { rows } = await store.query<{ n: number }>({
    sql: 'SELECT count() AS n FROM events WHERE project_id = {project:UInt32}',
    params: { project: projectId },
  });
  return rows[0]?.n;
}
