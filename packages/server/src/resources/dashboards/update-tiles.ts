import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { type ActivityEntry, changesBetween, recordActivities } from '../activity/index.js';
import {
  copyTilesWithContents,
  insertTiles,
  insightsOnTiles,
  moveTile,
  type TileChange,
  type TileRow,
  tilesOf,
  updateTiles,
} from '../tiles/index.js';
import { type FoundDashboard, requireEditable } from './access.js';
import { tileEntry } from './activity.js';
import { type IndexedTile, makeTiles } from './new-tiles.js';
import { visible } from './retrieve.js';
import type { CopyFields, PatchFields, TileFields } from './schema.js';
import { countChange, type DashboardRow, readDashboard } from './store.js';

/**
 * Adds, changes and copies tiles of a dashboard, in the transaction that has locked it. `insights`: the caller's access to insights.
 * @throws ApiError does_not_exist, required, permission_denied, with the path of the tile
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
  const changes = sortTiles(fields.tiles ?? [], before, principal.userId);
  const changed = await visibleChanges(tx, context, id, insights, changes);
  requireFound(changes, await updateTiles(tx, project.id, id, changed, now));
  await insertTiles(tx, project.id, id, await makeTiles(tx, context, insights, changes.add, now), now);
  if (fields.duplicate_tiles?.length) {
    const only = toCopies(fields.duplicate_tiles, visible(before, insights));
    await copyTilesWithContents(tx, deps.ids, project.id, { from: id, to: id, userId: principal.userId, now, only });
  }
  const after = await tilesOf(tx, project.id, id, principal.userId);
  await recordActivities(tx, deps, tileEntries(context, id, before, after));
}

/** The changes of tiles whose insights the caller may see, removed tiles included. Changes of hidden tiles end as 404. */
async function visibleChanges(
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

/** The entries of the activity log for the difference between two states of a dashboard's tiles. */
function tileEntries(context: ProjectContext, dashboardId: number, before: TileRow[], after: TileRow[]): ActivityEntry[] {
  const old = new Map(before.map((tile) => [tile.id, tile]));
  const now = new Set(after.map(({ id }) => id));
  return [
    ...after.map((tile) => {
      const was = old.get(tile.id);
      const changes = was ? changesBetween('DashboardTile', fieldsOf(was), fieldsOf(tile), ['body', 'layouts', 'color']) : [];
      return tileEntry(context, dashboardId, tile.id, { activity: was ? 'updated' : 'created', changes });
    }),
    ...before.filter(({ id }) => !now.has(id)).map(({ id }) => tileEntry(context, dashboardId, id, { activity: 'deleted' })),
  ];
}

const fieldsOf = ({ layouts, color, text }: TileRow) => ({ layouts, color, body: text?.body ?? null });

/** The tiles of a request, sorted into new ones and changes. */
interface TileChanges {
  add: IndexedTile[];
  /** By id of the tile. */
  change: Map<number, TileChange>;
  /** The first index of each changed tile in the request, for errors. */
  indexes: Map<number, number>;
}

/**
 * Sorts the tiles of a request. If a tile is there twice, the later fields win. `live`: the tiles of the dashboard; `userId`: the caller.
 * @throws ApiError does_not_exist: a text that is not on the dashboard
 */
function sortTiles(tiles: readonly TileFields[], live: readonly Pick<TileRow, 'id' | 'text'>[], userId: number): TileChanges {
  const byText = new Map(live.flatMap(({ id, text }) => (text ? [[text.id, id] as const] : [])));
  const changes: TileChanges = { add: [], change: new Map(), indexes: new Map() };
  for (const [index, tile] of tiles.entries()) {
    const id = tile.id ?? tileOfText(tile, index, byText);
    if (id === null) {
      if (!tile.deleted) changes.add.push({ index, fields: tile });
      continue;
    }
    changes.change.set(id, { ...changes.change.get(id), ...toChange(tile, id, userId) });
    if (!changes.indexes.has(id)) changes.indexes.set(id, index);
  }
  return changes;
}

/** Refuses a request that changes tiles which are not in `found`. @throws ApiError does_not_exist */
function requireFound({ indexes }: TileChanges, found: readonly number[]): void {
  for (const [id, index] of indexes) if (!found.includes(id)) throw doesNotExist(id, `tiles__${index}__id`);
}

/** The tiles to copy. `live`: the tiles that the caller sees. @throws ApiError does_not_exist: another tile */
function toCopies(copies: readonly CopyFields[], live: readonly Pick<TileRow, 'id'>[]) {
  const known = new Set(live.map(({ id }) => id));
  for (const [index, { id }] of copies.entries()) if (!known.has(id)) throw doesNotExist(id, `duplicate_tiles__${index}__id`);
  return copies.map(({ id, layouts }) => ({ id, layouts: layouts ?? undefined }));
}

function tileOfText({ text }: TileFields, index: number, byText: ReadonlyMap<number, number>): number | null {
  if (text?.id === undefined || text.id === null) return null;
  const id = byText.get(text.id);
  if (id === undefined) throw doesNotExist(text.id, `tiles__${index}__text__id`);
  return id;
}

const doesNotExist = (id: number, attr: string): ApiError =>
  new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr);

function toChange({ text, layouts, color, deleted }: TileFields, id: number, userId: number): TileChange {
  const change: TileChange = { id };
  if (layouts) change.layouts = layouts;
  if (color !== undefined) change.color = color;
  if (typeof deleted === 'boolean') change.deleted = deleted;
  if (text?.body !== undefined) change.text = { body: text.body, last_modified_by: userId };
  return change;
}

/**
 * Moves a tile to another dashboard, which the caller must be able to edit, too. `insights`: the caller's access to insights.
 * @throws ApiError not_found: no such tile or dashboard; permission_denied
 */
export async function moveToDashboard(
  context: ProjectContext,
  { row: from, access }: FoundDashboard,
  tileId: number,
  toDashboard: number,
  insights: Access,
): Promise<void> {
  const { deps, project, principal } = context;
  await inTransaction(deps.db, async (tx) => {
    for (const row of await lockBoth(tx, context, from.id, toDashboard)) requireEditable(context, { row, access });
    const shown = await insightsOnTiles(tx, project.id, from.id, [tileId]);
    if (shown.some((insight) => insights.levelOn(insight) === 'none')) throw new ApiError('not_found');
    if (!(await moveTile(tx, project.id, tileId, from.id, toDashboard))) throw new ApiError('not_found');
    const changes = [
      { type: 'DashboardTile', action: 'changed', field: 'dashboard', before: from.id, after: toDashboard } as const,
    ];
    await countChange(tx, project.id, [from.id, toDashboard], principal.userId, new Date(deps.clock.now()));
    await recordActivities(tx, deps, [tileEntry(context, from.id, tileId, { activity: 'moved', changes })]);
  });
}

/** Locks both dashboards in the order of their ids: two moves in opposite directions would deadlock otherwise. */
async function lockBoth(tx: DbTransaction, context: ProjectContext, from: number, to: number): Promise<DashboardRow[]> {
  const rows: DashboardRow[] = [];
  for (const id of [...new Set([from, to])].sort((a, b) => a - b)) {
    const row = await readDashboard(tx, context.project.id, id, context.principal.userId, { lock: true });
    if (!row || row.deleted) throw new ApiError('not_found');
    rows.push(row);
  }
  return rows;
}
