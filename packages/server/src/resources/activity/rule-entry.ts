import type { RuleChange } from '../../access/index.js';
import type { ProjectContext } from '../../identity/index.js';
import type { ActivityEntry, Subject } from './entry.js';

/** What an access rule is about: an object of a project, or (`of` null) the project or all its objects of a kind. */
interface Ruled {
  of: Subject | null;
  name: string | null;
  short_id?: string;
}

/** The entry for an access rule that was made, changed or removed. */
export function ruleEntry(
  { project, principal }: Pick<ProjectContext, 'project' | 'principal'>,
  { of, ...detail }: Ruled,
  { before, after }: RuleChange,
): ActivityEntry {
  const activity = before === null ? 'created' : after === null ? 'deleted' : 'updated';
  const action = activity === 'updated' ? 'changed' : activity;
  return {
    organizationId: project.organizationId,
    projectId: project.id,
    userId: principal.userId,
    activity,
    scope: 'AccessControl',
    itemId: of?.id ?? project.id,
    of,
    detail: { ...detail, changes: [{ type: 'AccessControl', action, field: 'rule', before, after }] },
  };
}
