import type { Deps } from '../../deps.js';
import { EventsFull, EventsUnavailable } from '../../ports/events.js';
import { insertSideRows, type SideRows } from './insert-side-rows.js';
import { deleteEntries } from './outbox-store.js';

/** Gives the event store what a transaction changed and noted in the outbox; where that fails the outbox still has it. */
export async function copyNow(deps: Deps, rows: SideRows, outboxIds: readonly number[]): Promise<void> {
  try {
    await insertSideRows(deps, rows);
    await deleteEntries(deps.db, outboxIds);
  } catch (error) {
    if (!(error instanceof EventsUnavailable || error instanceof EventsFull)) throw error;
  }
}
