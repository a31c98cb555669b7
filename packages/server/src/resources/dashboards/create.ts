import { type Access, accessOf, EVERYONE_EDITS } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction, withTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { insertInsights, type NewInsight } from '../insights/index.js';
import { findTemplate, type Template, type TemplateTile } from '../templates/index.js';
import { copyTiles, copyTilesWithContents, insertTiles } from '../tiles/index.js';
import { isEditable } from './access.js';
import { dashboardEntry } from './activity.js';
import { makeTiles } from './new-tiles.js';
import { visibleTiles } from './retrieve.js';
import type { CreateFields, TileFields } from './schema.js';
import { type DashboardRow, insertDashboard, type NewDashboard, readDashboard } from './store.js';

/** What a new dashboard starts from. */
export interface Origin {
  creation_mode: NewDashboard['creation_mode'];
  /** Values of fields that the request leaves out. */
  defaults: Partial<Pick<NewDashboard, 'name' | 'description' | 'filters' | 'variables' | 'tags'>>;
  /** Puts tiles on the dashboard; null: it starts without tiles. */
  addTiles: ((tx: DbTransaction, dashboardId: number, now: Date) => Promise<void>) | null;
}

const EMPTY: Origin = { creation_mode: 'default', defaults: {}, addTiles: null };

/** Creates a dashboard with its tiles, in one transaction. */
export function createDashboard(context: ProjectContext, fields: CreateFields, origin: Origin): Promise<DashboardRow> {
  const { deps, project } = context;
  const now = new Date(deps.clock.now());
  return inTransaction(deps.db, async (tx) => {
    const row = await insertDashboard(tx, project.id, toNew(context, fields, origin), now);
    await origin.addTiles?.(tx, row.id, now);
    await recordActivity(tx, deps, dashboardEntry(context, row, { activity: 'created' }));
    return row;
  });
}

const toNew = ({ principal }: ProjectContext, fields: CreateFields, { creation_mode, defaults }: Origin): NewDashboard => ({
  name: (fields.name || defaults.name) ?? fields.name ?? null,
  description: fields.description ?? defaults.description ?? '',
  pinned: fields.pinned ?? false,
  deleted: fields.deleted ?? false,
  creation_mode,
  use_template: fields.use_template || null,
  use_dashboard: fields.use_dashboard || null,
  delete_insights: fields.delete_insights ?? false,
  filters: fields.filters ?? defaults.filters ?? {},
  variables: fields.variables ?? defaults.variables ?? {},
  tags: fields.tags ?? defaults.tags ?? [],
  restriction_level: fields.restriction_level ?? EVERYONE_EDITS,
  created_by: principal.userId,
});

/**
 * Finds the template or dashboard that a request starts from. `access`: the caller's access to dashboards.
 * @throws ApiError invalid_input: there is no such template or dashboard; permission_denied: it is hidden from the caller
 */
export function findOrigin(context: ProjectContext, access: Access, fields: CreateFields): Promise<Origin> {
  const { use_template: key, use_dashboard: id, tiles } = fields;
  if (key) return fromTemplateOf(context, key);
  if (id) return fromDashboard(context, access, id, fields.duplicate_tiles ?? false);
  return Promise.resolve(tiles?.length ? fromTiles(context, tiles) : EMPTY);
}

const fromTiles = (context: ProjectContext, tiles: readonly TileFields[]): Origin => ({
  ...EMPTY,
  addTiles: async (tx, dashboardId, now) => {
    const within = withTransaction(context, tx);
    const added = tiles.flatMap((fields, index) => (fields.deleted ? [] : [{ index, fields }]));
    const made = await makeTiles(tx, within, await accessOf(within, 'insight'), added, now);
    await insertTiles(tx, context.project.id, dashboardId, made, now);
  },
});

async function fromTemplateOf(context: ProjectContext, key: string): Promise<Origin> {
  const template = await findTemplate(context.deps.db, context.project.id, key);
  if (!template) throw new ApiError('invalid_input', `Invalid template provided: ${key}`, 'use_template');
  return fromTemplate(context, template);
}

/** Starts a dashboard from a template. Its insights are samples without a creator. */
export const fromTemplate = ({ deps, project }: ProjectContext, template: Template): Origin => ({
  creation_mode: 'template',
  defaults: {
    name: template.template_name,
    description: template.dashboard_description,
    filters: template.dashboard_filters,
    tags: template.tags,
  },
  addTiles: async (tx, dashboardId, now) => {
    const samples = template.tiles.filter((tile) => tile.type === 'INSIGHT');
    const ids = await insertInsights(tx, deps.ids, project.id, samples.map(toSample), now);
    const idOf = new Map<TemplateTile, number>(samples.flatMap((tile, index) => [[tile, ids[index] ?? 0]]));
    const tiles = template.tiles.map((tile) => ({
      layouts: tile.layouts,
      color: tile.color,
      ...(tile.type === 'TEXT' ? { text: { body: tile.body, created_by: null } } : { insight_id: idOf.get(tile) ?? 0 }),
    }));
    await insertTiles(tx, project.id, dashboardId, tiles, now);
  },
});

const toSample = ({ name, description, query, filters }: Extract<TemplateTile, { type: 'INSIGHT' }>): NewInsight => ({
  name,
  derived_name: null,
  description,
  query,
  filters,
  order: null,
  deleted: false,
  saved: true,
  favorited: false,
  is_sample: true,
  tags: [],
  created_by: null,
});

async function fromDashboard(context: ProjectContext, access: Access, from: number, withContents: boolean): Promise<Origin> {
  const { deps, project, principal } = context;
  const source = objectId(String(from)) === null ? null : await readDashboard(deps.db, project.id, from, principal.userId);
  if (!source || source.deleted) throw new ApiError('invalid_input', 'Invalid value provided', 'use_dashboard');
  access.requireOn(source, 'viewer');
  // two dashboards that share insights and texts can both change them, so callers who may not edit the source get copies
  const copiesContents = withContents || !isEditable(context, { row: source, access });
  // copies belong to the caller, so they contain nothing that is hidden from the caller
  const only = copiesContents ? await visibleTiles(context, from) : [];
  return {
    creation_mode: 'duplicate',
    defaults: { filters: source.filters, variables: source.variables },
    addTiles: (tx, to, now) =>
      copiesContents
        ? copyTilesWithContents(tx, deps.ids, project.id, { from, to, userId: principal.userId, now, only })
        : copyTiles(tx, project.id, from, to),
  };
}
