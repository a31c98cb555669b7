import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../identity/index.js';
import type { DbTransaction } from '../../ports/db.js';
import { type ActivityEntry, changesBetween, recordActivities } from '../activity/index.js';
import { copyTilesWithContents, insertTiles, type TileRow, tilesOf, updateTiles } from '../tiles/index.js';
import { tileEntry } from './note.js';
import type { PatchFields } from './schema.js';
import { readCopies, readTiles, requireFound } from './tile-changes.js';
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
  requireFound(changes, await updateTiles(tx, project.id, id, [...changes.change.values()], now));
  await insertTiles(tx, project.id, id, changes.add, now);
  if (fields.duplicate_tiles?.length) {
    const only = readCopies(fields.duplicate_tiles, visible(before, insights));
    await copyTilesWithContents(tx, deps.ids, project.id, { from: id, to: id, userId: principal.userId, now, only });
  }
  const after = await tilesOf(tx, project.id, id, principal.userId);
  await recordActivities(tx, deps, tileEntries(context, id, before, after));
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
