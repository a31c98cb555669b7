import { type Access, type AccessResource, accessOfUser } from '../../access/index.js';
import type { Deps } from '../../deps.js';
import type { Share } from './store.js';

/** A public page with the insights that the user who published it may see. */
export interface PublishedShare extends Share {
  /** Access of the publisher to insights: the page leaves out tiles that are hidden from them. */
  insights: Access;
}

const RESOURCES = ['dashboard', 'insight', 'session_recording'] as const satisfies readonly AccessResource[];

/**
 * Adds the current access of the user who published a page, because a page shows no more than they may see.
 * Undefined: the object of the page is hidden from them.
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
