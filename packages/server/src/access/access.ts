import DataLoader from 'dataloader';
import { type ProjectContext, standingOf } from '../auth/index.js';
import type { Deps } from '../deps.js';
import type { Sight } from '../http/select-page.js';
import { ApiError } from '../kernel/errors.js';
import { ADMIN } from '../kernel/rights.js';
import type { Db } from '../ports/db.js';
import { ACCESS_LEVELS, type AccessLevel, type AccessResource, HIGHEST_LEVEL, reaches } from './levels.js';
import { type Levels, type Rule, resolveLevels } from './rules.js';

/** The caller and the project. */
export type AccessContext = Pick<ProjectContext, 'deps' | 'project' | 'principal' | 'membership'>;

/** The fields of an object that its access rules depend on. */
export interface AccessObject {
  id: number;
  created_by: number | null;
}

/** The access of the caller to one kind of object. */
export interface Access {
  resource: AccessResource;
  /** The caller's `user_access_level`. */
  levelOn(object: AccessObject): AccessLevel;
  /** @throws ApiError permission_denied */
  requireOn(object: AccessObject, level: 'viewer' | 'editor'): void;
  /** For lists (`viewer`) and creation (`editor`), by the rules about the whole kind. @throws ApiError permission_denied */
  requireResource(level: 'viewer' | 'editor'): void;
  /** Objects at `none`, which lists leave out unless the caller made them. Empty for administrators. */
  hiddenIds: number[];
  /** Objects that a rule of their own lets the caller see, also where the whole kind is at `none`. */
  shownIds: number[];
}

/** The levels of administrators of the organization. */
export const EVERYTHING: Levels = { resource: HIGHEST_LEVEL, objects: new Map() };

/**
 * Loads the caller's access to a kind of object. It takes one statement for any number of objects, also for several kinds that are
 * loaded at the same time, and none for administrators.
 */
export async function accessOf(context: AccessContext, resource: AccessResource): Promise<Access> {
  const { deps, principal, membership } = context;
  if (membership.level >= ADMIN) return accessFromLevels(EVERYTHING, resource, principal.userId);
  return accessFromLevels(resolveLevels(await deps.services.accessRules.load(context, resource)), resource, principal.userId);
}

/** Creates the loader of the caller's access to a kind of object, for routes that need this level. @throws ApiError permission_denied */
export const requireResourceLevel =
  (resource: AccessResource, level: 'viewer' | 'editor') =>
  async (context: AccessContext): Promise<Access> => {
    const access = await accessOf(context, resource);
    access.requireResource(level);
    return access;
  };

/**
 * Loads the access of any user to several kinds of objects. null, and a user who is deleted or has no access to the project any more,
 * has the access that the rules give to everybody, and none as a creator.
 */
export async function accessOfUser<Resource extends AccessResource>(
  deps: Deps,
  projectId: number,
  userId: number | null,
  resources: readonly Resource[],
): Promise<(resource: Resource) => Access> {
  const standing = userId === null ? null : await standingOf(deps, userId, projectId);
  const isAdmin = standing !== null && standing.membership.level >= ADMIN;
  const rules = isAdmin ? [] : await rulesFor(deps.db, projectId, resources, standing?.membership.id ?? null);
  return (resource) => {
    const levels = isAdmin ? EVERYTHING : resolveLevels(rules.filter((rule) => rule.resource === resource));
    return accessFromLevels(levels, resource, standing ? userId : null);
  };
}

/**
 * The access of a user with these levels.
 * @param userId the user, who is a manager of own objects; null: nobody is
 */
export function accessFromLevels(levels: Levels, resource: AccessResource, userId: number | null): Access {
  const levelOn = ({ id, created_by }: AccessObject): AccessLevel =>
    created_by !== null && created_by === userId ? HIGHEST_LEVEL : (levels.objects.get(String(id)) ?? levels.resource);
  return {
    resource,
    levelOn,
    requireOn: (object, level) => requireLevel(levelOn(object), level),
    requireResource: (level) => requireLevel(levels.resource, level),
    hiddenIds: [...levels.objects].filter(([, level]) => level === 'none').map(([id]) => Number(id)),
    shownIds: [...levels.objects].filter(([, level]) => level !== 'none').map(([id]) => Number(id)),
  };
}

/** Which objects of a kind a user sees, for conditions in SQL. */
export const sightOf = (access: Access, userId: number): Sight => ({
  userId,
  isClosed: access.levelOn({ id: 0, created_by: null }) === 'none',
  hidden: access.hiddenIds,
  shown: access.shownIds,
});

function requireLevel(level: AccessLevel, needed: 'viewer' | 'editor'): void {
  if (!reaches(level, needed)) {
    throw new ApiError('permission_denied', `You do not have ${needed} access to this resource.`);
  }
}

/** A rule, and the kind of object that it is about. */
interface ResourceRule extends Rule {
  resource: string;
}

/**
 * All rules about these kinds of objects that apply to a member: the rules for everybody, for the member and for the member's roles.
 * @param membershipId null: only the rules for everybody
 */
async function rulesFor(
  db: Db,
  projectId: number,
  resources: readonly AccessResource[],
  membershipId: string | null,
): Promise<ResourceRule[]> {
  const rows = await db
    .selectFrom('access_controls as a')
    .select(['a.resource', 'a.resource_id', 'a.access_level', 'a.membership_id', 'a.role_id'])
    .where('a.project_id', '=', projectId)
    .where('a.resource', 'in', resources)
    .where((w) => {
      const forEverybody = w.and([w('a.membership_id', 'is', null), w('a.role_id', 'is', null)]);
      if (membershipId === null) return forEverybody;
      const roles = w.selectFrom('role_memberships as r').select('r.role_id').where('r.membership_id', '=', membershipId);
      return w.or([w('a.membership_id', '=', membershipId), w('a.role_id', 'in', roles), forEverybody]);
    })
    .execute();
  return rows.map((row) => ({
    resource: row.resource,
    objectId: row.resource_id,
    level: ACCESS_LEVELS.find((level) => level === row.access_level) ?? 'none',
    isNamed: row.membership_id !== null || row.role_id !== null,
  }));
}

/** Loads access rules: one statement for all kinds of objects that a request needs in the same turn of the event loop. */
export interface AccessRules {
  /** The rules about a kind of object. */
  load(context: AccessContext, resource: AccessResource): Promise<Rule[]>;
}

interface RequestLoader {
  db: Db;
  membershipId: string;
  loader: DataLoader<AccessResource, Rule[]>;
}

/** Does not cache: a request that changes rules reads them again. */
export function createAccessRules(): AccessRules {
  // by the project as a request opened it: no request waits for the statements of another
  const loaders = new WeakMap<AccessContext['project'], RequestLoader>();
  return {
    load({ deps: { db }, project, membership }, resource) {
      let own = loaders.get(project);
      // a transaction must not read outside of itself, and rules are a member's own even if two requests share the project
      if (own?.db !== db || own.membershipId !== membership.id) {
        own = { db, membershipId: membership.id, loader: createLoader(db, project.id, membership.id) };
        loaders.set(project, own);
      }
      return own.loader.load(resource);
    },
  };
}

const createLoader = (db: Db, projectId: number, membershipId: string): RequestLoader['loader'] =>
  new DataLoader(
    async (resources) => {
      const rules = await rulesFor(db, projectId, [...new Set(resources)], membershipId);
      return resources.map((resource) => rules.filter((rule) => rule.resource === resource));
    },
    { cache: false },
  );
