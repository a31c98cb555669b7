import type { Access } from '../../access/index.js';
import { isoTime } from '../../http/dates.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { statusOf } from './status.js';
import type { FeatureOfFlag, FlagRow } from './store.js';

/** The settings of a flag besides its conditions. */
export const settingsOf = (row: FlagRow) => ({
  ensure_experience_continuity: row.ensure_experience_continuity,
  bucketing_identifier: row.bucketing_identifier,
  evaluation_runtime: row.evaluation_runtime,
  evaluation_contexts: row.evaluation_contexts,
  is_remote_configuration: row.is_remote_configuration,
  has_encrypted_payloads: row.has_encrypted_payloads,
  has_enriched_analytics: row.has_enriched_analytics,
  tags: row.tags,
});

/** A flag as responses show it. `access`: the caller's access to flags; `now`: epoch ms. */
export const flagView = (access: Access, now: number, row: FlagRow) => {
  const level = access.levelOn(row);
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    filters: row.filters,
    deleted: row.deleted,
    active: row.active,
    ...settingsOf(row),
    usage_dashboard: row.usage_dashboard_id,
    analytics_dashboards: row.analytics_dashboards,
    version: row.version,
    created_by: row.author,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    last_modified_by: row.editor,
    last_called_at: isoTime(row.last_called_at),
    is_simple_flag: soleCondition(row.filters) !== null,
    rollout_percentage: rolloutOf(row.filters),
    experiment_set: row.experiment_set,
    surveys: row.surveys,
    features: row.features.map((feature) => featureView(feature, row.key)),
    can_edit: level === 'editor' || level === 'manager',
    user_access_level: level,
    status: statusOf(row, now).status,
  };
};
export type FlagView = ReturnType<typeof flagView>;

/** The condition of a flag that has only a percentage of everybody; null for other flags. */
function soleCondition({ groups, aggregation_group_type_index: aggregation }: JsonObject): JsonObject | null {
  if (!Array.isArray(groups) || groups.length !== 1 || typeof aggregation === 'number') return null;
  const [sole] = groups;
  if (!isObject(sole) || typeof sole['aggregation_group_type_index'] === 'number') return null;
  const properties = sole['properties'] ?? [];
  return Array.isArray(properties) && properties.length === 0 ? sole : null;
}

function rolloutOf(filters: JsonObject): number | null {
  const sole = soleCondition(filters);
  if (!sole) return null;
  const percentage = sole['rollout_percentage'] ?? 100;
  return typeof percentage === 'number' ? percentage : null;
}

const featureView = ({ documentation_url: documentationUrl, ...feature }: FeatureOfFlag, flagKey: string) => ({
  ...feature,
  documentationUrl,
  flagKey,
});
