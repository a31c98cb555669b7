import type { ProjectContext } from '../../auth/index.js';
import type { Activity } from './entry.js';

/** Where a request of a project is, and whose it is. */
export type Caller = Pick<ProjectContext, 'project' | 'principal'>;

/** The part of an entry that says where something happened, and who did it. */
export const byCaller = ({ project, principal }: Caller) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: principal.userId,
});

/** What a change of something that is deleted softly was. */
export function kindOfChange(before: { deleted: boolean }, after: { deleted: boolean }): Activity {
  if (before.deleted === after.deleted) return 'updated';
  return after.deleted ? 'deleted' : 'restored';
}
