import { type AccessLevel, CAN_EDIT, levelsOfMembers, reaches } from '../../access/index.js';
import { listProjectMembers, type ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { collaboratorLevels } from '../dashboards/index.js';
import { AUDIENCE_REASONS, type AudienceChange, type LINK_STATES } from './audience-schema.js';
import type { Place, ShareTarget } from './shareable.js';
import { listPasswords, mayBeShared, readSharing } from './store.js';

/** Members in a response at most. */
const LISTED = 200;

/**
 * Who sees an object, and who would after a change. The levels are those that requests of these members are checked against.
 * @throws ApiError invalid_input: the collaborator has no access to the project
 */
export async function showAudience(context: ProjectContext, target: ShareTarget, change: AudienceChange) {
  const { deps, project } = context;
  const { members, outside } = await listProjectMembers(deps.db, project.id);
  const { resource, subject: object, places } = target;
  const invited = members.find(({ user }) => user.uuid === change.collaborator);
  if (change.collaborator !== undefined && !invited) {
    throw new ApiError('invalid_input', 'This user has no access to the project.', 'collaborator');
  }
  const [levels, collaborators, sharing, passwords, isAllowed] = await Promise.all([
    levelsOfMembers(deps.db, project.id, { resource, object }, members),
    collaboratorsOf(context, places),
    readSharing(deps.db, project.id, target),
    listPasswords(deps.db, project.id, target),
    mayBeShared(deps.db, project.id),
  ]);
  const all = members.map(({ user, level: projectLevel, isExplicit }, index) => {
    const { level = 'none', reason, roles = [] } = levels[index] ?? {};
    const own = places.map((place) => ({ ...place, collaborator_level: collaborators.get(place.id)?.get(user.id) ?? null }));
    const changed = own.map((place) => ({
      ...place,
      restriction_level: change.restriction_level ?? place.restriction_level,
      collaborator_level: user === invited?.user ? CAN_EDIT : place.collaborator_level,
    }));
    const standing = { principal: { userId: user.id }, level: projectLevel };
    const mayEdit = (restricted: Place[]) => reaches(level, 'viewer') && target.isEditor(standing, level, restricted);
    const isCollaborator = target.kind === 'dashboard' && own.some(({ collaborator_level }) => collaborator_level !== null);
    const reasons = [
      ...(reason ? [reason] : []),
      ...(isExplicit ? ['explicit_member'] : []),
      ...(isCollaborator ? ['collaborator'] : []),
    ];
    return { user, level, can_edit: mayEdit(own), can_edit_after: mayEdit(changed), reasons, roles };
  });
  const visible = all.filter(isVisible);
  const count = (has: (one: (typeof visible)[number]) => boolean) => visible.filter(has).length;
  const link = (after: AudienceChange) =>
    linkState(isAllowed && (after.enabled ?? sharing?.enabled ?? false), after.password_required ?? sharing?.password_required);
  return {
    now: { visible_to: visible.length, editable_by: count((one) => one.can_edit), link: link({}) },
    after: { visible_to: visible.length, editable_by: count((one) => one.can_edit_after), link: link(change) },
    organization_members: members.length + outside,
    is_link_allowed: isAllowed,
    passwords: passwords.length,
    reasons: AUDIENCE_REASONS.flatMap((reason) => {
      const having = count(({ reasons }) => reasons.includes(reason));
      return having === 0 ? [] : [{ reason, count: having }];
    }),
    members: visible.slice(0, LISTED).map(({ level: user_access_level, ...one }) => ({ ...one, user_access_level })),
  };
}

const isVisible = <Row extends { level: AccessLevel }>(row: Row): row is Row & { level: Exclude<AccessLevel, 'none'> } =>
  row.level !== 'none';

const linkState = (isOpen: boolean, needsPassword = false): (typeof LINK_STATES)[number] =>
  !isOpen ? 'off' : needsPassword ? 'password' : 'anyone';

/** The levels of collaborators by dashboard and user. */
async function collaboratorsOf({ deps, project }: ProjectContext, places: readonly Place[]) {
  const found = new Map<number, Map<number, number>>();
  if (places.length === 0) return found;
  const ids = places.map(({ id }) => id);
  for (const { dashboard_id, user_id, level } of await collaboratorLevels(deps.db, project.id, ids)) {
    found.set(dashboard_id, (found.get(dashboard_id) ?? new Map()).set(user_id, level));
  }
  return found;
}
