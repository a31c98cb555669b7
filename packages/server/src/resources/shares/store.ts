import type { Db } from '../../ports/db.js';

/** An object that can have a public page. */
export interface SharedObject {
  kind: 'dashboard' | 'insight' | 'session_recording';
  id: number;
}

/** The column of `sharing_configurations` that references objects of a kind. */
export const SHARED_COLUMN = { dashboard: 'dashboard_id', insight: 'insight_id', session_recording: 'recording_id' } as const;

/** Unpublishes the pages of these objects, also under replaced tokens. Returns the configurations that were published. */
export const closePages = (
  db: Db,
  projectId: number,
  kind: SharedObject['kind'],
  ids: readonly number[],
): Promise<{ id: number; objectId: number | null }[]> =>
  db
    .updateTable('sharing_configurations')
    .set({ enabled: false, published_by: null, previous_token: null, previous_token_expires_at: null })
    .where('project_id', '=', projectId)
    .where(SHARED_COLUMN[kind], 'in', ids)
    .where('enabled', '=', true)
    .returning(['id', `${SHARED_COLUMN[kind]} as objectId`])
    .execute();
