import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Operation, operationsOf } from '../../http/openapi/index.js';
import { unknownField } from '../../http/unknown-fields.js';
import { appWithoutStores } from '../../testing/app-without-stores.js';

/*
 * Nothing that is accepted is ignored. Each field of each body is read back from the answer, or stands below with what it does;
 * each field that is only answered is about the object, or stands below with why it cannot be sent.
 */

/** Fields that are used and not answered, by the end of the address. What they do is tested beside the room. */
const USED: Readonly<Record<string, readonly string[]>> = {
  'signup/': ['password', 'organization_name'],
  'signup/:invite_id/': ['password'],
  'login/': ['email', 'password'],
  'users/:user_id/': ['password', 'current_password', 'set_current_organization', 'set_current_team'],
  'role_memberships/': ['user_uuid'],
  'groups/update_property/': ['key', 'value'],
  'groups/delete_property/': ['$unset'],
  'dashboards/': ['duplicate_tiles'],
  'dashboards/:id/': ['duplicate_tiles'],
  'dashboards/create_from_template_json/': ['template'],
  'move_tile/': ['tile', 'toDashboard'],
  'sharing/passwords/': ['raw_password'],
  'feature_flags/:id/': ['original_flag'],
  'user_blast_radius/': ['condition', 'group_type_index'],
  'test_evaluation/': ['distinct_id', 'device_id', 'groups', 'person_properties', 'group_properties'],
  'copy_flags/': ['feature_flag_key', 'from_project', 'target_project_ids'],
  'cohorts/count/': ['filters'],
  'cohorts/': ['_create_static_person_ids', 'csv'],
  'cohorts/:id/': ['_create_static_person_ids', 'csv'],
  'add_persons_to_static_cohort/': ['person_ids'],
  'remove_person_from_static_cohort/': ['person_id'],
  'early_access_feature/': ['feature_flag_id'],
  'early_access_feature/:id/': ['feature_flag_id'],
  'ship_variant/': ['variant_key'],
  'running_time/': ['metric_type', 'baseline', 'standard_deviation', 'goal', 'confidence_level', 'variants'],
  'surveys/': ['remove_targeting_flag'],
  'surveys/:id/': ['remove_targeting_flag'],
  'query/': ['query', 'refresh', 'staleness', 'async', 'client_query_id', 'filters_override', 'variables_override'],
  'bulk_delete/': ['session_recording_ids'],
  'persons/bulk_delete/': ['ids', 'distinct_ids', 'delete_events', 'delete_recordings', 'keep_person'],
};

/**
 * Fields of answers that look as if they narrow something and that requests may repeat, by the end of the address. All are computed, or
 * said by another field that the body has.
 */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  'users/:user_id/': ['distinct_id', 'is_email_verified', 'date_joined', 'pending_email', 'is_2fa_enabled'],
  'signup/': ['distinct_id', 'is_email_verified', 'redirect_url'],
  'signup/:invite_id/': ['distinct_id', 'email', 'is_email_verified', 'redirect_url'],
  'organizations/': ['membership_level'],
  'organizations/:organization_id/': ['membership_level'],
  'members/:user_uuid/': ['user', 'is_2fa_enabled'],
  'roles/': ['members'],
  'roles/:role_id/': ['members'],
  'role_memberships/': ['role_id', 'organization_member', 'user'],
  'projects/': ['ingested_event', 'effective_membership_level', 'has_group_types', 'group_types', 'live_events_token'],
  'projects/:project_id/': [
    'ingested_event',
    'effective_membership_level',
    'has_group_types',
    'group_types',
    'live_events_token',
  ],
  'personal_api_keys/': ['mask_value', 'user_id'],
  'personal_api_keys/:id/': ['mask_value', 'user_id'],
  'explicit_members/': ['parent_level', 'user', 'effective_level'],
  'explicit_members/:parent_membership__user__uuid/': ['parent_level', 'user', 'user_uuid', 'effective_level'],
  'update_metadata/': ['group_type', 'detail_dashboard'],
  'move_tile/': ['deleted', 'use_dashboard', 'delete_insights', 'filters', 'tiles', 'restriction_level'],
  'collaborators/': ['dashboard_id', 'user'],
  'sharing/': ['access_token'],
  'sharing/passwords/': ['created_by_email'],
  'dashboard_templates/': ['deleted'],
  'insights/': ['dashboard_tiles', 'is_sample', 'next_allowed_client_refresh', 'complete_until', 'effective_query'],
  'insights/:id/': ['dashboard_tiles', 'is_sample', 'next_allowed_client_refresh', 'complete_until', 'effective_query'],
  'feature_flags/': ['usage_dashboard', 'is_simple_flag', 'experiment_set', 'surveys', 'status'],
  'feature_flags/:id/': ['usage_dashboard', 'is_simple_flag', 'experiment_set', 'surveys', 'status'],
  'actions/': ['is_action'],
  'actions/:id/': ['is_action'],
  'alerts/': ['insight_short_id', 'insight_name', 'insight_derived_name', 'deleted'],
  'alerts/:id/': ['insight_short_id', 'insight_name', 'insight_derived_name'],
  'annotations/': ['insight_short_id', 'insight_name', 'insight_derived_name', 'dashboard_name'],
  'annotations/:id/': ['insight_short_id', 'insight_name', 'insight_derived_name', 'dashboard_name'],
  'cohorts/': ['cohort_type', 'experiment_set'],
  'cohorts/:id/': ['cohort_type', 'experiment_set'],
  'cohorts/:id/duplicate/': ['groups', 'filters', 'query', 'deleted', 'cohort_type', 'experiment_set'],
  'early_access_feature/': ['feature_flag'],
  'early_access_feature/:id/': ['feature_flag'],
  'experiments/': ['feature_flag', 'deleted', 'shipped_variant', 'status'],
  'experiments/:id/': ['feature_flag', 'shipped_variant', 'status'],
  'experiments/:id/duplicate/': [
    ...['start_date', 'end_date', 'feature_flag', 'holdout', 'exposure_cohort', 'saved_metrics_ids', 'scheduling_config', 'type'],
    ...['filters', 'archived', 'deleted', 'exposure_criteria', 'shipped_variant', 'status'],
  ],
  'import_leases/': ['expires_at'],
  'surveys/': [
    ...['linked_flag', 'targeting_flag', 'internal_targeting_flag', 'iteration_start_dates', 'current_iteration'],
    ...['current_iteration_start_date', 'feature_flag_keys'],
  ],
  'surveys/:id/': [
    ...['linked_flag', 'targeting_flag', 'internal_targeting_flag', 'iteration_start_dates', 'current_iteration'],
    ...['current_iteration_start_date', 'feature_flag_keys'],
  ],
  'property_definitions/:id/': ['property_type', 'is_seen_on_filtered_events'],
  'session_recordings/:id/': [
    ...['distinct_id', 'recording_duration', 'active_seconds', 'start_time', 'end_time', 'start_url', 'person'],
  ],
};

let app: FastifyInstance;
let operations: Operation[];
beforeAll(async () => {
  app = await appWithoutStores();
  operations = operationsOf(app).filter(({ body, urls: [url = ''] }) => body && url.startsWith('/api/'));
});
afterAll(() => app.close());

const nameOf = ({ method, urls: [url] }: Operation) => `${method} ${url}`;
const listed = (lists: typeof USED, { urls: [url = ''] }: Operation): readonly string[] =>
  Object.entries(lists).reduce<[string, readonly string[]]>(
    (best, [end, names]) => (url.endsWith(`/${end}`) && end.length > best[0].length ? [end, names] : best),
    ['', []],
  )[1];

/** The fields of an object, a list of objects, or one of several. */
function fieldsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.def.shape);
  if (schema instanceof z.ZodPipe) return [...fieldsOf(schema.def.in), ...fieldsOf(schema.def.out)];
  if (schema instanceof z.ZodArray) return fieldsOf(schema.def.element);
  return schema instanceof z.ZodUnion ? schema.def.options.flatMap(fieldsOf) : [];
}
const answeredBy = ({ responses: answers }: Operation): string[] =>
  Object.entries(answers).flatMap(([status, { schema }]) => (status.startsWith('2') ? fieldsOf(schema) : []));
const isRefused = ({ body }: Operation, field: string): boolean => {
  const sent = { [field]: { some: 'value' } };
  const result = body?.safeParse(sent);
  return result?.error?.issues.some(({ path: [name], code }) => name === field && code === 'custom') ?? false;
};

describe('the bodies of the API', () => {
  test('there are more than eighty operations with a body', () => expect(operations.length).toBeGreaterThan(80));

  test('each field is read back, has an effect, or is refused by name', () => {
    const ignored = operations.flatMap((operation) => {
      const known = new Set([...answeredBy(operation), ...listed(USED, operation)]);
      const fields = fieldsOf(operation.body).filter((field) => !known.has(field) && !isRefused(operation, field));
      return fields.map((field) => `${nameOf(operation)}: ${field}`);
    });
    expect(ignored).toEqual([]);
  });

  test('unknown fields that look like filters are refused', () => {
    const field = { audience_filter: 1 };
    const open = operations.filter(({ body }) => body && !unknownField(body, field) && !unknownField(body, [field]));
    expect(open.map(nameOf)).toEqual([]);
  });

  test('read-only fields that look like filters are known to filter nothing when they are sent', () => {
    const unexplained = operations.flatMap((operation) => {
      // of other actions nothing that is answered may be sent
      if (operation.method === 'POST' && !(201 in operation.responses)) return [];
      const known = new Set([...fieldsOf(operation.body), ...listed(REPEATED, operation)]);
      const fields = answeredBy(operation).filter((field) => !known.has(field) && unknownField(z.object({}), { [field]: 1 }));
      return [...new Set(fields)].map((field) => `${nameOf(operation)}: ${field}`);
    });
    expect(unexplained).toEqual([]);
  });
});
