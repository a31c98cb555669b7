import { z } from 'zod';
import { choice, integer, optional } from '../../../http/fields.js';
import { verbatim } from '../../../http/validate.js';
import type { ErrorCode } from '../../../kernel/errors.js';
import { absent, actionId, exactText, flag, readEntity } from '../../fields.js';
import type { FilterGroup } from '../../filter.js';
import { filters } from '../../filter-schema.js';
import { isReadableName } from '../../sql/property.js';
import { WINDOW_UNITS, windowOf } from '../span.js';

/** The value of a person's events: their number, whether there is any, or a statistic of a property. */
const MATHS = ['total', 'dau', 'sum', 'avg', 'min', 'max'] as const;
export type MetricMath = (typeof MATHS)[number];

/** Events of a metric. */
export interface MetricEvents {
  /** Null: all. */
  event: string | null;
  properties: FilterGroup;
  math: MetricMath;
  /** The property with the number, for all but `total` and `dau`. */
  property: string | null;
}

/** A metric: one value for each exposed person or, for a ratio, two whose sums are divided. */
export type Metric = {
  name: string | null;
  goal: 'increase' | 'decrease';
  /** Milliseconds after a person's exposure within which events count; null: until the end of the experiment. */
  window: number | null;
} & (
  | { type: 'mean'; source: MetricEvents }
  /** The person performed the steps in this order. */
  | { type: 'funnel'; steps: MetricEvents[] }
  | { type: 'ratio'; numerator: MetricEvents; denominator: MetricEvents }
);

/** Which persons are exposed: by their first exposure within `[from, to)`. */
export interface Exposure {
  flagKey: string;
  variants: readonly string[];
  /** Epoch milliseconds. */
  from: number;
  to: number;
  /** Name of the exposure event, which has the variant in `$feature/<flag>`; null: `$feature_flag_called`. */
  event: string | null;
  /** Action of the exposure events instead; `properties` starts with its condition. */
  action?: number;
  properties: FilterGroup;
  /** Excludes test accounts, also from the metrics. */
  filterTestAccounts: boolean;
  /** Persons with several variants are excluded, or counted for the first one. */
  several: 'exclude' | 'first_seen';
}

/** Sums over the people of one variant, from which means, variances and covariances follow. */
export interface MetricSums {
  /** Persons exposed. */
  exposures: number;
  /** Exposed persons with any of the events; for a funnel, with all steps. */
  samples: number;
  /** Σx and Σx² over the value x of each person; for a funnel x is 1 or 0. */
  sum: number;
  squares: number;
  /** Ratio only, with y the denominator: Σy, Σy² and Σxy. */
  otherSum: number;
  otherSquares: number;
  products: number;
  /** Funnel only: persons per step, in order; else empty. */
  steps: number[];
}

/** Numbers of exposed persons. */
export interface Exposures {
  /** By variant. */
  totals: Map<string, number>;
  /** By variant: exposed since `recentFrom`. */
  recent: Map<string, number>;
  /** Persons with several variants, who are in none of the other numbers. */
  several: number;
  /** By variant: new persons per day in the requested time zone. */
  days: Map<string, Map<string, number>>;
}

const MAX_STEPS = 20;

type Context = z.core.$RefinementCtx<unknown>;

function refuse(ctx: Context, field: string, message: string, code: ErrorCode = 'invalid_input'): never {
  ctx.addIssue({ code: 'custom', path: [field], message, params: { code }, input: ctx.value });
  return z.NEVER;
}

const events = z
  .object(
    {
      kind: absent(choice(['EventsNode', 'ActionsNode'])).describe('Events of one name, or those that match an action.'),
      id: actionId().describe('Number of the action, for `ActionsNode`.'),
      event: absent(exactText()).describe('Name of the events; null: all.'),
      name: absent(exactText()).describe('What they are called.'),
      math: absent(choice(MATHS)).describe(
        "What a person's events come to: their number (`total`), 1 if there is any (`dau`), or sum, average, least or greatest of a number in them.",
      ),
      math_property: absent(exactText(400)).describe('The property with the number; all but `total` and `dau` need it.'),
      properties: filters(),
    },
    'Expected events: an object with an event.',
  )
  .transform((raw, ctx): MetricEvents => {
    const math = raw.math ?? 'total';
    const property = raw.math_property || null;
    const needed = math !== 'total' && math !== 'dau';
    if (needed && property === null) return refuse(ctx, 'math_property', 'This field is required.', 'required');
    if (needed && property !== null && !isReadableName(property))
      return refuse(ctx, 'math_property', 'A property of this name cannot be queried.');
    const entity = readEntity({ ...raw, isAction: raw.kind === 'ActionsNode', properties: [raw.properties] });
    if ('field' in entity) return refuse(ctx, entity.field, entity.message, entity.code);
    return { event: entity.event, properties: entity.properties, math, property: needed ? property : null };
  });

/** A metric of an experiment, as it is sent and stored. */
export const metricSchema = z
  .object(
    {
      kind: absent(choice(['ExperimentMetric'])).describe('What kind of object it is.'),
      metric_type: choice(['mean', 'funnel', 'ratio']).describe(
        'mean: a number for each person; funnel: the share of persons who took all steps; ratio: one sum by another.',
      ),
      name: absent(exactText(400)).describe('What people call it.'),
      goal: absent(choice(['increase', 'decrease']))
        .describe('Which way is better.')
        .meta({ default: 'increase' }),
      source: optional(events).describe('The events of a mean.'),
      series: optional(
        z
          .array(events, 'Expected a list of events.')
          .min(1, 'At least one step is required.')
          .max(MAX_STEPS, `There may be ${MAX_STEPS} steps.`),
      ).describe('The steps of a funnel, in order; exposure comes before the first.'),
      numerator: optional(events).describe('The events of a ratio above the line.'),
      denominator: optional(events).describe('The events of a ratio below the line.'),
      conversion_window: absent(integer()).describe('How long after exposure events count; null: until the end.'),
      conversion_window_unit: absent(choice(WINDOW_UNITS)).describe('Unit of the window.').meta({ default: 'day' }),
      is_guard: flag().describe(
        'Of a secondary metric: it must not get worse. Clients show it apart; it is computed like the others.',
      ),
      funnel_order_type: absent(choice(['ordered'])).describe('Steps count in their order.'),
    },
    'Expected a metric: an object with a metric_type.',
  )
  .transform((raw, ctx): Metric => {
    const required = (field: string): never => refuse(ctx, field, 'This field is required.', 'required');
    const length = raw.conversion_window ?? null;
    if (length !== null && length < 1) return refuse(ctx, 'conversion_window', 'A positive number is required.');
    const about = {
      name: raw.name || null,
      goal: raw.goal ?? 'increase',
      window: length === null ? null : windowOf(length, raw.conversion_window_unit ?? 'day'),
    };
    if (raw.metric_type === 'mean') {
      return raw.source ? { ...about, type: 'mean', source: raw.source } : required('source');
    }
    if (raw.metric_type === 'funnel') {
      return raw.series ? { ...about, type: 'funnel', steps: raw.series } : required('series');
    }
    if (!raw.numerator) return required('numerator');
    if (!raw.denominator) return required('denominator');
    return { ...about, type: 'ratio', numerator: raw.numerator, denominator: raw.denominator };
  });

/** Fields of metrics and exposure criteria that only clients use: names and ids. */
export const PRESENTATION: ReadonlySet<string> = new Set([
  'uuid',
  'fingerprint',
  'custom_name',
  'isSharedMetric',
  'sharedMetricId',
]);

/** A metric as it is sent and stored, unchanged. */
export const metricField = verbatim(metricSchema, PRESENTATION, {
  type: 'object',
  required: ['metric_type'],
  additionalProperties: true,
  description: `A metric. \`metric_type\` mean: a number per person, from the events of \`source\`; funnel: the share of persons who took all
steps of \`series\`, in order; ratio: the sum of \`numerator\` by that of \`denominator\`. Events are \`{"kind": "EventsNode", "event": …, "math": "total" |
"dau" | "sum" | "avg" | "min" | "max", "math_property": …, "properties": […]}\`. Also \`name\`, \`goal\` (increase, decrease), \`is_guard\` (must not get worse), \`conversion_window\` with
\`conversion_window_unit\` (second, minute, hour, day, week, month), and \`uuid\`, which is generated by default.`,
});

/** What makes a person part of an experiment, as it is sent and stored. */
export const exposureSchema = z.object({
  exposure_config: absent(
    z
      .object(
        {
          kind: absent(choice(['ExperimentEventExposureConfig', 'EventsNode', 'ActionsNode'])).describe(
            'Events of one name, or those that match an action.',
          ),
          event: absent(exactText()).describe(
            'The event that exposes; null and `$feature_flag_called`: that the flag was asked for.',
          ),
          id: actionId().describe('Number of the action, for `ActionsNode`.'),
          properties: filters(),
        },
        'Expected an object with an event.',
      )
      .transform((raw, ctx) => {
        const entity = readEntity({ ...raw, isAction: raw.kind === 'ActionsNode', properties: [raw.properties] });
        return 'field' in entity ? refuse(ctx, entity.field, entity.message, entity.code) : entity;
      }),
  ).describe('Which events expose. Others than `$feature_flag_called` carry the variant in the property `$feature/<flag>`.'),
  multiple_variant_handling: absent(choice(['exclude', 'first_seen']))
    .describe('Persons who met several variants are left out, or stay with the first one.')
    .meta({ default: 'exclude' }),
  filterTestAccounts: flag().describe("Leaves out events of tests, by the project's `test_account_filters`."),
});
