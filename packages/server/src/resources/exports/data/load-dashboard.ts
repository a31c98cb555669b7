import pLimit from 'p-limit';
import { createZone, querySchema, runQuery } from '../../../analytics/index.js';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type JsonObject } from '../../../kernel/json.js';
import { type ChartAnnotation, chartAnnotations } from '../../annotations/index.js';
import { findDashboard, visibleTiles } from '../../dashboards/index.js';
import { findInsight } from '../../insights/index.js';
import { applyOverrides, mapInnerQuery, type QueryOverrides, queryAccessOf, requireQueryAccess } from '../../results/index.js';
import { type InsightRow, placeOf, type TileRow } from '../../tiles/index.js';
import { describeDays } from './describe.js';
import type { ExportContext, ExportData, ExportTile } from './export-data.js';

/** Tiles that are computed at the same time. The next one starts as soon as any of them ends: a slow tile delays no other. */
const CONCURRENCY = 3;

/** A dashboard with the tiles that the user may see. A query that fails becomes a tile with its error. */
export async function loadDashboard(context: ExportContext, id: number): Promise<ExportData> {
  const { row: dashboard } = await findDashboard(context, String(id));
  const rows = await visibleTiles(context, id);
  const limit = pLimit(CONCURRENCY);
  const annotations = await annotationsOf(context, id);
  const tiles = await limit.map(rows, (row) => loadTile(context, row, dashboard));
  return {
    kind: 'dashboard',
    title: dashboard.name ?? '',
    note: dashboard.description,
    filters: dashboard.filters,
    annotations,
    tiles,
  };
}

/** One insight, with the filters and variables of a dashboard when `dashboardId` names one. */
export async function loadInsight(context: ExportContext, id: number, dashboardId: number | null): Promise<ExportData> {
  const { row } = await findInsight(context, String(id));
  const overrides =
    dashboardId === null ? { filters: {}, variables: {} } : (await findDashboard(context, String(dashboardId))).row;
  if (!row.query) throw new ApiError('invalid_input', 'This insight has no query.');
  const tile = { insightId: row.id, title: insightName(row), place: null };
  const annotations = await annotationsOf(context, dashboardId);
  return single(
    row.description,
    overrides.filters,
    annotations,
    await computedTile(context, tile, applyOverrides(row.query, overrides)),
  );
}

/** A query that belongs to no insight. */
export async function loadQuery(context: ExportContext, query: JsonObject, title: string): Promise<ExportData> {
  return single('', {}, [], await computedTile(context, { insightId: null, title, place: null }, query));
}

/** The annotations of the project and of the dashboard. Tables have none. */
const annotationsOf = async (context: ExportContext, dashboardId: number | null): Promise<ChartAnnotation[]> =>
  context.isTable
    ? []
    : (await chartAnnotations(context)).filter((one) => one.dashboardId === null || one.dashboardId === dashboardId);

const single = (note: string, filters: JsonObject, annotations: ChartAnnotation[], tile: ExportTile): ExportData => ({
  kind: 'dashboard',
  title: null,
  note,
  filters,
  annotations,
  tiles: [tile],
});

export const insightName = ({ name, derived_name }: Pick<InsightRow, 'name' | 'derived_name'>): string =>
  name || derived_name || 'Untitled insight';

async function loadTile(
  context: ExportContext,
  { layouts, color, insight, text }: TileRow,
  overrides: QueryOverrides,
): Promise<ExportTile> {
  const place = placeOf(layouts);
  if (!insight) return { insightId: null, title: '', note: '', color, place, content: { kind: 'text', body: text?.body ?? '' } };
  const { id: insightId, description } = insight;
  const tile = { insightId, title: insightName(insight), description, color, place };
  if (!insight.query) return { ...tile, note: '', content: { kind: 'fault', message: 'This insight has no query.' } };
  const query = applyOverrides(insight.query, overrides);
  try {
    return await computedTile(context, tile, query);
  } catch (error) {
    // an error of the query belongs on its tile; when a store is unavailable, the job retries the whole export
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { ...tile, note: daysOf(context, query), content: { kind: 'fault', message: error.body.detail } };
  }
}

async function computedTile(
  context: ExportContext,
  tile: Omit<ExportTile, 'note' | 'content'>,
  query: JsonObject,
): Promise<ExportTile> {
  return {
    ...tile,
    note: daysOf(context, query),
    content: { kind: 'answer', query, answer: await computeQuery(context, query) },
  };
}

const daysOf = ({ now, project }: ExportContext, query: JsonObject): string =>
  describeDays(query, { now, zone: createZone(project.timezone) });

/** Values of a breakdown in a table, unless the query has a limit of its own. */
const BREAKDOWN_LIMIT = 512;

/** Runs the query of an insight without the result cache. @throws ApiError when the query is invalid or too large */
export async function computeQuery(exportContext: ExportContext, query: JsonObject): Promise<JsonObject> {
  const { deps, project, now, isTable, signal } = exportContext;
  await requireQueryAccess(deps.db, project.id, validate(querySchema, query), queryAccessOf(exportContext));
  const context = { projectId: project.id, timezone: project.timezone, now, db: deps.db, signal, scheduler: deps.scheduler };
  const run = (request: JsonObject) => runQuery(deps.events, validate(querySchema, request), context);
  const result = await run(isTable ? withAllBreakdowns(query) : query).catch((error: unknown) => {
    // with this many values the result would be too large: export as many as the insight shows
    if (isTable && error instanceof ApiError && error.body.attr === BREAKDOWN_LIMIT_ATTR) return run(query);
    throw error;
  });
  return Object.fromEntries(Object.entries(result));
}

/** `attr` of the error for a result with too many breakdown values. */
const BREAKDOWN_LIMIT_ATTR = 'query__breakdownFilter__breakdown_limit';

const withAllBreakdowns = (query: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    const { breakdownFilter } = inner;
    if (!isObject(breakdownFilter) || (breakdownFilter['breakdown_limit'] ?? null) !== null) return inner;
    return { ...inner, breakdownFilter: { ...breakdownFilter, breakdown_limit: BREAKDOWN_LIMIT } };
  });
