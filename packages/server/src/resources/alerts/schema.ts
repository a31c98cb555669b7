import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import {
  bool,
  choice,
  dateTime,
  integer,
  integerFrom,
  list,
  nullable,
  number,
  optional,
  primaryKey,
  text,
  unsupported,
} from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';
import { queryValues } from '../../http/validate.js';
import { isObject } from '../../kernel/json.js';

export const CALCULATION_INTERVALS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
export type CalculationInterval = (typeof CALCULATION_INTERVALS)[number];

const CONDITIONS = ['absolute_value', 'relative_increase', 'relative_decrease'] as const;
const THRESHOLDS = ['absolute', 'percentage'] as const;

/** What the last check found. */
export const CHECK_STATES = ['Not firing', 'Firing', 'Errored'] as const;
export type CheckState = (typeof CHECK_STATES)[number];
const ALERT_STATES = [...CHECK_STATES, 'Snoozed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

const WEBHOOK_STATES = ['waiting', 'delivered', 'failed'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** Most people that one alert has. */
const MAX_SUBSCRIBERS = 100;
const MAX_SERIES = 100;

/** The parameter of paths to one alert. */
export const alertParams = { id: z.string().describe('UUID of the alert.') };

/** Query parameters of the list. */
export const listQuery = z.object({
  insight_id: optional(integer()).describe('Only those of the insight with this number.'),
  state: queryValues(choice(ALERT_STATES)).describe('Only those in one of these states.'),
  subscribed: optional(bool()).describe('True: only those that you are subscribed to.'),
  search: optional(text({ max: 400, blank: true })).describe('Only those with this text in their name.'),
  ...pageParameters,
});
export type ListQuery = z.output<typeof listQuery>;

const condition = z.object({
  type: choice(CONDITIONS).describe(
    'What is compared with the bounds: the number of the period (`absolute_value`), or by how much it is above (`relative_increase`) or below (`relative_decrease`) that of the period before.',
  ),
});
export type Condition = z.output<typeof condition>;

const bounds = z
  .object({
    lower: optional(nullable(number())).describe('The alert fires below it. Null: no lower bound.'),
    upper: optional(nullable(number())).describe('The alert fires above it. Null: no upper bound.'),
  })
  .transform(({ lower = null, upper = null }, ctx) => {
    const fault =
      lower === null && upper === null
        ? 'Give a lower or an upper bound.'
        : lower !== null && upper !== null && lower > upper
          ? 'The lower bound is above the upper one.'
          : null;
    if (fault === null) return { lower, upper };
    ctx.addIssue({ code: 'custom', message: fault, params: { code: 'invalid_input' } });
    return z.NEVER;
  });

const threshold = z.object({
  configuration: z
    .object({
      type: choice(THRESHOLDS).describe(
        'Whether the bounds are numbers, or shares of the number of the period before: 0.2 is 20 %.',
      ),
      bounds: bounds.describe('Between which numbers the alert does not fire. One of them may be left out.'),
    })
    .describe('The bounds.'),
});
export type Threshold = z.output<typeof threshold>;

const config = z.object({
  type: optional(choice(['TrendsAlertConfig'])).describe('Alerts are about trends.'),
  series_index: optional(integerFrom(0, MAX_SERIES)).describe(
    'Which series of the insight is compared, or which formula if it has any; the first is 0.',
  ),
  check_ongoing_interval: optional(bool()).describe(
    'True: the period that is not over is compared, too, so that the alert fires earlier. By default only whole periods are.',
  ),
});

/** A user, by number or as responses show them. */
const subscriber = z.preprocess((value) => (isObject(value) ? value['id'] : value), primaryKey());

const subscribers = list(subscriber)
  .transform((ids) => [...new Set(ids)])
  .superRefine((ids, ctx) => {
    if (ids.length <= MAX_SUBSCRIBERS) return;
    const message = `An alert may have ${MAX_SUBSCRIBERS} subscribers.`;
    ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
  })
  .meta({ items: { type: 'integer' } });

const MAX_URL = 2_000;

const webhookUrl = text({ max: MAX_URL })
  .transform((value, ctx): string => {
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '') return url.href;
    const message = 'Enter an address that begins with https:// or http://, without a user name.';
    ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
    return z.NEVER;
  })
  .meta({ format: 'uri' });

const described = {
  name: 'Name for people.',
  insight: 'Number of the insight whose numbers are compared. It must be a trend.',
  enabled: 'Whether it is checked.',
  calculation_interval:
    'How often it is checked: five minutes after each full hour, or at 01:00 in the time zone of the project on each day, on the first day of each week, or on the first of each month.',
  condition: 'What is compared.',
  threshold: 'With what it is compared.',
  config: 'Which numbers of the insight are compared.',
  subscribed_users:
    'On whose home page the alert appears while it fires or fails: numbers of users, who must have access to the project. If left out, you.',
  webhook_url:
    'Gets a POST with JSON when the alert begins to fire, and when it stops. Slack understands its `text`. Null: none. It is a secret, shown only to who may change the alert.',
  snoozed_until: 'Until then it is neither checked nor tells anything. Null: it is not snoozed.',
};

const common = {
  enabled: optional(bool()).describe(described.enabled),
  subscribed_users: optional(subscribers).describe(described.subscribed_users),
  webhook_url: optional(nullable(webhookUrl)).describe(described.webhook_url),
  snoozed_until: optional(nullable(dateTime())).describe(described.snoozed_until),
  skip_weekend: unsupported('alerts are checked on all days.'),
};

/** Body of POST. */
export const createSchema = z
  .object({
    name: text({ max: 255 }).describe(described.name),
    insight: primaryKey().describe(described.insight),
    calculation_interval: optional(choice(CALCULATION_INTERVALS)).describe(described.calculation_interval),
    condition: condition.describe(described.condition),
    threshold: threshold.describe(described.threshold),
    config: optional(config).describe(described.config),
    ...common,
  })
  .meta({
    example: {
      name: 'Too few sign-ups',
      insight: 12,
      calculation_interval: 'daily',
      condition: { type: 'absolute_value' },
      threshold: { configuration: { type: 'absolute', bounds: { lower: 100 } } },
    },
  });
export type CreateFields = z.output<typeof createSchema>;

/** Body of PATCH and PUT; what is left out stays. */
export const patchSchema = z
  .object({
    name: optional(text({ max: 255 })).describe(described.name),
    insight: optional(primaryKey()).describe(described.insight),
    calculation_interval: optional(choice(CALCULATION_INTERVALS)).describe(described.calculation_interval),
    condition: optional(condition).describe(described.condition),
    threshold: optional(threshold).describe(described.threshold),
    config: optional(config).describe(described.config),
    ...common,
    deleted: optional(bool()).describe('True deletes the alert, false restores it.'),
  })
  .meta({ example: { snoozed_until: '2026-02-01T09:00:00Z' } });
export type PatchFields = z.output<typeof patchSchema>;

const checkSchema = z
  .object({
    id: z.uuid().describe('Identifier of the check.'),
    created_at: timeSchema('When it ended.'),
    state: z.enum(CHECK_STATES).describe('What it found.'),
    calculated_value: z
      .number()
      .nullable()
      .describe(
        'What was compared with the bounds. Null: the check failed, or the change has no number, as one from 0 by percentage.',
      ),
    message: z.string().describe('What was found, or why the check failed, in a sentence.'),
    webhook: z
      .enum(WEBHOOK_STATES)
      .nullable()
      .describe('Whether the webhook has got the news. Null: there were none, or the alert has no webhook.'),
    webhook_error: z.string().nullable().describe('Why the last call of the webhook failed.'),
  })
  .meta({ id: 'AlertCheck', description: 'One check of an alert.' });

/** An alert as responses show it. */
export const alertSchema = z
  .object({
    id: z.uuid().describe('Identifier of the alert.'),
    name: z.string().describe(described.name),
    insight: z.int().describe('Number of the insight whose numbers are compared.'),
    insight_short_id: z.string().describe('Short id of that insight.'),
    insight_name: z.string().nullable().describe('Name of that insight.'),
    insight_derived_name: z.string().nullable().describe('Name that the query of that insight gives it.'),
    enabled: z.boolean().describe(described.enabled),
    calculation_interval: z.enum(CALCULATION_INTERVALS).describe(described.calculation_interval),
    condition: z.object({ type: z.enum(CONDITIONS).describe('What is compared with the bounds.') }).describe(described.condition),
    threshold: z
      .object({
        configuration: z
          .object({
            type: z.enum(THRESHOLDS).describe('Whether the bounds are numbers or shares.'),
            bounds: z
              .object({
                lower: z.number().nullable().describe('The alert fires below it.'),
                upper: z.number().nullable().describe('The alert fires above it.'),
              })
              .describe('Between which numbers the alert does not fire.'),
          })
          .describe('The bounds.'),
      })
      .describe(described.threshold),
    config: z
      .object({
        type: z.literal('TrendsAlertConfig').describe('Alerts are about trends.'),
        series_index: z.int().describe('Which series or formula is compared.'),
        check_ongoing_interval: z.boolean().describe('Whether the period that is not over is compared.'),
      })
      .describe(described.config),
    subscribed_users: z.array(userSchema).describe('On whose home page it appears while it fires or fails.'),
    has_webhook: z.boolean().describe('Whether a webhook gets news.'),
    webhook_url: z.string().nullable().describe('Address of the webhook; null also for who may not change the alert.'),
    snoozed_until: timeSchema('Until when it is neither checked nor tells anything.').nullable(),
    state: z.enum(ALERT_STATES).describe('What the last check found, or `Snoozed`.'),
    last_checked_at: timeSchema('When it was last checked.').nullable(),
    last_value: z
      .number()
      .nullable()
      .describe(
        'What was compared with the bounds in the last check; null, too, when the insight shows what is hidden from you.',
      ),
    last_notified_at: timeSchema('When it last began to fire or stopped.').nullable(),
    next_check_at: timeSchema('When it is checked next. Null: it is not enabled.').nullable(),
    checks: z
      .array(checkSchema)
      .describe(
        'The last checks, newest first: 5 in lists, else 50. Older ones are deleted. None when the insight shows what is hidden from you.',
      ),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    created_at: timeSchema('When it was made.'),
    last_modified_by: userSchema
      .nullable()
      .describe('Who saved it last. It is checked on their behalf, and disabled when they cannot see the insight any more.'),
    updated_at: timeSchema('When it was last saved.'),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
    can_edit: z.boolean().describe('Whether you may change it: who may change the insight may.'),
  })
  .meta({ id: 'Alert', description: 'Tells when a number of an insight leaves its bounds.' });

/** How a test of a webhook ended. */
export const testedSchema = z
  .object({
    webhook: z.enum(['delivered', 'failed']).describe('Whether the webhook took the test.'),
    webhook_error: z.string().nullable().describe('Why it did not.'),
  })
  .meta({ id: 'AlertTest', description: 'How a test of the webhook of an alert ended.' });

export const alertPage = pageOf(alertSchema);
