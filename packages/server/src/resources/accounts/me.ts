import { endOtherSessions, isInReach, type UserContext, userView } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { jsonColumn } from '../../http/json-column.js';
import { ApiError } from '../../kernel/errors.js';
import {
  listOrganizations,
  type OrganizationRow,
  organizationBasicView,
  organizationViews,
  setCurrent,
} from '../organizations/index.js';
import { allProjects } from '../projects/index.js';
import { hashPassword } from './password.js';
import type { UserFields } from './schema.js';
import { refusingTakenEmail } from './signup.js';
import { findVisibleProject, readPasswordHash, readUser, type UserRow, updateUser } from './store.js';
import { throttled } from './throttle.js';

/** More organizations than this are not shown at once. */
const MAX_ORGANIZATIONS = 1000;

/** The caller, with where they are and the organizations they belong to, as far as their key reaches. */
export async function showMe(context: UserContext) {
  const { deps, principal } = context;
  const [user, rows] = await Promise.all([readUser(deps.db, principal.userId), reachableOrganizations(context)]);
  if (!user) throw new ApiError('not_found');
  const current = rows.filter((row) => row.id === principal.currentOrganizationId);
  const [organization = null] = await organizationViews(deps.db, principal, current);
  const team = organization?.teams.find((project) => project.id === principal.currentProjectId) ?? null;
  return { ...view(user), team, organization, organizations: rows.map(organizationBasicView) };
}

/** The organizations that the caller belongs to; for a key that is limited to projects, those of these projects. */
async function reachableOrganizations({ deps, principal }: Pick<UserContext, 'deps' | 'principal'>): Promise<OrganizationRow[]> {
  const { key, userId } = principal;
  const within = key && key.organizations.length > 0 ? key.organizations : null;
  const { rows } = await listOrganizations(deps.db, userId, within, { limit: MAX_ORGANIZATIONS, offset: 0 });
  if (!key || key.teams.length === 0) return rows;
  const ids = rows.map(({ id }) => id);
  const projects = (await allProjects(deps.db, userId, ids)).filter((project) => isInReach(principal, project));
  return rows.filter(({ id }) => projects.some((project) => project.organization_id === id));
}

const view = (user: UserRow) => ({
  ...userView(user),
  date_joined: isoTime(user.date_joined),
  pending_email: null,
  has_password: user.has_password,
  is_staff: false,
  is_impersonated: false,
  is_2fa_enabled: false,
  has_social_auth: false,
  theme_mode: user.theme_mode,
  notification_settings: {},
  has_seen_product_intro_for: {},
});

/** Changes the fields of the caller that a request sends. @throws ApiError permission_denied, unique, does_not_exist, required, incorrect_password */
export async function patchMe(context: UserContext, fields: UserFields): Promise<void> {
  const { deps, principal } = context;
  if (principal.key && (fields.password !== undefined || fields.email !== undefined)) {
    throw new ApiError('permission_denied', 'The email address and the password can only be changed in a login session.');
  }
  const isNewEmail = fields.email !== undefined && fields.email.toLowerCase() !== principal.email.toLowerCase();
  if (fields.password !== undefined) await requireCurrentPassword(context, fields.current_password, 'password');
  else if (isNewEmail) await requireCurrentPassword(context, fields.current_password, 'email');
  const passwordHash = fields.password === undefined ? undefined : await newPassword(context, fields.password, fields);
  const place = await newPlace(context, fields);
  await refusingTakenEmail(() =>
    updateUser(deps.db, principal.userId, {
      first_name: fields.first_name,
      last_name: fields.last_name,
      email: fields.email,
      password_hash: passwordHash,
      theme_mode: fields.theme_mode,
      hedgehog_config: fields.hedgehog_config === undefined ? undefined : jsonColumn(fields.hedgehog_config ?? {}),
    }),
  );
  if (place) await setCurrent(deps.db, principal.userId, place.organizationId, place.projectId);
  // a new password logs out a thief of the old one
  if (passwordHash) await endOtherSessions(context, principal.userId);
}

/** @throws ApiError required, incorrect_password, too_many_failed_attempts */
async function requireCurrentPassword(
  context: UserContext,
  given: string | undefined,
  changing: 'password' | 'email',
): Promise<void> {
  const { deps, principal } = context;
  const stored = await readPasswordHash(deps.db, principal.userId);
  if (stored === null) return;
  if (given === undefined) {
    throw new ApiError('required', `This field is required when updating your ${changing}.`, 'current_password');
  }
  await throttled(context, principal.email, async () => {
    if (!(await deps.services.passwords.match(given, stored)))
      throw new ApiError('incorrect_password', undefined, 'current_password');
  });
}

async function newPassword({ deps, principal }: UserContext, password: string, fields: UserFields): Promise<string> {
  await deps.services.passwords.requireStrong(password, [principal.email, fields.first_name ?? '', fields.last_name ?? '']);
  return hashPassword(password);
}

/** Where `set_current_organization` and `set_current_team` lead; the project rules, as it is the narrower one. */
async function newPlace(
  context: UserContext,
  { set_current_organization: organizationId, set_current_team: projectId }: UserFields,
): Promise<{ organizationId: string; projectId: number | null } | null> {
  const { deps, principal } = context;
  if (projectId !== undefined) {
    const project = await findVisibleProject(deps.db, principal.userId, projectId);
    if (!project || !isInReach(principal, project)) {
      throw new ApiError('does_not_exist', `Object with id=${projectId} does not exist.`, 'set_current_team');
    }
    return { organizationId: project.organization_id, projectId };
  }
  if (organizationId === undefined) return null;
  const organizations = await reachableOrganizations(context);
  if (organizations.every(({ id }) => id !== organizationId)) {
    throw new ApiError('does_not_exist', `Object with id=${organizationId} does not exist.`, 'set_current_organization');
  }
  return { organizationId, projectId: null };
}
