import { type AccessContext, accessOf, type Found, type ItemContext } from '../../access/index.js';
import { createZone, readQuerySettings } from '../../analytics/index.js';
import { listProjectMembers, type ProjectContext } from '../../auth/index.js';
import { requestsRestore } from '../../http/body.js';
import { inTransaction, withTransaction } from '../../http/in-transaction.js';
import { origin } from '../../http/origin.js';
import { insertJob } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { covers } from '../../kernel/rights.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { type Activity, byCaller, type Change, changesBetween, kindOfChange, recordActivity } from '../activity/index.js';
import { findInsight, isInsightEditable } from '../insights/index.js';
import { hidesResult, queryAccessOf } from '../results/index.js';
import type { InsightRow } from '../tiles/index.js';
import { CHECK_JOB } from './check-job.js';
import { nextCheck } from './check-times.js';
import { type CheckMoment, planCheck } from './plan-check.js';
import type { CreateFields, PatchFields } from './schema.js';
import {
  type AlertConfig,
  type AlertRow,
  type AlertSettings,
  countAlerts,
  insertAlert,
  readAlert,
  restartChecks,
  setSubscribers,
  updateAlert,
} from './store.js';
import type { AlertRights } from './view.js';
import { refuseAddress } from './webhook.js';

/** Most alerts of a project. Each costs a read of the event store at every check. */
const MOST = 500;

const LOGGED = [
  'name',
  'insight_id',
  'enabled',
  'calculation_interval',
  'condition',
  'threshold',
  'config',
  'subscribed_users',
  'webhook_url',
  'snoozed_until',
] as const;

/** An alert, and the caller's access to its insight. */
export interface FoundAlert {
  row: AlertRow;
  insight: Found<InsightRow>;
}

/** The insight of an alert with the caller's access. */
const insightOf = async (context: AccessContext, { insight }: AlertRow): Promise<Found<InsightRow>> => ({
  row: insight,
  access: await accessOf(context, 'insight'),
});

async function find(context: ItemContext, restores: boolean): Promise<FoundAlert> {
  const { deps, project, principal, params } = context;
  const id = params['id'] ?? '';
  const row = isUuid(id) ? await readAlert(deps.db, project.id, id, principal.userId) : null;
  if (!row || row.insight.deleted || (row.deleted && !restores)) throw new ApiError('not_found');
  const insight = await insightOf(context, row);
  insight.access.requireOn(insight.row, 'viewer');
  return { row, insight };
}

/** Whether the result of an insight, whose lines the checks of an alert name, is hidden from the caller. */
const hidesInsight = ({ deps, project, ...context }: ProjectContext, { query }: InsightRow): Promise<boolean> =>
  hidesResult(deps.db, project.id, query, queryAccessOf({ deps, project, ...context }));

/** Finds the alert of `params.id` for who may see its insight. @throws ApiError not_found, permission_denied */
export const findVisible = (context: ItemContext): Promise<FoundAlert> => find(context, false);

/** Finds the alert of `params.id` for who may change its insight; a deleted one for requests that restore it. @throws ApiError not_found, permission_denied */
export async function findEditable(context: ItemContext): Promise<FoundAlert> {
  const found = await find(context, context.request.method !== 'DELETE' && (await requestsRestore(context.request)));
  requireEditable(context, found.insight);
  return found;
}

/** Finds the alert of `params.id` to test its webhook, as who may change it. @throws ApiError not_found, permission_denied */
export async function findTestable(context: ItemContext): Promise<FoundAlert> {
  const found = await find(context, false);
  requireEditable(context, found.insight);
  return found;
}

function requireEditable(context: ProjectContext, insight: Found<InsightRow>): void {
  if (isInsightEditable(context, insight)) return;
  throw new ApiError('permission_denied', 'Who may change the insight may change its alerts.');
}

/** What the caller may do with an alert. */
export async function rightsOf(context: ProjectContext, insight: Found<InsightRow>): Promise<AlertRights> {
  const { key } = context.principal;
  const canEdit = isInsightEditable(context, insight);
  const seesWebhook = canEdit && (key === null || covers(key.scopes, 'alert:write'));
  return { canEdit, seesWebhook, seesChecks: !(await hidesInsight(context, insight.row)) };
}

const DEFAULT_CONFIG: AlertConfig = { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: false };

const configOf = (before: AlertConfig, given: CreateFields['config']): AlertConfig => ({
  type: 'TrendsAlertConfig',
  series_index: given?.series_index ?? before.series_index,
  check_ongoing_interval: given?.check_ongoing_interval ?? before.check_ongoing_interval,
});

/** Creates an alert, whose first check runs at once. @throws ApiError does_not_exist, permission_denied, invalid_input */
export async function createAlert(context: ProjectContext, fields: CreateFields): Promise<FoundAlert> {
  const { deps, project, principal, request } = context;
  const insight = await requireInsight(context, fields.insight);
  const settings: AlertSettings = {
    insight_id: insight.row.id,
    name: fields.name,
    enabled: fields.enabled ?? true,
    calculation_interval: fields.calculation_interval ?? 'daily',
    condition: fields.condition,
    threshold: fields.threshold,
    config: configOf(DEFAULT_CONFIG, fields.config),
    webhook_url: fields.webhook_url ?? null,
    snoozed_until: fields.snoozed_until ?? null,
    deleted: false,
  };
  const moment = await momentOf(context);
  requireValid(context, settings, insight.row, moment);
  const subscribers = fields.subscribed_users ?? [principal.userId];
  await requireMembers(context, subscribers, []);
  const id = deps.ids.uuid();
  return inTransaction(deps.db, async (tx) => {
    if ((await countAlerts(tx, project.id)) >= MOST) throw new ApiError('invalid_input', `A project may have ${MOST} alerts.`);
    const row = { id, site_url: origin(request), created_by: principal.userId, ...settings };
    await insertAlert(tx, project.id, row, new Date(moment.now));
    await setSubscribers(tx, id, subscribers);
    await planNextCheck(tx, context, id, settings, moment);
    const made = await readOrThrow(tx, context, id);
    await note(tx, context, made, 'created', []);
    return { row: made, insight: await insightOf(withTransaction(context, tx), made) };
  });
}

/**
 * Changes an alert; `deleted` deletes and restores it. What is checked from then on is checked at once.
 * @throws ApiError does_not_exist, permission_denied, invalid_input, not_found
 */
export async function patchAlert(context: ProjectContext, found: FoundAlert, fields: PatchFields): Promise<FoundAlert> {
  const { deps, project, principal, request } = context;
  const isMoved = fields.insight !== undefined && fields.insight !== found.row.insight_id;
  const insight = isMoved ? await requireInsight(context, fields.insight ?? 0) : found.insight;
  const known = found.row.subscribers.map(({ id }) => id);
  if (fields.subscribed_users) await requireMembers(context, fields.subscribed_users, known);
  const moment = await momentOf(context);
  return inTransaction(deps.db, async (tx) => {
    if (found.row.deleted && fields.deleted === false && (await countAlerts(tx, project.id)) >= MOST) {
      throw new ApiError('invalid_input', `A project may have ${MOST} alerts.`);
    }
    const before = await readOrThrow(tx, context, found.row.id, true);
    // another request may have deleted it before the lock
    if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
    const settings = settingsOf(before, fields, insight.row.id);
    requireValid(context, settings, insight.row, moment, before);
    await updateAlert(tx, project.id, before.id, settings, {
      userId: principal.userId,
      siteUrl: origin(request),
      now: new Date(moment.now),
    });
    if (fields.subscribed_users) await setSubscribers(tx, before.id, fields.subscribed_users);
    const isOther = before.deleted || COMPARED.some((field) => JSON.stringify(before[field]) !== JSON.stringify(settings[field]));
    const isWoken = isSnoozed(before, moment.now) !== isSnoozed(settings, moment.now);
    if (isOther || isWoken) await planNextCheck(tx, context, before.id, settings, moment);
    const after = await readOrThrow(tx, context, before.id);
    const changes = changesBetween('Alert', loggedFields(before), loggedFields(after), LOGGED);
    await note(tx, context, after, kindOfChange(before, after), changes);
    return { row: after, insight: await insightOf(withTransaction(context, tx), after) };
  });
}

/** Deletes an alert; a change with `deleted: false` restores it. */
export async function removeAlert(context: ProjectContext, found: FoundAlert): Promise<void> {
  await patchAlert(context, found, { deleted: true } as PatchFields);
}

/** What decides which numbers are compared with what: after a change, the result of the last check says nothing any more. */
const COMPARED = ['insight_id', 'enabled', 'calculation_interval', 'condition', 'threshold', 'config'] as const;

const settingsOf = (before: AlertRow, fields: PatchFields, insightId: number): AlertSettings => ({
  insight_id: insightId,
  name: fields.name ?? before.name,
  enabled: fields.enabled ?? before.enabled,
  calculation_interval: fields.calculation_interval ?? before.calculation_interval,
  condition: fields.condition ?? before.condition,
  threshold: fields.threshold ?? before.threshold,
  config: configOf(before.config, fields.config),
  webhook_url: fields.webhook_url === undefined ? before.webhook_url : fields.webhook_url,
  snoozed_until: fields.snoozed_until === undefined ? before.snoozed_until : fields.snoozed_until,
  deleted: fields.deleted ?? before.deleted,
});

const isSnoozed = ({ snoozed_until: until }: Pick<AlertSettings, 'snoozed_until'>, now: number): boolean =>
  until !== null && until.getTime() > now;

/** Forgets what the last check found, and queues a check at once, unless the alert is off. */
async function planNextCheck(
  tx: DbTransaction,
  { project }: ProjectContext,
  id: string,
  settings: AlertSettings,
  moment: CheckMoment,
): Promise<void> {
  const isOn = settings.enabled && !settings.deleted;
  const next = isOn ? new Date(nextCheck(settings.calculation_interval, moment, moment.weekStart)) : null;
  await restartChecks(tx, project.id, id, next);
  if (!isOn || isSnoozed(settings, moment.now)) return;
  await insertJob(tx, project.id, { kind: CHECK_JOB, payload: { alert: id }, now: new Date(moment.now) });
}

/** The insight of a request, which the caller may change. @throws ApiError does_not_exist, permission_denied */
async function requireInsight(context: ProjectContext, id: number): Promise<Found<InsightRow>> {
  try {
    const insight = await findInsight(context, String(id));
    requireEditable(context, insight);
    if (await hidesInsight(context, insight.row)) {
      throw new ApiError('permission_denied', 'The insight shows persons or groups that you have no access to.');
    }
    return insight;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, 'insight');
  }
}

/** Refuses subscribers without access to the project. Those of before may stay. @throws ApiError does_not_exist */
async function requireMembers(
  { deps, project }: ProjectContext,
  ids: readonly number[],
  before: readonly number[],
): Promise<void> {
  if (ids.every((id) => before.includes(id))) return;
  const { members } = await listProjectMembers(deps.db, project.id);
  const known = new Set([...before, ...members.map(({ user }) => user.id)]);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw new ApiError('does_not_exist', `Invalid pk "${unknown}" - no user with access to the project.`, 'subscribed_users');
}

/** Refuses settings that no check could use. @throws ApiError invalid_input */
function requireValid(
  { deps }: ProjectContext,
  settings: AlertSettings,
  { query }: InsightRow,
  moment: CheckMoment,
  before?: AlertRow,
): void {
  const { condition, threshold, webhook_url: url } = settings;
  if (condition.type === 'absolute_value' && threshold.configuration.type === 'percentage') {
    throw new ApiError(
      'invalid_input',
      'A percentage needs a change to compare: the condition is an absolute value.',
      'threshold__configuration__type',
    );
  }
  if (url !== null && url !== before?.webhook_url) {
    const fault = refuseAddress(url, deps.config.privateWebhooks);
    if (fault !== null) throw new ApiError('invalid_input', fault, 'webhook_url');
  }
  const isSame = before && COMPARED.every((field) => JSON.stringify(before[field]) === JSON.stringify(settings[field]));
  // an alert whose insight became another kind can still be snoozed, renamed, disabled and deleted
  if (settings.enabled && !settings.deleted && !isSame) planCheck(query, settings, moment);
}

/** The moment of the request in the zone of the project. */
async function momentOf({ deps, project }: ProjectContext): Promise<CheckMoment> {
  const { weekStart } = await readQuerySettings(deps.db, project.id);
  return { now: deps.clock.now(), zone: createZone(project.timezone), weekStart };
}

async function readOrThrow(tx: Db, { project, principal }: ProjectContext, id: string, lock = false): Promise<AlertRow> {
  const row = await readAlert(tx, project.id, id, principal.userId, lock);
  if (!row) throw new ApiError('not_found');
  return row;
}

const loggedFields = ({ subscribers, ...row }: AlertRow) => ({
  ...row,
  subscribed_users: subscribers.map(({ id }) => id),
  snoozed_until: row.snoozed_until?.toISOString() ?? null,
});

/** The entry of the activity log. An alert is part of its insight, so that only who may see that can read it. */
const note = (tx: Db, context: ProjectContext, { id, name, insight_id }: AlertRow, activity: Activity, changes: Change[]) =>
  recordActivity(tx, context.deps, {
    ...byCaller(context),
    activity,
    scope: 'Alert',
    itemId: id,
    of: { resource: 'insight', id: insight_id },
    detail: { name, changes },
  });
