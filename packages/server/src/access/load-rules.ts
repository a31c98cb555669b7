import DataLoader from 'dataloader';
import type { Db } from '../ports/db.js';
import type { AccessContext } from './access.js';
import { ACCESS_LEVELS, type AccessResource } from './levels.js';
import type { Rule } from './rules.js';

/** A rule, and the kind of object that it is about. */
interface ResourceRule extends Rule {
  resource: string;
}

/**
 * All rules about these kinds of objects that apply to a member: the rules for everybody, for the member and for the member's roles.
 * @param membershipId null: only the rules for everybody
 */
export async function rulesFor(
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

interface RequestLoader {
  db: Db;
  membershipId: string;
  loader: DataLoader<AccessResource, Rule[]>;
}

/** By the project as a request opened it, so that each request has a loader of its own. */
const loaders = new WeakMap<AccessContext['project'], RequestLoader>();

/** The rules about a kind of object. One statement loads the kinds that a request needs in the same turn of the event loop. */
export function loadRules({ deps: { db }, project, membership }: AccessContext, resource: AccessResource): Promise<Rule[]> {
  let own = loaders.get(project);
  // a transaction must not read outside of itself, and rules are a member's own even if two requests share the project
  if (own?.db !== db || own.membershipId !== membership.id) {
    own = { db, membershipId: membership.id, loader: createLoader(db, project.id, membership.id) };
    loaders.set(project, own);
  }
  return own.loader.load(resource);
}

/** Does not cache: a request that changes rules reads them again. */
const createLoader = (db: Db, projectId: number, membershipId: string): RequestLoader['loader'] =>
  new DataLoader(
    async (resources) => {
      const rules = await rulesFor(db, projectId, [...new Set(resources)], membershipId);
      return resources.map((resource) => rules.filter((rule) => rule.resource === resource));
    },
    { cache: false },
  );
