import type { Deps } from '../../deps.js';
import type { Job, QueueKind } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { type AlertRow, readAlert, updateCheck } from './store.js';
import { sendWebhook, WebhookError } from './webhook.js';

/** The kind of the jobs that call webhooks. */
export const WEBHOOK_JOB = 'alert-webhook';
const DEADLINE_MS = 30_000;
const ATTEMPTS = 6;
/** Pause before the first retry, milliseconds; it doubles with each: 15 s to 4 minutes. */
const PAUSE_MS = 15_000;
/** Webhooks that one server calls at the same time. They wait for other services, so that slow ones must not delay other jobs. */
const AT_ONCE = 4;

/** The news that a webhook gets. */
export interface WebhookPayload {
  alert: string;
  /** The check that found it. */
  check: string;
  state: 'Firing' | 'Not firing';
  value: number | null;
  message: string;
  /** When, ISO 8601. */
  at: string;
}

/** What the body of a call is made of: news, or a test. */
type WebhookNews = Omit<WebhookPayload, 'alert' | 'state'> & { state: WebhookPayload['state'] | 'Test' };

/** The job that calls the webhook of an alert. */
export const webhookJob = (deps: Deps): QueueKind => ({
  deadlineMs: DEADLINE_MS,
  attempts: ATTEMPTS,
  concurrency: AT_ONCE,
  pauseMs: (attempt) => PAUSE_MS * 2 ** (attempt - 1),
  run: async (job, signal) => {
    const news = newsOf(job);
    const alert = await readAlert(deps.db, job.projectId, news.alert, null);
    // it was deleted, or lost its webhook
    if (!alert?.webhook_url || alert.deleted) return async () => {};
    const options = { scheduler: deps.scheduler, allowsPrivate: deps.config.privateWebhooks, signal };
    try {
      await sendWebhook(alert.webhook_url, bodyOf(alert, news), options);
    } catch (error) {
      if (error instanceof WebhookError) await noteFailure(deps, news, error);
      throw error;
    }
    return (tx) => updateCheck(tx, news.alert, news.check, { webhook: 'delivered', webhook_error: null });
  },
  failed: async (tx, job, error) => {
    const news = newsOf(job);
    const reason = error instanceof WebhookError ? error.message : 'The webhook could not be called.';
    deps.log.warn({ alert: news.alert, reason }, 'a webhook did not take the news of an alert');
    await updateCheck(tx, news.alert, news.check, { webhook: 'failed', webhook_error: reason });
  },
});

/**
 * Calls the webhook of an alert once with a test, and does not try again.
 * @returns why it did not take the test; null: it took it. @throws ApiError invalid_input: the alert has no webhook
 */
export async function testWebhook(deps: Deps, alert: AlertRow, signal: AbortSignal): Promise<string | null> {
  if (alert.webhook_url === null) throw new ApiError('invalid_input', 'This alert has no webhook.', 'webhook_url');
  const message = 'This is a test. The news of this alert arrive here.';
  const at = new Date(deps.clock.now()).toISOString();
  const body = bodyOf(alert, { check: deps.ids.uuid7(), state: 'Test', value: null, message, at });
  try {
    await sendWebhook(alert.webhook_url, body, { scheduler: deps.scheduler, allowsPrivate: deps.config.privateWebhooks, signal });
    return null;
  } catch (error) {
    if (error instanceof WebhookError) return error.message;
    throw error;
  }
}

/** Stores why a call failed, while it is tried again. */
const noteFailure = (deps: Deps, { alert, check }: WebhookPayload, { message }: WebhookError): Promise<void> =>
  updateCheck(deps.db, alert, check, { webhook: 'waiting', webhook_error: message });

function newsOf({ payload }: Job): WebhookPayload {
  if (!isObject(payload)) throw new Error('The job of a webhook has no payload.');
  const { value } = payload;
  return {
    alert: String(payload['alert']),
    check: String(payload['check']),
    state: payload['state'] === 'Firing' ? 'Firing' : 'Not firing',
    value: typeof value === 'number' ? value : null,
    message: String(payload['message']),
    at: String(payload['at']),
  };
}

const HEADS = { Firing: 'fires', 'Not firing': 'is back within its bounds', Test: 'is tested' } as const;

/** The body of a call. Slack shows `text`; the rest is for programs. `id` is the same at every attempt. */
function bodyOf(alert: AlertRow, { check, state, value, message, at }: WebhookNews): object {
  const { insight } = alert;
  const name = insight.name || insight.derived_name || 'Untitled';
  const url = `${alert.site_url}/p/${alert.project_id}/insights/${insight.short_id}?alert=${alert.id}`;
  return {
    text: `*${slackText(alert.name)}* ${HEADS[state]}: ${slackText(message)} <${url}|${slackText(name)}>`,
    id: check,
    state,
    at,
    message,
    value,
    alert: { id: alert.id, name: alert.name },
    insight: { id: insight.id, short_id: insight.short_id, name },
    project_id: alert.project_id,
    url,
  };
}

/** A text without what Slack reads as a link or a mention: names of events and values come from anywhere. */
const slackText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
