import type { Deps } from '../../deps.js';
import { type Background, createBackground } from '../background.js';
import { insertSideRows, type SideRows } from './insert-side-rows.js';
import { deleteEntries, groupRows, type OutboxEntry, oldestEntries, overrideRows, personRows } from './outbox-store.js';

const PAGE = 500;
const SETTLE_MS = 100;

/**
 * Gives the event store what it may have missed of persons, distinct ids and groups: everything whose outbox row is still
 * there, as it is in PostgreSQL now. Needed at start and after a failed insert.
 * @throws EventsUnavailable | EventsFull
 */
export async function recoverOutbox(deps: Deps): Promise<void> {
  for (;;) {
    const entries = await oldestEntries(deps.db, PAGE);
    if (entries.length === 0) return;
    await insertSideRows(deps, await currentRows(deps, entries));
    await deleteEntries(
      deps.db,
      entries.map((entry) => entry.id),
    );
    if (entries.length < PAGE) return;
  }
}

async function currentRows({ db }: Deps, entries: readonly OutboxEntry[]): Promise<SideRows> {
  const rows: { [K in keyof SideRows]: SideRows[K][number][] } = { persons: [], overrides: [], groups: [] };
  for (const projectId of new Set(entries.map((entry) => entry.project_id))) {
    const keys = (kind: string) => [
      ...new Set(entries.filter((e) => e.project_id === projectId && e.kind === kind).map((e) => e.key)),
    ];
    rows.persons.push(...(await personRows(db, projectId, keys('person'))));
    rows.overrides.push(...(await overrideRows(db, projectId, keys('distinct_id'))));
    rows.groups.push(...(await groupRows(db, projectId, keys('group'))));
  }
  return rows;
}

/** Forgets outbox rows once the event store has what they stand for. */
export interface OutboxSettler {
  settle(ids: readonly number[]): void;
  close(): Promise<void>;
}

/** Deletes in the background: a row that stays behind costs a needless copy at the next start, nothing else. */
export function createOutboxSettler(deps: Deps): OutboxSettler {
  let waiting: number[] = [];
  const background: Background = createBackground(
    'outbox',
    SETTLE_MS,
    async () => {
      const ids = waiting;
      waiting = [];
      try {
        for (let at = 0; at < ids.length; at += 10_000) await deleteEntries(deps.db, ids.slice(at, at + 10_000));
      } catch (error) {
        waiting.push(...ids);
        throw error;
      }
    },
    deps.log,
  );
  return {
    settle(ids) {
      if (ids.length === 0) return;
      for (const id of ids) waiting.push(id);
      background.wake();
    },
    close: () => background.close(),
  };
}
