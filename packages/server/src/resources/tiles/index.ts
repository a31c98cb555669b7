export { type Copies, copyTiles, copyTilesWithContents } from './copy-store.js';
export { type InsightRow, insightJson, type PlaceRow, type TextRow } from './insight-store.js';
export { inReadingOrder } from './order.js';
export { placeOf, type TilePlace } from './place-of.js';
export { newShortId } from './short-id.js';
export {
  deleteInsightsOnlyOn,
  deleteTilesOf,
  type InsightName,
  insertTiles,
  insightsOnTiles,
  moveTile,
  type NewTile,
  removeTilesOfInsight,
  restoreTilesOf,
  setDashboardsOfInsight,
  type TileChange,
  type TileRow,
  tilesOf,
  updateTiles,
} from './store.js';
