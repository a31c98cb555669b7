export { type Copies, copyTiles, copyTilesWithContents } from './copy-store.js';
export { type InsightRow, insightJson, type PlaceRow, type TextRow } from './insight-store.js';
export { inReadingOrder } from './order.js';
export { newShortId } from './short-id.js';
export {
  deleteInsightsOnlyOn,
  deleteTilesOf,
  type InsightName,
  insertTiles,
  moveTile,
  type NewTile,
  restoreTilesOf,
  setDashboardsOfInsight,
  type TileChange,
  type TileRow,
  tilesOf,
  updateTiles,
} from './store.js';
