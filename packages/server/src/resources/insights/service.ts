import { accessOf, restrictionOf } from '../../access/index.js';
import type { ComputationFigures } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction, lockRow, withTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import {
  applyOverrides,
  createResultLoader,
  disconnectSignal,
  freshnessOf,
  type InsightResultFields,
  queryAccessOf,
} from '../results/index.js';
import { stopSharing } from '../shares/index.js';
import { type InsightRow, removeTilesOfInsight, setDashboardsOfInsight } from '../tiles/index.js';
import { type FoundInsight, requireEditable } from './access.js';
import { insightEntry, updateEntry } from './activity.js';
import { queryOfFilters } from './legacy-filters.js';
import type { InsightFields, RetrieveQuery } from './schema.js';
import {
  type DashboardRights,
  type InsightChange,
  insertInsights,
  lockDashboards,
  type NewInsight,
  readDashboardOverrides,
  readInsight,
  updateInsight,
} from './store.js';

/** Creates an insight and puts it on dashboards. @throws ApiError does_not_exist, permission_denied */
export async function createInsight(context: ProjectContext, fields: InsightFields): Promise<InsightRow> {
  const { deps, project, principal } = context;
  return inTransaction(deps.db, async (tx) => {
    const dashboards = await requireDashboards(tx, context, fields.dashboards ?? []);
    await requireRights(tx, context, dashboards, []);
    const insight = { ...newInsight(fields), created_by: principal.userId };
    const [id = 0] = await insertInsights(tx, deps.ids, project.id, [insight], new Date(deps.clock.now()));
    if (dashboards.length > 0) await setDashboardsOfInsight(tx, project.id, id, fields.dashboards ?? []);
    const row = await readOrThrow(tx, context, id);
    await recordActivity(tx, deps, insightEntry(context, row, 'created'));
    return row;
  });
}

/** Updates an insight and the dashboards that it is on; `deleted` deletes and restores it. @throws ApiError does_not_exist, permission_denied, not_found */
export async function patchInsight(
  context: ProjectContext,
  { row: { id }, access }: FoundInsight,
  fields: InsightFields,
): Promise<InsightRow> {
  const { deps, project, principal } = context;
  return inTransaction(deps.db, async (tx) => {
    // all transactions lock dashboards before insights, so that none of them deadlock
    const wanted = fields.dashboards && (await requireDashboards(tx, context, fields.dashboards));
    await lockRow(tx, 'insights', project.id, id);
    const before = await readOrThrow(tx, context, id);
    // another request may have deleted it before the lock
    if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
    requireEditable(context, { row: before, access });
    const change = changeOf(fields, principal.userId, new Date(deps.clock.now()));
    if (change) await updateInsight(tx, project.id, id, change, new Date(deps.clock.now()));
    if (fields.deleted) await removeTilesOfInsight(tx, project.id, id);
    else if (wanted) await setDashboards(tx, context, before, wanted);
    const after = await readOrThrow(tx, context, id);
    await recordActivity(tx, deps, updateEntry(context, before, after));
    if (before.deleted && !after.deleted) await stopSharing(tx, context, [shared(after)]);
    return after;
  });
}

const shared = ({ id, name, derived_name, short_id }: InsightRow) =>
  ({ kind: 'insight', id, name: name || derived_name, shortId: short_id }) as const;

async function setDashboards(
  tx: Db,
  context: ProjectContext,
  before: InsightRow,
  wanted: readonly DashboardRights[],
): Promise<void> {
  const added = wanted.filter(({ id }) => before.places.every((place) => place.id !== id));
  const removed = before.places.filter(({ id }) => wanted.every((dashboard) => dashboard.id !== id));
  if (added.length + removed.length === 0) return;
  await requireRights(tx, context, added, removed);
  const ids = wanted.map(({ id }) => id);
  await setDashboardsOfInsight(tx, context.project.id, before.id, ids);
}

/** The dashboards of a request, in its order. @throws ApiError does_not_exist */
async function requireDashboards(
  tx: Db,
  { project, principal }: ProjectContext,
  ids: readonly number[],
): Promise<DashboardRights[]> {
  if (ids.length === 0) return [];
  // PostgreSQL refuses numbers that are no `integer`; no dashboard has such an id
  const storable = ids.filter((id) => id > 0 && id <= 2_147_483_647);
  const found = new Map((await lockDashboards(tx, project.id, storable, principal.userId)).map((row) => [row.id, row]));
  return ids.map((id) => {
    const dashboard = found.get(id);
    if (!dashboard) throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, 'dashboards');
    return dashboard;
  });
}

/** Refuses changes of dashboards that the caller may not edit. @throws ApiError permission_denied */
async function requireRights(
  tx: Db,
  context: ProjectContext,
  added: readonly DashboardRights[],
  removed: readonly DashboardRights[],
): Promise<void> {
  if (added.length + removed.length === 0) return;
  // on the connection of the transaction: a second connection for each of many requests would exhaust the pool
  const access = await accessOf(withTransaction(context, tx), 'dashboard');
  const requireEditor = (dashboard: DashboardRights, doing: string): void => {
    const { can_edit: canEdit } = restrictionOf(context, dashboard);
    if (!canEdit) {
      throw new ApiError('permission_denied', `You don't have permission to ${doing} dashboard: ${dashboard.id}`);
    }
    access.requireOn(dashboard, 'editor');
  };
  for (const dashboard of added) requireEditor(dashboard, 'add insights to');
  for (const dashboard of removed) requireEditor(dashboard, 'remove insights from');
}

async function readOrThrow(tx: Db, { project, principal }: ProjectContext, id: number): Promise<InsightRow> {
  const row = await readInsight(tx, project.id, { id }, principal.userId);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** The fields of a new insight; those that the request leaves out get their defaults. @throws ApiError invalid_input: filters without an equivalent query */
export const newInsight = (fields: InsightFields): Omit<NewInsight, 'created_by'> => ({
  name: fields.name ?? null,
  derived_name: fields.derived_name ?? null,
  description: fields.description ?? '',
  query: queryFor(fields) ?? null,
  filters: fields.filters ?? {},
  order: fields.order ?? null,
  deleted: fields.deleted ?? false,
  saved: fields.saved ?? false,
  favorited: fields.favorited ?? false,
  is_sample: false,
  tags: fields.tags ?? [],
});

/** The query of a request. Filters, the older form of a query, are translated. */
function queryFor({ query, filters }: InsightFields): JsonObject | null | undefined {
  return query || !filters ? query : (queryOfFilters(filters) ?? query);
}

/** The changes of the insight itself; null: there are none. */
function changeOf({ dashboards, ...fields }: InsightFields, userId: number, now: Date): InsightChange | null {
  if (Object.values(fields).every((value) => value === undefined)) return null;
  const { name, description, query, filters } = fields;
  const isContent = [name, description, query, filters].some((value) => value !== undefined);
  return {
    ...fields,
    query: queryFor(fields),
    description: fields.description === null ? '' : fields.description,
    filters: fields.filters === null ? {} : fields.filters,
    tags: fields.tags ?? undefined,
    is_sample: false,
    ...(isContent ? { last_modified_by: userId, last_modified_at: now } : {}),
  };
}

const MAX_NAME = 400;
const COPY_SUFFIX = ' (Copy)';

/** The fields of a copy of an insight. It is on no dashboard and no favourite. */
export const copyOf = ({ name, derived_name, query, filters, description, tags }: InsightRow): InsightFields => ({
  name: name && name.slice(0, MAX_NAME - COPY_SUFFIX.length) + COPY_SUFFIX,
  derived_name,
  query,
  filters,
  description,
  tags,
  saved: true,
});

/** The result of an insight, how it was computed, and the query that it answers. */
interface ExplainedResult {
  fields: InsightResultFields;
  figures: ComputationFigures | undefined;
  effective_query: JsonObject | null;
}

/**
 * The result of an insight, with the overrides of a request and of the dashboard that it names.
 * @throws ApiError the error of the query, if the request asks for a computation
 */
export async function readResult(context: ProjectContext, row: InsightRow, query: RetrieveQuery): Promise<ExplainedResult> {
  const { deps, project, reply } = context;
  const { refresh = 'force_cache', from_dashboard: from, filters_override, variables_override } = query;
  const dashboard = row.places.find(({ id }) => id === from);
  const stored = dashboard && (await readDashboardOverrides(deps.db, project.id, dashboard.id));
  const filters = { ...stored?.filters, ...filters_override };
  const variables = { ...stored?.variables, ...variables_override };
  const overridden = row.query && applyOverrides(row.query, { filters, variables });
  const { fields, figures, error } = await createResultLoader(
    deps,
    project,
    queryAccessOf(context),
    freshnessOf(query),
    disconnectSignal(reply.raw),
  ).load(overridden);
  if (error && refresh !== 'force_cache') throw error;
  return { fields, figures, effective_query: overridden };
}
