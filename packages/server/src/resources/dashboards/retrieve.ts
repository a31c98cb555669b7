import { Readable } from 'node:stream';
import { type Access, type AccessContext, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { objectId } from '../../kernel/ids.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import {
  applyOverrides,
  createResultLoader,
  disconnectSignal,
  freshnessOf,
  hidesResults,
  type QueryOverrides,
  queryAccessOf,
  type ResultLoader,
} from '../results/index.js';
import { type TileRow, tilesOf } from '../tiles/index.js';
import { type FoundDashboard, findVisible } from './access.js';
import type { RetrieveQuery } from './schema.js';
import { type DashboardRow, stampAccess } from './store.js';
import { dashboardView, type Tile, tileView } from './view.js';

/** Milliseconds after an access in which others are not stored, so that most reads write nothing. */
const ACCESS_INTERVAL_MS = 60_000;

/** Number of tiles that a stream sends together with the dashboard: those that fill the screen first. */
const FIRST_TILES = 2;

/** The visible tiles of a dashboard in reading order, and the caller's access to insights. */
export interface FoundTiles {
  rows: TileRow[];
  access: Access;
}

/** The dashboard of `params.id` with its tiles and their results. @throws ApiError not_found, permission_denied */
export async function retrieveDashboard(context: ProjectContext & { params: Record<string, string> }, query: RetrieveQuery) {
  const id = objectId(context.params['id']) ?? 0;
  const [found, tiles] = await Promise.all([findVisible(context), findTiles(context, id)]);
  await recordAccess(context, found.row);
  const loading = await loadTiles(context, found, query, tiles);
  return { ...loading.dashboard, tiles: await Promise.all(loading.tiles) };
}

/** The view of a dashboard after a change, with results from the cache; `insights`: the caller's access to insights, if known. */
export async function showDashboard(context: ProjectContext, { row, access }: FoundDashboard, insights?: Access) {
  const { deps, project } = context;
  const tiles = await findTiles(context, row.id, insights);
  const views = tileViews(context, tiles, row, createResultLoader(deps, project, queryAccessOf(context), freshnessOf({})));
  return dashboardView(context, access, row, await Promise.all(views));
}

/**
 * A dashboard as server-sent events: `metadata` with the dashboard and its first tiles, one `tile` for each other tile as soon as it
 * is computed, and `complete`. An `error` follows each tile that could not be computed.
 */
export async function streamDashboard(context: ProjectContext, found: FoundDashboard, query: RetrieveQuery): Promise<Readable> {
  const { dashboard, tiles } = await loadTiles(context, found, query);
  // a rejection that comes before its tile's turn must not count as unhandled
  for (const tile of tiles) tile.catch(() => {});
  return Readable.from(messages(dashboard, tiles));
}

async function* messages(dashboard: object, tiles: readonly Promise<Tile>[]): AsyncGenerator<string> {
  const first = await Promise.all(tiles.slice(0, FIRST_TILES));
  yield message({ type: 'metadata', dashboard: { ...dashboard, tiles: first } });
  for (const tile of first) yield* errorMessage(tile);
  for (const later of tiles.slice(FIRST_TILES)) {
    const tile = await later;
    yield message({ type: 'tile', order: tile.order, tile });
    yield* errorMessage(tile);
  }
  yield message({ type: 'complete' });
}

function* errorMessage({ id, error }: Tile): Generator<string> {
  if (error) yield message({ type: 'error', tile_id: id, error: error.message });
}

const message = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** The view of a dashboard with the overrides of a request, and a promise for the view of each tile. */
async function loadTiles(context: ProjectContext, { row, access }: FoundDashboard, query: RetrieveQuery, found?: FoundTiles) {
  const { deps, project, reply } = context;
  const tiles = found ?? (await findTiles(context, row.id));
  const overridden = withOverrides(row, query);
  const results = createResultLoader(deps, project, queryAccessOf(context), freshnessOf(query), disconnectSignal(reply.raw));
  const none: Tile[] = [];
  return {
    dashboard: dashboardView(context, access, overridden, none),
    tiles: tileViews(context, tiles, overridden, results),
  };
}

/** Tells whether insights on a dashboard, or what their results show, are hidden from the caller. */
export async function hasHiddenTiles(context: AccessContext, dashboard: QueryOverrides & { id: number }): Promise<boolean> {
  const [rows, access] = await readTiles(context, dashboard.id);
  if (visible(rows, access).length < rows.length) return true;
  const queries = rows.map(({ insight }) => (insight?.query ? applyOverrides(insight.query, dashboard) : null));
  return hidesResults(context.deps.db, context.project.id, queries, queryAccessOf(context));
}

/** The tiles of a dashboard whose insights the caller may see, in reading order. */
export const visibleTiles = async (context: AccessContext, dashboardId: number): Promise<TileRow[]> =>
  visible(...(await readTiles(context, dashboardId)));

/** Leaves out the tiles whose insights the access rules hide. */
export const visible = (rows: readonly TileRow[], insights: Access): TileRow[] =>
  rows.filter(({ insight }) => insight === null || insights.levelOn(insight) !== 'none');

async function findTiles(context: ProjectContext, dashboardId: number, insights?: Access): Promise<FoundTiles> {
  const [rows, access] = await readTiles(context, dashboardId, insights);
  return { rows: visible(rows, access), access };
}

const readTiles = ({ deps, ...context }: AccessContext, id: number, insights?: Access): Promise<[TileRow[], Access]> =>
  Promise.all([
    tilesOf(deps.db, context.project.id, id, context.principal.userId),
    insights ?? accessOf({ deps, ...context }, 'insight'),
  ]);

const tileViews = (context: ProjectContext, { rows, access }: FoundTiles, overrides: QueryOverrides, results: ResultLoader) =>
  rows.map(async (row, order) => {
    const query = row.insight?.query ? applyOverrides(row.insight.query, overrides) : null;
    return tileView(context, access, row, order, await results.load(query));
  });

async function recordAccess({ deps, project }: ProjectContext, { id, last_accessed_at: last }: DashboardRow): Promise<void> {
  const now = deps.clock.now();
  if (last && now - last.getTime() < ACCESS_INTERVAL_MS) return;
  try {
    await stampAccess(deps.db, project.id, id, new Date(now));
  } catch (error) {
    // reads must work while the database is read-only
    deps.log.warn({ err: error }, 'the access to a dashboard could not be recorded');
  }
}

/** Applies the overrides of a request to the filters and variables of a dashboard. The stored row stays as it is. */
const withOverrides = <Row extends { filters: JsonObject; variables: JsonObject }>(
  row: Row,
  { filters_override: filters = {}, variables_override: variables = {} }: RetrieveQuery,
): Row => ({
  ...row,
  filters: { ...row.filters, ...filters },
  variables: { ...row.variables, ...mergeVariables(row.variables, variables) },
});

/** Overrides single fields of stored variables: requests often send the value alone. */
const mergeVariables = (stored: JsonObject, variables: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(variables).map(([id, variable]) => {
      const before = Object.hasOwn(stored, id) ? stored[id] : null;
      return [id, isObject(before) && isObject(variable) ? { ...before, ...variable } : variable];
    }),
  );
