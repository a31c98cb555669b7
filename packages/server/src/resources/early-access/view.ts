import { isoTime } from '../../http/dates.js';
import type { FeatureRow } from './store.js';

/** A feature as responses show it; `isHidden`: the access rules hide its flag from the caller. */
export const featureView = (projectId: number, { feature_flag: flag, ...row }: FeatureRow, isHidden: boolean) => ({
  id: row.id,
  feature_flag: flag && !isHidden ? flagView(projectId, flag) : null,
  name: row.name,
  description: row.description,
  stage: row.stage,
  documentation_url: row.documentation_url,
  payload: row.payload,
  created_at: isoTime(row.created_at),
});

const flagView = (projectId: number, { created_by: _, ...flag }: NonNullable<FeatureRow['feature_flag']>) => ({
  ...flag,
  team_id: projectId,
});
