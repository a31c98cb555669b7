import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { insertInsights, type NewInsight, newInsight, readInsight } from '../insights/index.js';
import type { NewTile } from '../tiles/index.js';
import { type InsightOfTile, insightOfTile, type TileFields } from './schema.js';

/** A new tile of a request, and its index there for errors. */
export interface IndexedTile {
  index: number;
  fields: TileFields;
}

/** A new tile: with the content that it shows, or with the insight to make first. */
type Prepared = { layouts: NewTile['layouts']; color: NewTile['color'] } & (
  | { tile: { insight_id: number } | { text: { body: string | null; created_by: number } } }
  | { insight: NewInsight }
);

/**
 * Prepares the tiles that a request adds to a dashboard, and makes the insights that it describes. A tile shows an existing insight if
 * it has its `id` (and its `short_id`, where it has one). Any other insight needs a query or filters and is made. `insights`: the
 * caller's access to insights.
 * @throws ApiError does_not_exist, required, permission_denied, with the path of the tile
 */
export async function makeTiles(
  tx: DbTransaction,
  context: ProjectContext,
  insights: Access,
  tiles: readonly IndexedTile[],
  now: Date,
): Promise<NewTile[]> {
  const { deps, project } = context;
  const prepared: Prepared[] = [];
  for (const { index, fields } of tiles) {
    const { layouts, color } = fields;
    prepared.push({
      layouts: layouts ?? {},
      color: color ?? null,
      ...(await contentOf(tx, context, insights, fields, `tiles__${index}`)),
    });
  }
  const made = prepared.flatMap((one) => ('insight' in one ? [one.insight] : []));
  if (made.length > 0) insights.requireResource('editor');
  const ids = await insertInsights(tx, deps.ids, project.id, made, now);
  return prepared.map((one) => {
    const { layouts, color } = one;
    return { layouts, color, ...('insight' in one ? { insight_id: ids[made.indexOf(one.insight)] ?? 0 } : one.tile) };
  });
}

async function contentOf(tx: DbTransaction, context: ProjectContext, insights: Access, tile: TileFields, at: string) {
  const { text } = tile;
  const { userId } = context.principal;
  if (text) return { tile: { text: { body: text.body ?? null, created_by: userId } } };
  if (tile.insight === undefined || tile.insight === null) throw new ApiError('required', undefined, `${at}__text`);
  const insight = prefixErrors(`${at}__insight`, () => validate(insightOfTile, tile.insight));
  const found = await findInsight(tx, context, insight);
  if (found) {
    insights.requireOn(found, 'viewer');
    return { tile: { insight_id: found.id } };
  }
  if (!insight.query && Object.keys(insight.filters ?? {}).length === 0) {
    const { id } = insight;
    const message = id ? `Invalid pk "${id}" - object does not exist.` : 'An insight needs an id or a query.';
    throw new ApiError(id ? 'does_not_exist' : 'required', message, `${at}__insight`);
  }
  return prefixErrors(`${at}__insight`, () => ({ insight: { ...newInsight(insight), created_by: userId } }));
}

/** Runs the validation of a part of a request, and puts the path of the part before that of an error. */
function prefixErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { detail, attr } = error.body;
    throw new ApiError(error.code, detail, attr === null ? path : `${path}__${attr}`);
  }
}

/** The existing insight that a tile names; null: the tile describes a new one, or comes from another project. */
async function findInsight(tx: DbTransaction, { project, principal }: ProjectContext, { id, short_id: shortId }: InsightOfTile) {
  if (!id) return null;
  const found = await readInsight(tx, project.id, { id }, principal.userId);
  return found && !found.deleted && (!shortId || shortId === found.short_id) ? found : null;
}
