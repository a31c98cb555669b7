import type { Deps } from '../../deps.js';
import { sleep } from '../../kernel/scheduler.js';
import { EventsUnavailable, type EventToInsert } from '../../ports/events.js';
import type { IngestMetrics } from '../metrics.js';
import type { EncodedEvent } from '../rows.js';
import { findStored, storedKey } from './stored-store.js';

/** A row on its way into `events`. */
export interface EventLine {
  row: EncodedEvent;
  state: 'waiting' | 'stored' | 'unstorable';
}

/** Rows of one insert, and bytes of their properties: larger ones would only delay the event loop. */
const MAX_ROWS = 4_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** How long an engine that went away is waited for. */
const PATIENCE_MS = 10_000;
const ASK_EVERY_MS = 200;

/**
 * Stores the lines and writes into each what became of it. A line that the table cannot take holds up none of the others.
 * @throws EventsUnavailable | EventsFull lines that are still `waiting` may (unavailable) or may not (full) be stored
 */
export async function insertEvents(deps: Deps, metrics: IngestMetrics, lines: readonly EventLine[]): Promise<void> {
  for (const chunk of chunks(lines)) {
    const done = metrics.insertSeconds.startTimer({ table: 'events' });
    const refused = new Set(
      await insertOnce(
        deps,
        chunk.map(({ row }) => row),
      ),
    );
    done();
    metrics.insertRows.observe({ table: 'events' }, chunk.length);
    for (const line of chunk) {
      line.state = refused.has(line.row) ? 'unstorable' : 'stored';
      if (line.state === 'stored') continue;
      deps.log.warn({ projectId: line.row.project_id, uuid: line.row.uuid }, 'the event store refuses this event in any form');
    }
  }
}

function* chunks(lines: readonly EventLine[]): Generator<EventLine[]> {
  let chunk: EventLine[] = [];
  let length = 0;
  for (const line of lines) {
    if (chunk.length > 0 && (chunk.length >= MAX_ROWS || length + line.row.properties.length > MAX_BYTES)) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(line);
    length += line.row.properties.length;
  }
  if (chunk.length > 0) yield chunk;
}

/** Inserts rows once, also after an insert with an unknown end. Returns the rows that the table refuses. */
async function insertOnce(deps: Deps, rows: readonly EncodedEvent[]): Promise<EventToInsert[]> {
  const token = deps.ids.uuid();
  try {
    return await deps.events.insert('events', rows, { token });
  } catch (error) {
    if (!(error instanceof EventsUnavailable)) throw error;
    await untilBack(deps, error);
    // A lookup beside the token: an engine that crashed may remember a token whose rows it lost. The token is the same, because on a
    // server the first insert may still be running.
    const stored = await findStored(deps.events, rows.map(keyOf));
    const missing = rows.filter((row) => !stored.has(storedKey(row.project_id, row.uuid)));
    return await deps.events.insert('events', missing, { token });
  }
}

async function untilBack({ events, scheduler }: Deps, error: EventsUnavailable): Promise<void> {
  const deadline = scheduler.uptime() + PATIENCE_MS;
  for (;;) {
    await sleep(scheduler, ASK_EVERY_MS);
    try {
      await events.ping();
      return;
    } catch {
      if (scheduler.uptime() >= deadline || !events.acceptsInserts()) throw error;
    }
  }
}

function keyOf(row: EncodedEvent) {
  return {
    projectId: row.project_id,
    uuid: row.uuid,
    event: row.event,
    distinctId: row.distinct_id,
    timestamp: row.timestamp,
  };
}
