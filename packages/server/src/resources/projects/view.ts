import { projectLevel } from '../../access/index.js';
import { isoTime } from '../../http/dates.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { MembershipLevel } from '../../kernel/rights.js';
import { allSettings } from './settings.js';
import type { GroupTypeRow, ProjectRow } from './store.js';

/** A project as lists and other resources show it. */
export function projectBasicView(row: ProjectRow) {
  const settings = allSettings(toObject(row.settings));
  return {
    id: row.id,
    uuid: row.uuid,
    organization: row.organization_id,
    api_token: row.api_token,
    name: row.name,
    completed_snippet_onboarding: settings['completed_snippet_onboarding'],
    has_completed_onboarding_for: settings['has_completed_onboarding_for'],
    ingested_event: row.ingested_event,
    is_demo: row.is_demo,
    timezone: row.timezone,
    access_control: row.access_control,
  };
}

/** A project in full, for one of its members. */
export function projectView(row: ProjectRow, level: MembershipLevel, groupTypes: readonly GroupTypeRow[]) {
  return {
    ...projectBasicView(row),
    ...allSettings(toObject(row.settings)),
    project_id: row.id,
    anonymize_ips: row.anonymize_ips,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    effective_membership_level: level,
    user_access_level: projectLevel(level),
    has_group_types: groupTypes.length > 0,
    group_types: groupTypes.map((type) => ({
      ...type,
      created_at: isoTime(type.created_at),
      detail_dashboard: null,
      default_columns: null,
    })),
    live_events_token: null,
  };
}

const toObject = (settings: unknown): JsonObject => (isObject(settings) ? settings : {});
