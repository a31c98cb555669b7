import { exposureSchema, metricField, PRESENTATION } from '../../analytics/index.js';
import { list } from '../../http/fields.js';
import { verbatim } from '../../http/validate.js';
import { isDashedUuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';

const MAX_METRICS = 20;

/** The metrics of a request. */
export const metricList = list(metricField).superRefine((metrics, ctx) => {
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

/** Gives each metric a unique id, by which clients request its results. */
export function withIds(metrics: readonly JsonObject[], newId: () => string): JsonObject[] {
  const taken = new Set<unknown>();
  return metrics.map((one) => {
    const { uuid } = one;
    const keeps = typeof uuid === 'string' && isDashedUuid(uuid) && !taken.has(uuid);
    const id = keeps ? uuid : newId();
    taken.add(id);
    return { ...one, uuid: id };
  });
}
