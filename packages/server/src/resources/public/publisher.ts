import { type Access, type AccessResource, accessOfUser } from '../../access/index.js';
import type { Deps } from '../../deps.js';
import type { Share } from './store.js';

/** A public page, with what the user who opened it to visitors may see. */
export interface PublishedShare extends Share {
  /** Their access to insights; a page leaves out tiles that are closed to them. */
  insights: Access;
}

const RESOURCES = ['dashboard', 'insight', 'session_recording'] as const satisfies readonly AccessResource[];

/**
 * Adds the access of the user who opened a page to visitors, by the rules as they are now: no page shows more than they may see.
 * Undefined: the page is about an object that is closed to them.
 */
export async function withPublisher(deps: Deps, share: Share): Promise<PublishedShare | undefined> {
  const accessTo = await accessOfUser(deps, share.projectId, share.publishedBy, RESOURCES);
  const { dashboardId, insightId, recording, createdBy: created_by } = share;
  const insights = accessTo('insight');
  const levels = [
    dashboardId === null ? null : accessTo('dashboard').levelOn({ id: dashboardId, created_by }),
    insightId === null ? null : insights.levelOn({ id: insightId, created_by }),
    recording === null ? null : accessTo('session_recording').levelOn({ id: recording.id, created_by }),
  ];
  return levels.includes('none') ? undefined : { ...share, insights };
}
