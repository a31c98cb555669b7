import { type Access, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import { findTemplate, type Template } from '../templates/index.js';
import { copyTiles, copyTilesWithContents, insertTiles } from '../tiles/index.js';
import { applyTemplate } from './apply-template.js';
import { EMPTY, type Start } from './create.js';
import { isEditable } from './find-dashboard.js';
import { makeTiles } from './new-tiles.js';
import type { CreateFields, TileFields } from './schema.js';
import { readDashboard } from './store.js';
import { visibleTiles } from './tile-view.js';

/**
 * What a new dashboard of the request starts from.
 * @throws ApiError invalid_input: no such template or dashboard; permission_denied: not theirs to see
 */
export function findStart(context: ProjectContext, access: Access, fields: CreateFields): Promise<Start> {
  const { use_template: key, use_dashboard: id } = fields;
  if (key) return fromTemplateOf(context, key);
  if (id) return fromDashboard(context, access, id, fields.duplicate_tiles ?? false);
  const { tiles } = fields;
  return Promise.resolve(tiles?.length ? withTiles(context, tiles) : EMPTY);
}

/** A dashboard with the tiles of the request. */
const withTiles = (context: ProjectContext, tiles: readonly TileFields[]): Start => ({
  ...EMPTY,
  fill: async (tx, dashboardId, now) => {
    const within = { ...context, deps: { ...context.deps, db: tx } };
    const added = tiles.flatMap((fields, index) => (fields.deleted ? [] : [{ index, fields }]));
    const made = await makeTiles(tx, within, await accessOf(within, 'insight'), added, now);
    await insertTiles(tx, context.project.id, dashboardId, made, now);
  },
});

async function fromTemplateOf(context: ProjectContext, key: string): Promise<Start> {
  const template = await findTemplate(context.deps.db, context.project.id, key);
  if (!template) throw new ApiError('invalid_input', `Invalid template provided: ${key}`, 'use_template');
  return fromTemplate(context, template);
}

/** A dashboard like the template says. */
export const fromTemplate = ({ deps, project }: ProjectContext, template: Template): Start => ({
  creation_mode: 'template',
  defaults: {
    name: template.template_name,
    description: template.dashboard_description,
    filters: template.dashboard_filters,
    tags: template.tags,
  },
  fill: (tx, dashboardId, now) => applyTemplate(tx, deps.ids, project.id, dashboardId, template, now),
});

async function fromDashboard(context: ProjectContext, access: Access, from: number, withContents: boolean): Promise<Start> {
  const { deps, project, principal } = context;
  const source = objectId(String(from)) === null ? null : await readDashboard(deps.db, project.id, from, principal.userId);
  if (!source || source.deleted) throw new ApiError('invalid_input', 'Invalid value provided', 'use_dashboard');
  access.requireOn(source, 'viewer');
  // who shares contents may change them, and so those of the source
  const withOwn = withContents || !isEditable(context, { dashboard: source, access });
  const only = withOwn ? await visibleTiles(context, from) : [];
  return {
    creation_mode: 'duplicate',
    defaults: { filters: source.filters, variables: source.variables },
    // what the caller may not see is not copied into something of theirs
    fill: (tx, to, now) =>
      withOwn
        ? copyTilesWithContents(tx, deps.ids, project.id, { from, to, userId: principal.userId, now, only })
        : copyTiles(tx, project.id, from, to),
  };
}
