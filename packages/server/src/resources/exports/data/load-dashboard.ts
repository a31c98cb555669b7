import pLimit from 'p-limit';
import { ApiError } from '../../../kernel/errors.js';
import type { JsonObject } from '../../../kernel/json.js';
import { findDashboard, visibleTiles } from '../../dashboards/index.js';
import { findInsight } from '../../insights/index.js';
import { describeDateRange, applyOverrides, type QueryOverrides } from '../../results/index.js';
import { type InsightRow, placeOf, type TileRow } from '../../tiles/index.js';
import { compute, type Reading } from './compute.js';
import type { Item, Material } from './export-data.js';

/** How many tiles are computed at the same time: a slow one does not hold up those behind it. */
const AT_ONCE = 3;

/** A dashboard with all tiles that its reader may see; what cannot be computed of one says so in its place. */
export async function loadDashboard(reading: Reading, id: number): Promise<Material> {
  const { dashboard } = await findDashboard(reading.reader, String(id));
  const tiles = await visibleTiles(reading.reader, id);
  const limit = pLimit(AT_ONCE);
  const items = await limit.map(tiles, (tile) => itemOf(reading, tile, dashboard));
  return { kind: 'board', title: dashboard.name ?? '', note: dashboard.description, items };
}

/** One insight; a dashboard's filters and variables are laid over when it is named. */
export async function loadInsight(reading: Reading, id: number, dashboardId: number | null): Promise<Material> {
  const { row } = await findInsight({ ...reading.reader, params: { id: String(id) } });
  const overlay =
    dashboardId === null ? { filters: {}, variables: {} } : (await findDashboard(reading.reader, String(dashboardId))).dashboard;
  if (!row.query) throw new ApiError('invalid_input', 'This insight has no query.');
  const query = applyOverrides(row.query, overlay);
  const answer = await compute(reading, query);
  const item: Item = {
    insightId: row.id,
    title: insightName(row),
    note: describeDateRange(query),
    place: null,
    content: { kind: 'answer', query, answer },
  };
  return { kind: 'board', title: null, note: row.description, items: [item] };
}

/** A query that no insight has. */
export async function loadQuery(reading: Reading, query: JsonObject, title: string): Promise<Material> {
  const answer = await compute(reading, query);
  return {
    kind: 'board',
    title: null,
    note: '',
    items: [{ insightId: null, title, note: describeDateRange(query), place: null, content: { kind: 'answer', query, answer } }],
  };
}

export const insightName = ({ name, derived_name }: Pick<InsightRow, 'name' | 'derived_name'>): string =>
  name || derived_name || 'Untitled insight';

async function itemOf(reading: Reading, tile: TileRow, overlay: QueryOverrides): Promise<Item> {
  const place = placeOf(tile.layouts);
  if (!tile.insight)
    return { insightId: null, title: '', note: '', place, content: { kind: 'text', body: tile.text?.body ?? '' } };
  const title = insightName(tile.insight);
  const insightId = tile.insight.id;
  if (!tile.insight.query)
    return { insightId, title, note: '', place, content: { kind: 'fault', message: 'This insight has no query.' } };
  const query = applyOverrides(tile.insight.query, overlay);
  const note = describeDateRange(query);
  try {
    return { insightId, title, note, place, content: { kind: 'answer', query, answer: await compute(reading, query) } };
  } catch (error) {
    // what is wrong with a query is told on its tile; when the store is away the whole export is tried again
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { insightId, title, note, place, content: { kind: 'fault', message: error.body.detail } };
  }
}
