import { exposureSchema, metricSchema } from '../../analytics/index.js';
import { list } from '../../http/fields.js';
import { verbatim } from '../../http/verbatim.js';
import type { JsonObject } from '../../kernel/json.js';

const MAX_METRICS = 20;

/** Fields of metrics that only clients use: names and ids. */
const PRESENTATION: ReadonlySet<string> = new Set(['uuid', 'fingerprint', 'custom_name', 'isSharedMetric', 'sharedMetricId']);

const metric = verbatim(metricSchema, PRESENTATION, {
  type: 'object',
  required: ['metric_type'],
  additionalProperties: true,
  description: `A metric. \`metric_type\` mean: a number for each person, from the events of \`source\`; funnel: the share of persons who took all
steps of \`series\`, in order; ratio: the sum of \`numerator\` by that of \`denominator\`. Events are \`{"kind": "EventsNode", "event": …, "math": "total" |
"dau" | "sum" | "avg" | "min" | "max", "math_property": …, "properties": […]}\`. Also \`name\`, \`goal\` (increase, decrease), \`conversion_window\` with
\`conversion_window_unit\` (second, minute, hour, day, week, month), and \`uuid\`, which is made when it is left out.`,
});

/** The metrics of a request. */
export const metricList = list(metric).superRefine((metrics, ctx) => {
  if (metrics.length <= MAX_METRICS) return;
  ctx.addIssue({ code: 'custom', message: `There may be ${MAX_METRICS} metrics.`, params: { code: 'invalid_input' } });
});

/** The exposure criteria of a request. */
export const exposureCriteria = verbatim(exposureSchema, PRESENTATION, {
  type: 'object',
  additionalProperties: true,
  description: `Who takes part. \`exposure_config\`: \`{"event": …, "properties": […]}\` or \`{"kind": "ActionsNode", "id": …}\`, the events that expose (else \`$feature_flag_called\`; others carry
the variant in the property \`$feature/<flag>\`). \`multiple_variant_handling\`: \`exclude\` leaves persons out who met several variants, \`first_seen\`
keeps them with the first.`,
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Gives each metric a unique id, by which clients request its results. */
export function withIds(metrics: readonly JsonObject[], newId: () => string): JsonObject[] {
  const taken = new Set<unknown>();
  return metrics.map((one) => {
    const { uuid } = one;
    const keeps = typeof uuid === 'string' && UUID.test(uuid) && !taken.has(uuid);
    const id = keeps ? uuid : newId();
    taken.add(id);
    return { ...one, uuid: id };
  });
}
