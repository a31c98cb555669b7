import { type Access, CAN_VIEW, reaches } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { EMPTY_RESULT, type InsightResultFields } from '../results/index.js';
import type { InsightRow } from '../tiles/index.js';
import { insightLevels } from './access.js';

/** The caller and the project of a response. */
export type ViewContext = Pick<ProjectContext, 'principal' | 'level' | 'project'>;

const time = (text: string): string => isoTime(new Date(text));

/** An insight in lists with `basic=true`, which need no result. */
export const basicInsightView = (access: Access, row: InsightRow) => ({
  id: row.id,
  short_id: row.short_id,
  name: row.name,
  derived_name: row.derived_name,
  query: row.query,
  filters: row.filters,
  dashboards: row.places.map(({ id }) => id),
  dashboard_tiles: row.places.map(({ tile_id, id }) => ({ id: tile_id, dashboard_id: id, deleted: false })),
  description: row.description,
  last_refresh: null as string | null,
  saved: row.saved,
  tags: row.tags,
  favorited: row.favorited,
  created_at: time(row.created_at),
  created_by: row.creator,
  updated_at: time(row.updated_at),
  last_modified_at: time(row.last_modified_at),
  user_access_level: access.levelOn(row),
});

/** An insight in full; `access`: the caller's access to insights. Without a result its fields are null. */
export const insightView = (
  context: ViewContext,
  access: Access,
  row: InsightRow,
  result: InsightResultFields = EMPTY_RESULT,
) => {
  const basic = basicInsightView(access, row);
  const levels = insightLevels(context, row);
  if (!reaches(basic.user_access_level, 'editor')) levels.effective_privilege_level = CAN_VIEW;
  // `Object.assign`, because V8 builds literals with fields after a spread ten times slower
  return Object.assign(
    basic,
    { order: row.order, deleted: row.deleted, last_modified_by: row.last_modified_by, is_sample: row.is_sample },
    levels,
    { timezone: context.project.timezone },
    result,
  );
};
