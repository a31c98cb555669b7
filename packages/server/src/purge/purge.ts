import type { Deps } from '../deps.js';
import { blobPurges, blobsPurged, personPurges, personsPurged, projectPurged, projectPurges } from './store.js';

/** How long after the deletion of a project its rows may still arrive from ingestion; milliseconds. */
const LATE_MS = 15 * 60_000;

/** Deletes the blobs of projects, recordings and exports that were deleted. Any number of servers may do so at once. */
export async function purgeBlobs({ db, blobs }: Pick<Deps, 'db' | 'blobs'>, signal?: AbortSignal): Promise<void> {
  for (let due = await blobPurges(db); due.length > 0; due = await blobPurges(db)) {
    for (const { prefix } of due) {
      signal?.throwIfAborted();
      await blobs.deleteAll(prefix);
      await blobsPurged(db, prefix);
    }
  }
}

/** Deletes the rows of deleted projects from the event store, until no more arrive. */
export async function purgeEvents(
  { db, events, clock }: Pick<Deps, 'db' | 'events' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  for (const { project_id, created_at } of await projectPurges(db)) {
    signal?.throwIfAborted();
    const isGone = await events.deleteProject(project_id);
    if (isGone && created_at.getTime() <= clock.now() - LATE_MS) await projectPurged(db, project_id);
  }
}

/** Time after which the event store has all events that arrived before the deletion of their person; milliseconds. */
const STORED_MS = 2 * 60_000;

/** Deletes what the event store has of deleted persons: their profiles and, if that was asked for, their events. */
export async function purgePersons(
  { db, events, clock }: Pick<Deps, 'db' | 'events' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const due = await personPurges(db, new Date(clock.now() - STORED_MS));
  for (const projectId of new Set(due.map(({ project_id }) => project_id))) {
    signal?.throwIfAborted();
    const rows = due.filter(({ project_id }) => project_id === projectId);
    const erased = rows.map(({ distinct_ids, person_ids, with_events, created_at }) => ({
      personIds: person_ids,
      // events that stay need their overrides
      distinctIds: with_events ? distinct_ids : [],
      until: created_at.getTime(),
    }));
    const eventsAreGone = await events.deleteEvents(projectId, erased);
    if ((await events.deleteProfiles(projectId, erased)) && eventsAreGone) {
      await personsPurged(
        db,
        rows.map(({ id }) => id),
      );
    }
  }
}
