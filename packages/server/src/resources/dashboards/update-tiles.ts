import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { DbTransaction } from '../../ports/db.js';
import { type ActivityEntry, changesBetween, recordActivities } from '../activity/index.js';
import {
  copyTilesWithContents,
  insertTiles,
  insightsOnTiles,
  type TileChange,
  type TileRow,
  tilesOf,
  updateTiles,
} from '../tiles/index.js';
import { makeTiles } from './new-tiles.js';
import { tileEntry } from './note.js';
import type { PatchFields } from './schema.js';
import { readCopies, readTiles, requireFound, type TileChanges } from './tile-changes.js';
import { visible } from './tile-view.js';

/**
 * Adds, changes and copies tiles of a dashboard as a request asks for, in the transaction that holds it.
 * @throws ApiError does_not_exist, required
 */
export async function changeTiles(
  tx: DbTransaction,
  context: ProjectContext,
  { id }: { id: number },
  insights: Access,
  fields: Pick<PatchFields, 'tiles' | 'duplicate_tiles'>,
  now: Date,
): Promise<void> {
  const { deps, project, principal } = context;
  const before = await tilesOf(tx, project.id, id, principal.userId);
  const changes = readTiles(fields.tiles ?? [], before, principal.userId);
  const seen = await changesOfSeen(tx, context, id, insights, changes);
  requireFound(changes, await updateTiles(tx, project.id, id, seen, now));
  await insertTiles(tx, project.id, id, await makeTiles(tx, context, insights, changes.add, now), now);
  if (fields.duplicate_tiles?.length) {
    const only = readCopies(fields.duplicate_tiles, visible(before, insights));
    await copyTilesWithContents(tx, deps.ids, project.id, { from: id, to: id, userId: principal.userId, now, only });
  }
  const after = await tilesOf(tx, project.id, id, principal.userId);
  await recordActivities(tx, deps, tileEntries(context, id, before, after));
}

/** The changes of tiles whose insights the caller may see, removed tiles included. */
async function changesOfSeen(
  tx: DbTransaction,
  { project }: ProjectContext,
  dashboardId: number,
  insights: Access,
  { change }: TileChanges,
): Promise<TileChange[]> {
  const shown = await insightsOnTiles(tx, project.id, dashboardId, [...change.keys()]);
  const hidden = new Set(shown.filter((insight) => insights.levelOn(insight) === 'none').map(({ tile_id }) => tile_id));
  return [...change.values()].filter(({ id }) => !hidden.has(id));
}

/** What happened to the tiles of a dashboard, for the activity log. */
function tileEntries(context: ProjectContext, dashboardId: number, before: TileRow[], after: TileRow[]): ActivityEntry[] {
  const old = new Map(before.map((tile) => [tile.id, tile]));
  const now = new Set(after.map(({ id }) => id));
  // the name of an insight is not told: who sees the dashboard may not see it
  const told = (tile: TileRow) => ({ id: tile.id, name: null });
  return [
    ...after.map((tile) => {
      const was = old.get(tile.id);
      const changes = was ? changesBetween('DashboardTile', fieldsOf(was), fieldsOf(tile), ['body', 'layouts', 'color']) : [];
      return tileEntry(context, dashboardId, told(tile), { activity: was ? 'updated' : 'created', changes });
    }),
    ...before
      .filter(({ id }) => !now.has(id))
      .map((tile) => tileEntry(context, dashboardId, told(tile), { activity: 'deleted' })),
  ];
}

const fieldsOf = ({ layouts, color, text }: TileRow) => ({ layouts, color, body: text?.body ?? null });
