import type { Deps } from '../deps.js';
import type { RetentionLimit } from '../ports/events.js';
import { deleteOldActivities, eventRetentions, shortenExports } from './store.js';

const DAY_MS = 86_400_000;
/** Projects of one deletion in the event store. */
const AT_ONCE = 1_000;

/** The first instant whose events are kept: a midnight (UTC), so that whole days go, and cached results of the other days stay right. */
export const eventsKeptFrom = (days: number, now: number): number => Math.floor(now / DAY_MS - days) * DAY_MS;

/**
 * Deletes what is older than the settings of its project allow: events, entries of the activity log, and exports, which expire earlier.
 * A deletion of events goes on in the engine; the next runs see its end.
 */
export async function enforceRetention(
  { db, events, clock }: Pick<Deps, 'db' | 'events' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  await shortenExports(db);
  await deleteOldActivities(db, new Date(now), signal);
  const limits = (await eventRetentions(db)).map(
    ({ id, days }): RetentionLimit => ({ projectId: id, before: eventsKeptFrom(days, now) }),
  );
  for (let at = 0; at < limits.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    await events.deleteEventsBefore(limits.slice(at, at + AT_ONCE));
  }
}
