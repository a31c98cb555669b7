import { isoTime } from '../../http/dates.js';
import type { AlertState } from './schema.js';
import type { AlertRow, CheckRow } from './store.js';

/** The state of an alert at a moment. */
export function stateOf({ snoozed_until: until, error, is_firing: isFiring }: AlertRow, now: number): AlertState {
  if (until !== null && until.getTime() > now) return 'Snoozed';
  if (error !== null) return 'Errored';
  return isFiring ? 'Firing' : 'Not firing';
}

/** What the caller may do with an alert. */
export interface AlertRights {
  canEdit: boolean;
  /** Whether the caller may read the address of the webhook, which is a secret. */
  seesWebhook: boolean;
  /** Whether the caller may see what checks found: the lines of an insight may show persons or groups. */
  seesChecks: boolean;
}

/** An alert as responses show it. */
export const alertView = (row: AlertRow, { canEdit, seesWebhook, seesChecks }: AlertRights, now: number) => ({
  id: row.id,
  name: row.name,
  insight: row.insight_id,
  insight_short_id: row.insight.short_id,
  insight_name: row.insight.name,
  insight_derived_name: row.insight.derived_name,
  enabled: row.enabled,
  calculation_interval: row.calculation_interval,
  condition: row.condition,
  threshold: row.threshold,
  config: row.config,
  subscribed_users: row.subscribers,
  has_webhook: row.webhook_url !== null,
  webhook_url: seesWebhook ? row.webhook_url : null,
  snoozed_until: isoTime(row.snoozed_until),
  state: stateOf(row, now),
  last_checked_at: isoTime(row.last_checked_at),
  last_value: seesChecks ? row.last_value : null,
  last_notified_at: isoTime(row.last_notified_at),
  next_check_at: isoTime(row.next_check_at),
  checks: seesChecks ? row.checks.map(checkView) : [],
  created_by: row.creator,
  created_at: isoTime(row.created_at),
  last_modified_by: row.last_modified_by,
  updated_at: isoTime(row.updated_at),
  deleted: row.deleted,
  can_edit: canEdit,
});

const checkView = ({ created_at, ...check }: CheckRow) => ({ ...check, created_at: isoTime(new Date(created_at)) });
