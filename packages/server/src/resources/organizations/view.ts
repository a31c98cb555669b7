import { isInReach, type User, type UserContext, userView } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { Db } from '../../ports/db.js';
import { allProjects, projectBasicView } from '../projects/index.js';
import type { InviteRow } from './invite-store.js';
import type { MemberRow, OrganizationRow } from './store.js';

/** Lifetime of an invite; milliseconds. */
export const INVITE_LIFETIME_MS = 3 * 86_400_000;

/** An organization as other resources show it, for one of its members. */
export const organizationBasicView = (row: OrganizationRow) => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  logo_media_id: null,
  membership_level: row.level,
  members_can_use_personal_api_keys: true,
});

/** Organizations in full, for one of their members: with the projects that this user and their key may see. One statement for all. */
export async function organizationViews(
  db: Db,
  principal: Pick<UserContext['principal'], 'userId' | 'key'>,
  rows: readonly OrganizationRow[],
) {
  const ids = rows.map((row) => row.id);
  const visible = await allProjects(db, principal.userId, ids);
  const projects = visible.filter((project) => isInReach(principal, project));
  return rows.map((row) => {
    const own = projects.filter((project) => project.organization_id === row.id);
    return {
      ...organizationBasicView(row),
      created_at: isoTime(row.created_at),
      updated_at: isoTime(row.updated_at),
      teams: own.map(projectBasicView),
      projects: own.map((project) => ({ id: project.id, organization_id: row.id, name: project.name })),
      available_product_features: [],
      allow_publicly_shared_resources: row.allow_publicly_shared_resources,
      metadata: {},
    };
  });
}

/** A member of an organization. */
export const memberView = (row: MemberRow) => ({
  id: row.membership_id,
  user: userView(row),
  level: row.level,
  joined_at: isoTime(row.joined_at),
  updated_at: isoTime(row.updated_at),
  is_2fa_enabled: false,
  has_social_auth: false,
  last_login: isoTime(row.last_login),
  is_active: row.is_active,
});

/** An invite into an organization. `now`: epoch milliseconds. */
export const inviteView = (row: InviteRow, creators: ReadonlyMap<number, User>, now: number) => ({
  id: row.id,
  target_email: row.target_email,
  first_name: row.first_name,
  emailing_attempt_made: false,
  level: row.level,
  is_expired: isExpired(row, now),
  created_by: (row.created_by !== null && creators.get(row.created_by)) || null,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  message: row.message,
  private_project_access: row.private_project_access,
});

export const isExpired = (invite: { created_at: Date }, now: number): boolean => invite.created_at <= expiredFrom(now);

/** When an invite stops working. */
export const inviteExpiry = (invite: { created_at: Date }): Date => new Date(invite.created_at.getTime() + INVITE_LIFETIME_MS);

/** Invites from then and before have expired by `now`, epoch milliseconds. */
export const expiredFrom = (now: number): Date => new Date(now - INVITE_LIFETIME_MS);
