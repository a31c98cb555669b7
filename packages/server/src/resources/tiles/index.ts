/** The tiles of dashboards, with the rows of the insights and texts that they show. Has no routes of its own. */
export { type InsightRow, insightJson, newShortId } from './insight-row.js';
export { inReadingOrder, placeOf, type TilePlace } from './layout.js';
export {
  copyTiles,
  copyTilesWithContents,
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
