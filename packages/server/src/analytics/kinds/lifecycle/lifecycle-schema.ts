import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import type { Interval } from '../../buckets.js';
import { absent, groupTypeIndex, refusal } from '../../fields.js';
import { type InsightScope, insightFields, intervalField, readScope } from '../../insight-schema.js';
import { type EventsNode, type MathActor, mathActor, seriesList } from '../../series-schema.js';

/** Lifecycle statuses of a person in an interval. */
export const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const;
export type LifecycleStatus = (typeof STATUSES)[number];

/** New, returning, resurrecting and dormant people over time. */
export interface LifecycleQuery extends InsightScope {
  kind: 'LifecycleQuery';
  series: EventsNode;
  interval: Interval;
  actor: MathActor;
}

const lifecycleFilter = z.object(
  {
    toggledLifecycles: absent(z.array(choice(STATUSES), 'Expected a list of lifecycles.')).describe(
      'Which of the four are shown.',
    ),
  },
  'Expected an object with the settings of lifecycles.',
);

/** New, returning, resurrecting and dormant people over time. */
export const lifecycleSchema = z
  .object({
    kind: z.literal('LifecycleQuery').describe('Counts who is new, who stays, who comes back and who goes.'),
    series: seriesList().max(1, 'There may be one series.').describe('The one series.'),
    interval: intervalField,
    ...insightFields,
    lifecycleFilter: absent(lifecycleFilter).describe('How clients show the result; nothing is computed differently.'),
    aggregation_group_type_index: groupTypeIndex.describe('Counts groups of this type instead of persons.'),
  })
  .transform((raw, ctx): LifecycleQuery => {
    const [series] = raw.series;
    if (!series || !['total', 'dau', 'unique_group'].includes(series.math.kind)) {
      ctx.addIssue(refusal('Lifecycles are those of persons or groups.', 'invalid_input', ['series', '0', 'math']));
      return z.NEVER;
    }
    const own = series.math.kind === 'unique_group' ? series.math.index : null;
    const index = raw.aggregation_group_type_index ?? own;
    return {
      kind: 'LifecycleQuery',
      ...readScope(raw),
      series,
      interval: raw.interval ?? 'day',
      actor: mathActor(index),
    };
  })
  .meta({ id: 'LifecycleQuery', description: 'Counts who is new, who stays, who comes back and who goes, for each interval.' });
