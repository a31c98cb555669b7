import type { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { validateQuery } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { activityQuery, type oneQuery } from './schema.js';
import { findGroup, type StoredGroup } from './store.js';

/** Reads the group that the query parameters name. @throws ApiError not_found */
async function readGroup({
  deps,
  project,
  query,
}: Pick<ProjectContext, 'deps' | 'project'> & { query: z.output<typeof oneQuery> }): Promise<StoredGroup> {
  const group = await findGroup(deps.db, project.id, query.group_type_index, query.group_key);
  if (!group) throw new ApiError('not_found');
  return group;
}

/** Makes the loader of the group that the query parameters name, for callers with this level on groups. @throws ApiError not_found, permission_denied */
export const findFor =
  (level: 'viewer' | 'editor') =>
  async (context: ProjectContext & { query: z.output<typeof oneQuery> }): Promise<StoredGroup> => {
    const group = await readGroup(context);
    await requireResourceLevel('group', level)(context);
    return group;
  };

/** The id of the group whose activity log is requested; null: the log of all groups. @throws ApiError not_found */
export async function findLogged(context: ProjectContext): Promise<number | null> {
  const { deps, project, request } = context;
  await requireResourceLevel('group', 'viewer')(context);
  const { group_type_index, group_key } = validateQuery(activityQuery, request.query);
  if (group_type_index === undefined || group_key === undefined) return null;
  return (await readGroup({ deps, project, query: { group_type_index, group_key } })).id;
}
