import { accessOfUser } from '../../access/index.js';
import { createZone, readQuerySettings, readTimezone, runCachedQuery } from '../../analytics/index.js';
import { standingOf } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { insertJob, type Job, JobTimeout, type QueueKind } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { DbTransaction } from '../../ports/db.js';
import { EventsUnavailable } from '../../ports/events.js';
import { hidesResult } from '../results/index.js';
import { nextCheck } from './check-times.js';
import { judge, type Verdict } from './judge.js';
import { planCheck } from './plan-check.js';
import { type AlertRow, claimDueAlerts, insertCheck, readAlert, updateProgress } from './store.js';
import { stateOf } from './view.js';
import { WEBHOOK_JOB, type WebhookPayload } from './webhook-job.js';

/** The kind of the jobs of checks in the queue. */
export const CHECK_JOB = 'alert-check';
const DEADLINE_MS = 3 * 60_000;
const ATTEMPTS = 3;
/** Checks that one server runs at the same time, and alerts that one transaction takes. */
const AT_ONCE = 2;
const BATCH = 100;

/**
 * Queues the checks that are due. A transaction moves the time of the next check and inserts the job, so that each due time has one
 * check, whichever server does it. After a pause of the service there is one check, not one for each time that was missed.
 */
export async function queueDueAlerts(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const queueSome = (tx: DbTransaction) => queueBatch(tx, now);
  while ((await inTransaction(deps.db, queueSome)) === BATCH);
  void deps.services.runner.wake();
}

async function queueBatch(tx: DbTransaction, now: number): Promise<number> {
  const due = await claimDueAlerts(tx, new Date(now), BATCH);
  for (const { id, project_id: projectId, calculation_interval: interval, timezone } of due) {
    const { weekStart } = await readQuerySettings(tx, projectId);
    const next = new Date(nextCheck(interval, { now, zone: createZone(timezone) }, weekStart));
    await updateProgress(tx, projectId, id, { next_check_at: next });
    await insertJob(tx, projectId, { kind: CHECK_JOB, payload: { alert: id }, now: new Date(now) });
  }
  return due.length;
}

/** The job that checks an alert. */
export const checkJob = (deps: Deps): QueueKind => ({
  deadlineMs: DEADLINE_MS,
  attempts: ATTEMPTS,
  concurrency: AT_ONCE,
  run: async (job, signal) => {
    const { projectId } = job;
    const alert = await readAlert(deps.db, projectId, alertIdOf(job), null);
    if (!alert || !isDue(alert, deps.clock.now())) return async () => {};
    const outcome = await check(deps, alert, signal);
    return (tx) => storeOutcome(tx, deps, projectId, alert, outcome);
  },
  failed: async (tx, job, error) => {
    const id = alertIdOf(job);
    deps.log.warn({ err: error, alert: id }, 'an alert could not be checked');
    const alert = await readAlert(tx, job.projectId, id, null);
    if (alert && isDue(alert, deps.clock.now())) {
      await storeOutcome(tx, deps, job.projectId, alert, { error: failureText(error) });
    }
  },
});

const alertIdOf = ({ payload }: Job): string => (isObject(payload) ? String(payload['alert']) : '');

/** Whether an alert may be checked. It may have been deleted, disabled or snoozed since its job was queued. */
const isDue = (alert: AlertRow, now: number): boolean =>
  alert.enabled && !alert.deleted && !alert.insight.deleted && stateOf(alert, now) !== 'Snoozed';

/** What a check found, or why it failed. `disables`: it would fail for ever. */
type Outcome = Verdict | { error: string; disables?: true };

/** @throws Error the event store does not answer: the job is tried again */
async function check(deps: Deps, alert: AlertRow, signal: AbortSignal): Promise<Outcome> {
  const { project_id: projectId } = alert;
  if (!(await mayStillSee(deps, alert))) {
    return {
      error: 'Who saved this alert last cannot see the insight any more, so that it is disabled. Enable it to take it over.',
      disables: true,
    };
  }
  const [timezone, settings] = await Promise.all([readTimezone(deps.db, projectId), readQuerySettings(deps.db, projectId)]);
  const moment = { now: deps.clock.now(), zone: createZone(timezone), weekStart: settings.weekStart };
  try {
    const plan = planCheck(alert.insight.query, alert, moment);
    const options = { refresh: 'blocking', queryId: null, settings, staleness: 0, workload: 'background', signal } as const;
    const { result } = await runCachedQuery(deps, { id: projectId, timezone }, plan.query, options);
    return judge(alert, plan.linesOf(result && 'results' in result ? result.results : null));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError && error.status < 500) return { error: error.body.detail };
    throw error;
  }
}

/** Whether the user on whose behalf an alert is checked may still see its insight. */
async function mayStillSee(deps: Deps, { project_id: projectId, modified_by: userId, insight }: AlertRow): Promise<boolean> {
  if (userId === null || (await standingOf(deps, userId, projectId)) === null) return false;
  const accessTo = await accessOfUser(deps, projectId, userId, ['insight', 'experiment', 'person', 'group']);
  if (accessTo('insight').levelOn(insight) === 'none') return false;
  return !(await hidesResult(deps.db, projectId, insight.query, async (resource) => accessTo(resource)));
}

/** Stores what a check found. An alert that begins to fire, or stops, has news for its webhook. */
async function storeOutcome(
  tx: DbTransaction,
  deps: Deps,
  projectId: number,
  checked: AlertRow,
  outcome: Outcome,
): Promise<void> {
  const alert = await readAlert(tx, projectId, checked.id, null, true);
  const now = deps.clock.now();
  // somebody has changed what is checked, deleted or snoozed it meanwhile
  if (!alert || alert.revision !== checked.revision || !isDue(alert, now)) return;
  const id = deps.ids.uuid7();
  const at = new Date(now);
  if ('error' in outcome) {
    const { error, disables } = outcome;
    const check = { id, state: 'Errored', calculated_value: null, message: error, webhook: null, webhook_error: null } as const;
    await insertCheck(tx, alert.id, check, at);
    const off = disables ? { enabled: false, next_check_at: null } : {};
    return updateProgress(tx, projectId, alert.id, { error, last_checked_at: at, ...off });
  }
  const { isFiring, value, message } = outcome;
  const isNews = isFiring !== alert.is_firing;
  const state = isFiring ? 'Firing' : 'Not firing';
  const webhook = isNews && alert.webhook_url !== null ? 'waiting' : null;
  await insertCheck(tx, alert.id, { id, state, calculated_value: value, message, webhook, webhook_error: null }, at);
  await updateProgress(tx, projectId, alert.id, {
    is_firing: isFiring,
    error: null,
    last_checked_at: at,
    last_value: value,
    ...(isNews ? { last_notified_at: at } : {}),
  });
  if (webhook === null) return;
  const payload: WebhookPayload = { alert: alert.id, check: id, state, value, message, at: at.toISOString() };
  await insertJob(tx, projectId, { kind: WEBHOOK_JOB, payload: { ...payload }, now: at });
}

function failureText(error: unknown): string {
  if (error === null) return 'The servers that checked this alert have stopped. It is checked again at its next time.';
  if (error instanceof JobTimeout) return 'The query of the insight took too long. It is checked again at its next time.';
  const isAway = error instanceof EventsUnavailable || (error instanceof ApiError && error.status === 503);
  if (isAway) return 'The event store was not available. It is checked again at its next time.';
  return 'This alert could not be checked; the log of the service tells why. It is checked again at its next time.';
}
