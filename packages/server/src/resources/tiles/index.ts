/** The tiles of dashboards, with the rows of the insights and texts that they show. Has no routes of its own. */
export { type Copies, copyTiles, copyTilesWithContents } from './copy-store.js';
export { type InsightRow, insightJson, newShortId, type PlaceRow, type TextRow } from './insight-row.js';
export { inReadingOrder, placeOf, type TilePlace } from './layout.js';
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
