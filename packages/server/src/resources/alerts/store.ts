import { type RawBuilder, sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { containsText, isVisible, type Sight, selectPage } from '../../http/select-page.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { type InsightRow, insightJson } from '../tiles/index.js';
import type { AlertState, CalculationInterval, CheckState, Condition, Threshold, WebhookState } from './schema.js';

/** Which numbers of the insight are compared. */
export interface AlertConfig {
  type: 'TrendsAlertConfig';
  series_index: number;
  check_ongoing_interval: boolean;
}

/** The fields that requests set. */
export interface AlertSettings {
  insight_id: number;
  name: string;
  enabled: boolean;
  calculation_interval: CalculationInterval;
  condition: Condition;
  threshold: Threshold;
  config: AlertConfig;
  webhook_url: string | null;
  snoozed_until: Date | null;
  deleted: boolean;
}

/** What checks leave behind. */
export interface AlertProgress {
  is_firing: boolean;
  error: string | null;
  last_checked_at: Date | null;
  last_value: number | null;
  last_notified_at: Date | null;
  next_check_at: Date | null;
}

/** A check as it is stored. */
export interface CheckRow {
  id: string;
  created_at: string;
  state: CheckState;
  calculated_value: number | null;
  message: string;
  webhook: WebhookState | null;
  webhook_error: string | null;
}

/** An alert with its insight, its people and its last checks. */
export interface AlertRow extends AlertSettings, AlertProgress {
  id: string;
  project_id: number;
  site_url: string;
  revision: number;
  created_by: number | null;
  created_at: Date;
  updated_at: Date;
  /** The user on whose behalf it is checked; null: that user is gone. */
  modified_by: number | null;
  insight: InsightRow;
  creator: User | null;
  last_modified_by: User | null;
  subscribers: User[];
  checks: CheckRow[];
}

/** Checks that are kept of each alert, and those of them that lists show. */
const KEPT_CHECKS = 50;
const LISTED_CHECKS = 5;

/** @param userId the reader; null: the service itself */
const columns = (
  userId: number | null,
  checks: number,
) => sql`a.id, a.project_id, a.insight_id, a.name, a.enabled, a.calculation_interval, a.condition,
  a.threshold, a.config, a.webhook_url, a.site_url, a.snoozed_until, a.is_firing, a.error, a.last_checked_at, a.last_value,
  a.last_notified_at, a.next_check_at, a.revision, a.deleted, a.created_by, a.created_at, a.updated_at,
  a.last_modified_by as modified_by,
  ${insightJson(userId)} as insight,
  (select ${userJson} from users u where u.id = a.created_by) as creator,
  (select ${userJson} from users u where u.id = a.last_modified_by) as last_modified_by,
  coalesce((select json_agg(${userJson} order by u.id) from alert_subscribers s join users u on u.id = s.user_id
    where s.alert_id = a.id and ${isMember(sql`u.id`)}), '[]') as subscribers,
  coalesce((select json_agg(json_build_object('id', c.id, 'created_at', c.created_at, 'state', c.state,
      'calculated_value', c.calculated_value, 'message', c.message, 'webhook', c.webhook, 'webhook_error', c.webhook_error)
      order by c.created_at desc, c.id desc)
    from (select * from alert_checks k where k.alert_id = a.id order by k.created_at desc, k.id desc limit ${checks}) c
  ), '[]') as checks`;

/** Whether a user belongs to the organization of the project of an alert: people who left it are no subscribers any more. */
const isMember = (user: RawBuilder<unknown>) => sql`exists (select from organization_memberships m
  join projects p on p.organization_id = m.organization_id where p.id = a.project_id and m.user_id = ${user})`;

const FROM = sql`alerts a join insights i on i.id = a.insight_id`;

/** Reads an alert, deleted or not, for a user (null: for the service itself). `lock` blocks other writers of it until the transaction ends. */
export async function readAlert(
  db: Db,
  projectId: number,
  id: string,
  userId: number | null,
  lock = false,
): Promise<AlertRow | null> {
  const locking = lock ? sql`for no key update of a` : sql``;
  const { rows } = await sql<AlertRow>`
    select ${columns(userId, KEPT_CHECKS)} from ${FROM} where a.project_id = ${projectId} and a.id = ${id} ${locking}`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** Filters of a list; undefined: no filter. */
export interface AlertFilter {
  insightId?: number | undefined;
  states?: readonly AlertState[] | undefined;
  /** Only those that this user is subscribed to. */
  subscriber?: number | undefined;
  search?: string | undefined;
}

const stateAt = (now: Date) => sql`case when a.snoozed_until > ${now} then 'Snoozed' when a.error is not null then 'Errored'
  when a.is_firing then 'Firing' else 'Not firing' end`;

/** Lists a page of the alerts of insights that the reader sees: firing ones first, then failed ones, then by name. */
export function listAlerts(
  db: Db,
  projectId: number,
  insights: Sight,
  { insightId, states, subscriber, search }: AlertFilter,
  now: Date,
  page: Page,
): Promise<{ count: number; rows: AlertRow[] }> {
  const where: RawBuilder<unknown>[] = [
    sql`a.project_id = ${projectId} and not a.deleted and not i.deleted`,
    isVisible('i', insights),
  ];
  if (insightId !== undefined) where.push(sql`a.insight_id = ${insightId}`);
  if (states) where.push(sql`${stateAt(now)} = any (${[...states]}::text[])`);
  if (subscriber !== undefined)
    where.push(sql`exists (select from alert_subscribers s where s.alert_id = a.id and s.user_id = ${subscriber})`);
  if (search !== undefined) where.push(containsText(search, 'a.name'));
  const orderBy = sql`array_position(array['Firing', 'Errored'], ${stateAt(now)}), lower(a.name), a.id`;
  return selectPage(db, { columns: columns(insights.userId, LISTED_CHECKS), from: FROM, where, orderBy }, page);
}

/** The number of alerts of a project that are not deleted. Blocks others that count until the transaction ends. */
export async function countAlerts(tx: DbTransaction, projectId: number): Promise<number> {
  await sql`select from projects where id = ${projectId} for no key update`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from alerts where project_id = ${projectId} and not deleted`.execute(tx);
  return rows[0]?.count ?? 0;
}

const settingsColumns = ({ condition, threshold, config, ...settings }: AlertSettings) => ({
  ...settings,
  condition: jsonColumn(condition),
  threshold: jsonColumn(threshold),
  config: jsonColumn(config),
});

/** A new alert. */
export interface NewAlert extends AlertSettings {
  id: string;
  site_url: string;
  created_by: number;
}

export async function insertAlert(db: Db, projectId: number, { id, site_url, created_by, ...settings }: NewAlert, now: Date) {
  await db
    .insertInto('alerts')
    .values({
      id,
      project_id: projectId,
      ...settingsColumns(settings),
      site_url,
      created_by,
      last_modified_by: created_by,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** Stores the settings of an alert. */
export async function updateAlert(
  db: Db,
  projectId: number,
  id: string,
  settings: AlertSettings,
  { userId, siteUrl, now }: { userId: number; siteUrl: string; now: Date },
): Promise<void> {
  await db
    .updateTable('alerts')
    .set({ ...settingsColumns(settings), site_url: siteUrl, last_modified_by: userId, updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** Stores what a check, or a change of the settings, leaves behind. Fields that are left out stay. */
export async function updateProgress(
  db: Db,
  projectId: number,
  id: string,
  progress: Partial<AlertProgress> & { enabled?: boolean },
): Promise<void> {
  await db.updateTable('alerts').set(progress).where('project_id', '=', projectId).where('id', '=', id).execute();
}

/** Forgets what the last check found, under a new revision: what is checked has changed. */
export async function restartChecks(db: Db, projectId: number, id: string, nextCheckAt: Date | null): Promise<void> {
  await db
    .updateTable('alerts')
    .set({ is_firing: false, error: null, next_check_at: nextCheckAt })
    .set((e) => ({ revision: e('revision', '+', 1) }))
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** Replaces the subscribers of an alert. */
export async function setSubscribers(db: Db, id: string, userIds: readonly number[]): Promise<void> {
  await db.deleteFrom('alert_subscribers').where('alert_id', '=', id).execute();
  if (userIds.length === 0) return;
  await db
    .insertInto('alert_subscribers')
    .values(userIds.map((user_id) => ({ alert_id: id, user_id })))
    .execute();
}

/** Inserts a check, and deletes those beyond the {@link KEPT_CHECKS} newest of the alert. */
export async function insertCheck(db: Db, alertId: string, check: Omit<CheckRow, 'created_at'>, now: Date): Promise<void> {
  await db
    .insertInto('alert_checks')
    .values({ ...check, alert_id: alertId, created_at: now })
    .execute();
  await sql`delete from alert_checks where alert_id = ${alertId} and id not in (
    select id from alert_checks where alert_id = ${alertId} order by created_at desc, id desc limit ${KEPT_CHECKS})`.execute(db);
}

/** Stores whether the webhook has got the news of a check. */
export async function updateCheck(
  db: Db,
  alertId: string,
  id: string,
  fields: { webhook: WebhookState; webhook_error: string | null },
): Promise<void> {
  await db.updateTable('alert_checks').set(fields).where('alert_id', '=', alertId).where('id', '=', id).execute();
}

/** An alert whose check is due. */
export interface DueAlert {
  id: string;
  project_id: number;
  calculation_interval: CalculationInterval;
  timezone: string;
}

/** Days between two checks at most, with room. A check that is due later was planned before the clock was set back. */
const FAR_AHEAD_DAYS = 40;

/** Locks alerts that are due until the transaction ends; those that another server has locked are skipped. */
export async function claimDueAlerts(tx: DbTransaction, now: Date, limit: number): Promise<DueAlert[]> {
  const { rows } = await sql<DueAlert>`
    select a.id, a.project_id, a.calculation_interval, p.timezone
    from alerts a join insights i on i.id = a.insight_id join projects p on p.id = a.project_id
    where a.enabled and not a.deleted and not i.deleted and (a.snoozed_until is null or a.snoozed_until <= ${now})
      and (a.next_check_at <= ${now} or a.next_check_at > ${now}::timestamptz + ${FAR_AHEAD_DAYS} * interval '1 day')
    order by a.next_check_at limit ${limit} for no key update of a skip locked`.execute(tx);
  return rows;
}
