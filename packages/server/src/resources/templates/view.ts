import { isoTime } from '../../http/dates.js';
import type { BuiltIn } from './built-in.js';
import type { TemplateRow } from './store.js';

/** A template as responses show it. */
export const templateView = (row: TemplateRow) => ({
  id: row.id,
  template_name: row.template_name,
  dashboard_description: row.dashboard_description,
  dashboard_filters: row.dashboard_filters,
  tags: row.tags,
  tiles: row.tiles,
  variables: row.variables,
  deleted: row.deleted,
  created_at: isoTime(row.created_at),
  created_by: row.created_by,
  image_url: row.image_url,
  team_id: row.project_id,
  scope: row.scope,
});

/** A built-in template, in the same shape. */
export const builtInView = ({ id, template }: BuiltIn) => ({
  id,
  ...template,
  deleted: false,
  created_at: null,
  created_by: null,
  image_url: null,
  team_id: null,
  scope: 'global',
});
