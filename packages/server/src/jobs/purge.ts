import type { Deps } from '../deps.js';
import { blobPurges, blobsPurged, projectPurged, projectPurges } from './purge-store.js';

/** How long after the end of a project rows of it may still come, from what was on its way; milliseconds. */
const LATE_MS = 15 * 60_000;

/** Deletes the blobs of all that was deleted. Every server may do so at the same time. */
export async function purgeBlobs({ db, blobs }: Pick<Deps, 'db' | 'blobs'>): Promise<void> {
  for (let due = await blobPurges(db); due.length > 0; due = await blobPurges(db)) {
    for (const { prefix } of due) {
      await blobs.deleteAll(prefix);
      await blobsPurged(db, prefix);
    }
  }
}

/** Deletes what the event store holds of deleted projects, until nothing comes any more. */
export async function purgeEvents({ db, events, clock }: Pick<Deps, 'db' | 'events' | 'clock'>): Promise<void> {
  for (const { project_id, created_at } of await projectPurges(db)) {
    const isGone = await events.deleteProject(project_id);
    if (isGone && created_at.getTime() <= clock.now() - LATE_MS) await projectPurged(db, project_id);
  }
}
