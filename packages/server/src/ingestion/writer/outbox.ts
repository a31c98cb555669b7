import type { Deps } from '../../deps.js';
import { createFlusher } from '../../jobs/index.js';
import { insertSideRows, type SideRows } from './insert-side-rows.js';
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
 * Gives the event store what it may have missed of persons, distinct ids and groups: everything whose outbox row is still
 * there, as it is in PostgreSQL now. Needed at start and after a failed insert.
 * @param newest the last of the rows that are looked at; all by default
 * @throws EventsUnavailable | EventsFull
 */
export async function recoverOutbox(deps: Deps, newest = Number.MAX_SAFE_INTEGER): Promise<void> {
  for (;;) {
    const entries = await oldestEntries(deps.db, PAGE, newest);
    if (entries.length === 0) return;
    await insertSideRows(deps, await currentRows(deps, entries));
    await deleteEntries(
      deps.db,
      entries.map((entry) => entry.id),
    );
    if (entries.length < PAGE) return;
  }
}

/**
 * To be called every some seconds: recovers what was there at the last call and still is. Whoever wrote it was not able to give it to
 * the event store, such as a server that was killed and does not come back.
 */
export function createOutboxSweep(deps: Deps): () => Promise<void> {
  let newest = 0;
  return async () => {
    if (newest > 0) await recoverOutbox(deps, newest);
    newest = await newestEntry(deps.db);
  };
}

async function currentRows({ db }: Deps, entries: readonly OutboxEntry[]): Promise<SideRows> {
  const rows: { [K in keyof SideRows]: SideRows[K][number][] } = { persons: [], overrides: [], groups: [] };
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

/** Forgets outbox rows once the event store has what they stand for. */
export interface OutboxSettler {
  settle(ids: readonly number[]): void;
  close(): Promise<void>;
}

/** Deletes in the background: a row that stays behind costs a needless copy at the next start, nothing else. */
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
