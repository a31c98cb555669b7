import { z } from 'zod';
import { choice, integerChoice } from '../../../http/atoms.js';
import { absent, count, exactText, flag, refusal, unsupported } from '../../atoms.js';
import { breakdownField } from '../../breakdown-schema.js';
import type { Interval } from '../../buckets.js';
import { filters } from '../../filter-schema.js';
import { insightFields, readScope } from '../../insight-schema.js';
import type { EventsNode } from '../../query.js';
import type { RetentionQuery } from './retention-query.js';

const MAX_PERIODS = 100;
const DEFAULT_PERIODS = 8;
const PERIODS: Record<'Hour' | 'Day' | 'Week' | 'Month', Interval> = {
  Hour: 'hour',
  Day: 'day',
  Week: 'week',
  Month: 'month',
};

const entity = z
  .object(
    {
      id: absent(exactText()).describe('Name of the events; null: all.'),
      type: absent(choice(['events'])).describe('What is named.'),
      name: absent(exactText()).describe('What they are called.'),
      custom_name: absent(exactText()).describe('What people call them.'),
      properties: filters(),
    },
    'Expected an object with an id.',
  )
  .transform(
    (raw): EventsNode => ({
      event: raw.id || null,
      name: raw.name || null,
      customName: raw.custom_name || null,
      math: { kind: 'total' },
      properties: raw.properties,
    }),
  );

const PAGEVIEW: EventsNode = {
  event: '$pageview',
  name: null,
  customName: null,
  math: { kind: 'total' },
  properties: { type: 'AND', values: [] },
};

const retentionFilter = z.object(
  {
    targetEntity: absent(entity).describe('What people begin with; `$pageview` if left out.'),
    returningEntity: absent(entity).describe('What counts as coming back; `$pageview` if left out.'),
    retentionType: absent(choice(['retention_first_time', 'retention_recurring']))
      .describe('Whether only the first time ever counts as a beginning, or every period.')
      .meta({ default: 'retention_recurring' }),
    period: absent(choice(['Hour', 'Day', 'Week', 'Month']))
      .describe('Into what time is cut.')
      .meta({ default: 'Day' }),
    totalIntervals: absent(count(1, MAX_PERIODS))
      .describe('How many periods are shown, the first one included.')
      .meta({ default: DEFAULT_PERIODS }),
    cumulative: flag().describe('Those count too who came back only later.'),
    minimumOccurrences: unsupported('Once in a period is enough to count.', 1),
    timeWindowMode: unsupported('Periods are those of the calendar.', 'strict_calendar_dates'),
    retentionCustomBrackets: unsupported('Periods are of one length.'),
    aggregationType: unsupported('Retention counts persons or groups.', 'count'),
    aggregationProperty: unsupported('Retention counts persons or groups.', ''),
  },
  'Expected an object with the settings of retention.',
);

/** Of those who did something in a period, who came back. */
export const retentionSchema = z
  .object({
    kind: z.literal('RetentionQuery').describe('Counts who came back.'),
    ...insightFields,
    aggregation_group_type_index: absent(integerChoice([0, 1, 2, 3, 4])).describe(
      'Counts groups of this type instead of persons.',
    ),
    breakdownFilter: breakdownField.describe('Not supported: retention has no breakdown.'),
    retentionFilter: absent(retentionFilter).describe('What counts as beginning and as coming back, and when.'),
  })
  .transform((raw, ctx): RetentionQuery => {
    if (raw.breakdownFilter) {
      ctx.addIssue(refusal('Retention has no breakdown.', 'invalid_input', ['breakdownFilter']));
      return z.NEVER;
    }
    const filter = raw.retentionFilter ?? { cumulative: false };
    const index = raw.aggregation_group_type_index ?? null;
    return {
      kind: 'RetentionQuery',
      ...readScope(raw),
      target: filter.targetEntity ?? PAGEVIEW,
      returning: filter.returningEntity ?? PAGEVIEW,
      isFirstTime: filter.retentionType === 'retention_first_time',
      period: PERIODS[filter.period ?? 'Day'],
      total: filter.totalIntervals ?? DEFAULT_PERIODS,
      cumulative: filter.cumulative,
      actor: index === null ? { type: 'person' } : { type: 'group', index },
    };
  })
  .meta({ id: 'RetentionQuery', description: 'Counts, of those who did something in a period, who came back later.' });
