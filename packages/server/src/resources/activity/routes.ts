import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import {
  type AccessContext,
  type AccessControlOptions,
  type AccessObject,
  type AccessResource,
  accessOf,
  type ItemContext,
  mountAccessControls,
} from '../../access/index.js';
import { createZone, readTimezone, resolveDate } from '../../analytics/index.js';
import { mountProjectRoutes, organizationRoute, type ProjectContext, projectRoute } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { envelope, pageOf, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN } from '../../kernel/rights.js';
import { type ActivityScope, RESOURCES, ruleEntry } from './entry.js';
import { recordActivity } from './record.js';
import { activitySchema, itemLogQuery, type LogQuery, logQuery } from './schema.js';
import { type ActivityFilter, type Hidden, listOrganizationActivities, listProjectActivities } from './store.js';
import { activityViews } from './view.js';

const response = pageOf(activitySchema);

/** The filter of a request for a log. @param timezone of its days */
function filterOf({ date_from, date_to, ...filter }: LogQuery, { clock }: Pick<Deps, 'clock'>, timezone: string): ActivityFilter {
  const moment = { now: clock.now(), zone: createZone(timezone) };
  const from = date_from ? resolveDate(date_from, moment) : null;
  const to = date_to ? resolveDate(date_to, moment) : null;
  return {
    ...filter,
    since: from ? new Date(from.instant) : undefined,
    until: to ? new Date(to.end ?? to.instant) : undefined,
  };
}

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const projectRoutes = [
  projectRoute({
    method: 'GET',
    path: '/activity_log/',
    scope: 'activity_log:read',
    summary: 'List who changed what in a project, newest first; without what happened to objects that you may not see',
    query: logQuery,
    status: 200,
    response,
    handle: async ({ query, ...context }) => {
      const { deps, project } = context;
      const usesDates = query.date_from || query.date_to;
      return list(context, filterOf(query, deps, usesDates ? await readTimezone(deps.db, project.id) : 'UTC'));
    },
  }),
];

/** Routes under `/api/organizations/:organization_id`. */
export const organizationRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/activity_log/',
    scope: 'activity_log:read',
    summary: 'List who changed what of an organization apart from its projects, newest first; for administrators',
    query: logQuery,
    status: 200,
    response,
    load: async ({ organization: { level } }) => {
      if (level < ADMIN) throw new ApiError('permission_denied', 'Your organization access level is insufficient.');
    },
    handle: async ({ deps, request, organization, query }) => {
      const page = readPage(request);
      const { count, rows } = await listOrganizationActivities(deps.db, organization.id, filterOf(query, deps, 'UTC'), page);
      return envelope(request, page, count, await activityViews(deps.db, rows));
    },
  }),
];

/** The route of the log of one object, or of one kind of objects. */
export interface ActivityList {
  /** Under the prefix of the project, such as `/insights/:id/activity/`. */
  path: string;
  /** The parameters of the path, for the API's description. */
  params?: Record<string, z.ZodType>;
  scope: ActivityScope;
  summary: string;
  /** Parameters by which `load` finds the object, if not by those of the path. */
  query?: z.ZodRawShape;
  /** Finds the object (404), checks that the caller may see it (403) and gives its id; null: the log of the whole scope. */
  load: (context: ItemContext) => Promise<string | number | null>;
}

/** Mounts `GET <path>` for a module whose objects have a log. */
export function mountActivity(
  app: FastifyInstance,
  deps: Deps,
  { path, params = {}, query = {}, scope, summary, load }: ActivityList,
): void {
  mountProjectRoutes(app, deps, [
    projectRoute({
      method: 'GET',
      path,
      params,
      scope: 'activity_log:read',
      summary,
      query: itemLogQuery.extend(query),
      status: 200,
      response,
      load,
      handle: ({ query, loaded, ...context }) =>
        list(context, { ...itemLogQuery.parse(query), scope, ...(loaded === null ? {} : { item_id: String(loaded) }) }),
    }),
  ]);
}

/** Access rules of single objects whose changes the log records. `nameOf`: the names of an object in the log; its `name` by default. */
interface LoggedRules<Row extends AccessObject> extends Omit<AccessControlOptions<Row>, 'changed'> {
  nameOf?(row: Row): { name: string | null; short_id?: string };
}

/** Mounts the access rules of single objects, and records their changes. */
export function mountLoggedRules<Row extends AccessObject & { name: string | null }>(
  app: FastifyInstance,
  deps: Deps,
  { nameOf = ({ name }) => ({ name }), ...options }: LoggedRules<Row>,
): void {
  const { resource } = options;
  mountAccessControls(app, deps, {
    ...options,
    changed: (tx, context, row, change) =>
      recordActivity(tx, context.deps, ruleEntry(context, { of: { resource, id: row.id }, ...nameOf(row) }, change)),
  });
}

async function list(context: ProjectContext, filter: ActivityFilter) {
  const { deps, request, project, principal } = context;
  const page = readPage(request);
  const [hidden, hiddenScopes] = await Promise.all([hiddenFrom(context), scopesHiddenFrom(context)]);
  const reader = { userId: principal.userId, hidden, hiddenScopes };
  const { count, rows } = await listProjectActivities(deps.db, project.id, reader, filter, page);
  return envelope(request, page, count, await activityViews(deps.db, rows));
}

/** Scopes of objects that have no rules of their own, but one about all of them. Entries have values of their properties. */
const SCOPES_OF_KINDS = { Person: 'person', Group: 'group' } as const satisfies Partial<Record<ActivityScope, AccessResource>>;

/** The scopes whose objects are all hidden from the caller. */
async function scopesHiddenFrom(context: AccessContext): Promise<string[]> {
  const levels = await Promise.all(
    Object.entries(SCOPES_OF_KINDS).map(async ([scope, resource]) => {
      const { levelOn } = await accessOf(context, resource);
      return levelOn({ id: 0, created_by: null }) === 'none' ? [scope] : [];
    }),
  );
  return levels.flat();
}

/** What the access rules hide from the caller, of all resources in the log. */
async function hiddenFrom(context: AccessContext): Promise<Hidden[]> {
  const all = await Promise.all([...Object.values(RESOURCES), 'survey' as const].map((resource) => accessOf(context, resource)));
  return all.flatMap(({ resource, levelOn, hiddenIds }): Hidden[] => {
    // an object that nobody created and that has no rules has the level of the whole resource
    if (levelOn({ id: 0, created_by: null }) === 'none') return [{ resource, ids: 'all' }];
    return hiddenIds.length > 0 ? [{ resource, ids: hiddenIds }] : [];
  });
}
