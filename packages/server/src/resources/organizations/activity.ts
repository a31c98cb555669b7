import type { Deps } from '../../deps.js';
import type { Db } from '../../ports/db.js';
import { type Activity, type ActivityEntry, changesBetween, recordActivities } from '../activity/index.js';
import type { OrganizationRow } from './store.js';

/** Fields of a membership in the activity log. */
interface Membership {
  membership_id: string;
  email: string;
  level: number;
  is_active: boolean;
}

/** `userId` null: the operator, by a command. */
type By = { organizationId: string; userId: number | null };
type Sources = Pick<Deps, 'clock' | 'ids'>;

/** Records that a member joined, left, was removed or was changed. */
export const logMember = (
  db: Db,
  deps: Sources,
  by: By,
  before: Membership | null,
  after: Membership | null,
  activity: Activity,
) => recordActivities(db, deps, memberEntries(by, before, after, activity));

function memberEntries(by: By, before: Membership | null, after: Membership | null, activity: Activity): ActivityEntry[] {
  const member = after ?? before;
  if (!member) return [];
  const state = (one: Membership | null) => ({ level: one?.level ?? null, is_active: one?.is_active ?? null });
  const changes = changesBetween('OrganizationMember', state(before), state(after), ['level', 'is_active']);
  const detail = { name: member.email, changes };
  return [{ ...by, projectId: null, activity, scope: 'OrganizationMember', itemId: member.membership_id, detail }];
}

/** Fields of an invite in the activity log. The id is left out, because it is the secret of the invite. */
interface Invite {
  target_email: string;
  level: number;
}

/** Records the creation or the deletion of invites. */
export const logInvites = (db: Db, deps: Sources, by: By, activity: 'created' | 'deleted', invites: readonly Invite[]) =>
  recordActivities(
    db,
    deps,
    invites.map(({ target_email: name, level }) => ({
      ...by,
      projectId: null,
      activity,
      scope: 'OrganizationInvite',
      itemId: null,
      detail: {
        name,
        changes: activity === 'created' ? changesBetween('OrganizationInvite', { level: null }, { level }, ['level']) : [],
      },
    })),
  );

/** Records the private projects to which an accepted invite gave access. */
export const logAccess = (
  db: Db,
  deps: Sources,
  by: By,
  email: string,
  granted: readonly { id: string; project_id: number; level: number }[],
) =>
  recordActivities(
    db,
    deps,
    granted.map(({ id, project_id, level }) => ({
      ...by,
      projectId: project_id,
      activity: 'created',
      scope: 'ExplicitMember',
      itemId: id,
      detail: { name: email, changes: changesBetween('ExplicitMember', { level: null }, { level }, ['level']) },
    })),
  );

/** Records the changes of an organization's own fields. */
export const logOrganization = (db: Db, deps: Deps, by: By, before: OrganizationRow, after: OrganizationRow) =>
  recordActivities(db, deps, [
    {
      ...by,
      projectId: null,
      activity: 'updated',
      scope: 'Organization',
      itemId: by.organizationId,
      detail: {
        name: after.name,
        changes: changesBetween('Organization', before, after, ['name', 'allow_publicly_shared_resources']),
      },
    },
  ]);
