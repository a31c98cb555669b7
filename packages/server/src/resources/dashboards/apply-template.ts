import type { Db } from '../../ports/db.js';
import type { Ids } from '../../ports/system.js';
import type { Template, TemplateTile } from '../templates/index.js';
import { newShortId } from '../tiles/index.js';
import { insertSamples, type SampleTile } from './template-store.js';

/** Puts what a template says on a dashboard, as samples that nobody made. To be called in a transaction. */
export const applyTemplate = (
  db: Db,
  ids: Ids,
  projectId: number,
  dashboardId: number,
  { tiles }: Template,
  now: Date,
): Promise<void> =>
  insertSamples(
    db,
    projectId,
    dashboardId,
    tiles.map((tile) => toSample(tile, ids)),
    now,
  );

function toSample(tile: TemplateTile, ids: Ids): SampleTile {
  const { layouts, color } = tile;
  if (tile.type === 'TEXT') {
    return { short_id: null, name: null, description: '', query: null, filters: {}, body: tile.body, layouts, color };
  }
  const { name, description, query, filters } = tile;
  return { short_id: newShortId(ids), name, description, query, filters, body: null, layouts, color };
}
