import { z } from 'zod';
import { choice, integerChoice } from '../../../http/fields.js';
import { absent, refusal } from '../../fields.js';
import { insightFields, intervalField, readScope } from '../../insight-schema.js';
import { seriesList } from '../../series-schema.js';
import type { LifecycleQuery } from './lifecycle-query.js';

const lifecycleFilter = z.looseObject(
  {
    toggledLifecycles: absent(
      z.array(choice(['new', 'returning', 'resurrecting', 'dormant']), 'Expected a list of lifecycles.'),
    ).describe('Which of the four are shown.'),
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
    aggregation_group_type_index: absent(integerChoice([0, 1, 2, 3, 4])).describe(
      'Counts groups of this type instead of persons.',
    ),
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
      actor: index === null ? { type: 'person' } : { type: 'group', index },
    };
  })
  .meta({ id: 'LifecycleQuery', description: 'Counts who is new, who stays, who comes back and who goes, for each interval.' });
