import { isoTime } from '../../http/dates.js';
import { jsonColumn } from '../../http/json-column.js';
import { isUniqueViolation } from '../../http/unique.js';
import { endOtherSessions, type UserContext, userView } from '../../identity/index.js';
import { ApiError } from '../../kernel/errors.js';
import { listOrganizations, organizationBasicView, organizationViews, setCurrent } from '../organizations/index.js';
import { hashPassword, passwordMatches, requireStrongPassword } from './password.js';
import type { UserFields } from './schema.js';
import { findVisibleProject, readPasswordHash, readUser, type UserRow, updateUser } from './store.js';
import { throttled } from './throttle.js';

/** More organizations than this are not shown at once. */
const MAX_ORGANIZATIONS = 1000;

/** The caller, with where they are and all organizations they belong to. */
export async function showMe({ deps, principal }: UserContext) {
  const [user, { rows }] = await Promise.all([
    readUser(deps.db, principal.userId),
    listOrganizations(deps.db, principal.userId, null, { limit: MAX_ORGANIZATIONS, offset: 0 }),
  ]);
  if (!user) throw new ApiError('not_found');
  const current = rows.filter((row) => row.id === principal.currentOrganizationId);
  const [organization = null] = await organizationViews(deps.db, principal.userId, current);
  const team = organization?.teams.find((project) => project.id === principal.currentProjectId) ?? null;
  return { ...view(user), team, organization, organizations: rows.map(organizationBasicView) };
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

/** Changes the caller as a request asks for. @throws ApiError for what may not be changed, or not so */
export async function patchMe(context: UserContext, fields: UserFields): Promise<void> {
  const { deps, principal } = context;
  if (principal.key && (fields.password !== undefined || fields.email !== undefined)) {
    throw new ApiError('permission_denied', 'The email address and the password can only be changed in a login session.');
  }
  const passwordHash = fields.password === undefined ? undefined : await newPassword(context, fields.password, fields);
  const place = await newPlace(context, fields);
  try {
    await updateUser(deps.db, principal.userId, {
      first_name: fields.first_name,
      last_name: fields.last_name,
      email: fields.email,
      password_hash: passwordHash,
      theme_mode: fields.theme_mode,
      hedgehog_config: fields.hedgehog_config === undefined ? undefined : jsonColumn(fields.hedgehog_config ?? {}),
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('unique', 'There is already an account with this email address.', 'email');
    throw error;
  }
  if (place) await setCurrent(deps.db, principal.userId, place.organizationId, place.projectId);
  // who had learned the old password is logged out with it
  if (passwordHash) await endOtherSessions(context, principal.userId);
}

async function newPassword(context: UserContext, password: string, fields: UserFields): Promise<string> {
  const { deps, principal } = context;
  const stored = await readPasswordHash(deps.db, principal.userId);
  if (stored !== null) {
    const given = fields.current_password;
    if (given === undefined) {
      throw new ApiError('required', 'This field is required when updating your password.', 'current_password');
    }
    await throttled(context, principal.email, async () => {
      if (!(await passwordMatches(given, stored))) throw new ApiError('incorrect_password', undefined, 'current_password');
    });
  }
  await requireStrongPassword(password, [principal.email, fields.first_name ?? '', fields.last_name ?? '']);
  return hashPassword(password);
}

/** Where `set_current_organization` and `set_current_team` lead; the project rules, as it is the narrower one. */
async function newPlace(
  { deps, principal }: UserContext,
  { set_current_organization: organizationId, set_current_team: projectId }: UserFields,
): Promise<{ organizationId: string; projectId: number | null } | null> {
  if (projectId !== undefined) {
    const project = await findVisibleProject(deps.db, principal.userId, projectId);
    if (!project) throw new ApiError('does_not_exist', `Object with id=${projectId} does not exist.`, 'set_current_team');
    return { organizationId: project.organization_id, projectId };
  }
  if (organizationId === undefined) return null;
  const { count } = await listOrganizations(deps.db, principal.userId, [organizationId], { limit: 1, offset: 0 });
  if (count === 0) {
    throw new ApiError('does_not_exist', `Object with id=${organizationId} does not exist.`, 'set_current_organization');
  }
  return { organizationId, projectId: null };
}
