import type { Deps } from '../../deps.js';
import { OWNER } from '../../kernel/rights.js';
import type { Db } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { foundProject } from '../projects/index.js';
import { insertMembership, insertOrganization, setCurrent } from './store.js';

/**
 * Creates an organization with its first project, inside a transaction. The user becomes its owner, and both become their current ones.
 * Violates the unique constraint of `api_token` when the given project key is taken.
 */
export async function foundOrganization(
  db: Db,
  deps: Pick<Deps, 'clock' | 'ids'>,
  founding: { userId: number; name: string; project: string; projectKey: string | null },
): Promise<{ organizationId: string; projectId: number; apiToken: string }> {
  const { userId, name } = founding;
  const organizationId = await insertOrganization(db, deps, name, slugOf(name));
  await recordActivity(db, deps, {
    organizationId,
    projectId: null,
    userId,
    activity: 'created',
    scope: 'Organization',
    itemId: organizationId,
    detail: { name },
  });
  await insertMembership(db, deps, { organizationId, userId, level: OWNER });
  const project = await foundProject(db, deps, userId, {
    organizationId,
    name: founding.project,
    apiToken: founding.projectKey,
  });
  await setCurrent(db, userId, organizationId, project.id);
  return { organizationId, projectId: project.id, apiToken: project.api_token };
}

function slugOf(name: string): string {
  const ascii = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return (
    ascii
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 48)
      .replace(/^-+|-+$/g, '') || 'organization'
  );
}
