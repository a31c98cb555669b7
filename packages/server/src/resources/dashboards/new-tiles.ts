import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { insertInsights, type NewInsight, newInsight, readInsight } from '../insights/index.js';
import type { NewTile } from '../tiles/index.js';
import { type InsightOfTile, insightOfTile, type TileFields } from './schema.js';
import type { PlacedFields } from './tile-changes.js';

/** A new tile with the insight that is to be made for it. */
type Placed = { layouts: NewTile['layouts']; color: NewTile['color'] } & (
  | { tile: { insight_id: number } | { text: { body: string | null; created_by: number } } }
  | { insight: NewInsight }
);

/**
 * The tiles that a request adds to a dashboard, with the insights made that it describes. An insight with an id of the project, and
 * with its short_id where one is given, is put on the dashboard as it is; any other one needs a query (or filters) and is made anew.
 * @throws ApiError does_not_exist, required, permission_denied, naming the tile
 */
export async function makeTiles(
  tx: DbTransaction,
  context: ProjectContext,
  insights: Access,
  tiles: readonly PlacedFields[],
  now: Date,
): Promise<NewTile[]> {
  const { deps, project } = context;
  const placed: Placed[] = [];
  for (const { index, fields } of tiles) {
    const look = { layouts: fields.layouts ?? {}, color: fields.color ?? null };
    placed.push({ ...look, ...(await contentOf(tx, context, insights, fields, `tiles__${index}`)) });
  }
  const made = placed.flatMap((one) => ('insight' in one ? [one.insight] : []));
  if (made.length > 0) insights.requireResource('editor');
  const ids = await insertInsights(tx, deps.ids, project.id, made, now);
  return placed.map((one) => {
    const { layouts, color } = one;
    return { layouts, color, ...('insight' in one ? { insight_id: ids[made.indexOf(one.insight)] ?? 0 } : one.tile) };
  });
}

async function contentOf(tx: DbTransaction, context: ProjectContext, insights: Access, tile: TileFields, at: string) {
  const { text } = tile;
  const { userId } = context.principal;
  if (text) return { tile: { text: { body: text.body ?? null, created_by: userId } } };
  if (tile.insight === undefined || tile.insight === null) throw new ApiError('required', undefined, `${at}__text`);
  const insight = within(`${at}__insight`, () => validate(insightOfTile, tile.insight));
  const found = await findInsight(tx, context, insight);
  if (found) {
    insights.requireOn({ id: found.id, created_by: found.created_by_id }, 'viewer');
    return { tile: { insight_id: found.id } };
  }
  if (!insight.query && Object.keys(insight.filters ?? {}).length === 0) {
    const { id } = insight;
    const message = id ? `Invalid pk "${id}" - object does not exist.` : 'An insight needs an id or a query.';
    throw new ApiError(id ? 'does_not_exist' : 'required', message, `${at}__insight`);
  }
  return within(`${at}__insight`, () => ({ insight: { ...newInsight(insight), created_by: userId } }));
}

/** What is wrong with a part of a request, told by its place in the whole. */
function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { detail, attr } = error.body;
    throw new ApiError(error.code, detail, attr === null ? place : `${place}__${attr}`);
  }
}

/** The insight of the project that a tile names; null: it has none such, because the tile comes from elsewhere or describes a new one. */
async function findInsight(tx: DbTransaction, { project, principal }: ProjectContext, { id, short_id: shortId }: InsightOfTile) {
  if (!id) return null;
  const found = await readInsight(tx, project.id, { id }, principal.userId);
  return found && !found.deleted && (!shortId || shortId === found.short_id) ? found : null;
}
