import type { Deps } from '../../deps.js';
import { createFlusher } from '../../jobs/index.js';
import { EventsFull, EventsUnavailable } from '../../ports/events.js';
import { type DimensionRows, insertDimensionRows } from './insert-dimension-rows.js';
import {
  deleteEntries,
  groupRows,
  type Keys,
  newestEntry,
  type OutboxEntry,
  oldestEntries,
  overrideRows,
  personRows,
} from './outbox-store.js';

const PAGE = 500;
const SETTLE_MS = 100;

/**
 * Copies persons, distinct ids and groups with an outbox entry to the event store, in their present state of PostgreSQL. Runs at start and
 * after a failed insert.
 * @param newest id of the last entry to copy; all entries by default
 * @throws EventsUnavailable | EventsFull
 */
export async function recoverOutbox(deps: Deps, newest = Number.MAX_SAFE_INTEGER): Promise<void> {
  for (;;) {
    const entries = await oldestEntries(deps.db, PAGE, newest);
    if (entries.length === 0) return;
    await insertDimensionRows(deps, await currentRows(deps, entries));
    await deleteEntries(
      deps.db,
      entries.map((entry) => entry.id),
    );
    if (entries.length < PAGE) return;
  }
}

/**
 * A function to call every few seconds. It copies the entries that existed at its previous call: their server failed to copy them, or was
 * killed and does not come back.
 */
export function createOutboxSweep(deps: Deps): () => Promise<void> {
  let newest = 0;
  return async () => {
    if (newest > 0) await recoverOutbox(deps, newest);
    newest = await newestEntry(deps.db);
  };
}

/** Copies what a transaction changed to the event store at once. If that fails, the outbox entries stay and the sweep copies it later. */
export async function copyToEventStore(deps: Deps, rows: DimensionRows, outboxIds: readonly number[]): Promise<void> {
  try {
    await insertDimensionRows(deps, rows);
    await deleteEntries(deps.db, outboxIds);
  } catch (error) {
    if (!(error instanceof EventsUnavailable || error instanceof EventsFull)) throw error;
  }
}

async function currentRows({ db }: Deps, entries: readonly OutboxEntry[]): Promise<DimensionRows> {
  const rows: { [K in keyof DimensionRows]: DimensionRows[K][number][] } = { persons: [], overrides: [], groups: [] };
  for (const projectId of new Set(entries.map((entry) => entry.project_id))) {
    const own = entries.filter((entry) => entry.project_id === projectId);
    rows.persons.push(...(await personRows(db, projectId, keysOf(own, 'person'))));
    rows.overrides.push(...(await overrideRows(db, projectId, keysOf(own, 'distinct_id'))));
    rows.groups.push(...(await groupRows(db, projectId, keysOf(own, 'group'))));
  }
  return rows;
}

function keysOf(entries: readonly OutboxEntry[], kind: string): Keys {
  const keys = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === kind) keys.set(entry.key, Math.max(entry.version, keys.get(entry.key) ?? 0));
  }
  return keys;
}

/** Deletes outbox entries after the event store has confirmed their rows. */
export interface OutboxSettler {
  settle(ids: readonly number[]): void;
  close(): Promise<void>;
}

/** Deletes in the background: an entry that survives costs one needless copy at the next start, nothing else. */
export function createOutboxSettler(deps: Deps): OutboxSettler {
  let waiting: number[] = [];
  const background = createFlusher(deps, {
    name: 'outbox',
    delayMs: SETTLE_MS,
    flush: async () => {
      const ids = waiting;
      waiting = [];
      try {
        for (let at = 0; at < ids.length; at += 10_000) await deleteEntries(deps.db, ids.slice(at, at + 10_000));
      } catch (error) {
        waiting.push(...ids);
        throw error;
      }
    },
  });
  return {
    settle(ids) {
      if (ids.length === 0) return;
      for (const id of ids) waiting.push(id);
      background.wake();
    },
    close: () => background.close(),
  };
}
