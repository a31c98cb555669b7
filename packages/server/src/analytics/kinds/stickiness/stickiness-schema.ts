import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import type { Interval } from '../../buckets.js';
import { absent, count, refusal } from '../../fields.js';
import {
  type Comparison,
  compareFields,
  type InsightScope,
  insightFields,
  intervalField,
  readCompare,
  readScope,
} from '../../insight-schema.js';
import { type EventsNode, seriesList } from '../../series-schema.js';

/** In how many intervals people performed an event. */
export interface StickinessQuery extends InsightScope {
  kind: 'StickinessQuery';
  series: EventsNode[];
  interval: Interval;
  /** Intervals per period, counted back from the end. */
  intervalCount: number;
  /** Condition on the number of events in an interval for it to count; null: at least one. */
  criteria: { operator: 'gte' | 'lte' | 'exact'; value: number } | null;
  /** Each number includes people with more intervals. */
  cumulative: boolean;
  /** As of trends. */
  compare: Comparison;
}

const MAX_INTERVALS = 1000;
const COUNTS_ACTORS = new Set(['total', 'dau', 'unique_group']);

const stickinessFilter = z.object(
  {
    computedAs: absent(choice(['non_cumulative', 'cumulative']))
      .describe('Whether each number holds those too who do it on more intervals.')
      .meta({ default: 'non_cumulative' }),
    stickinessCriteria: absent(
      z.object(
        {
          operator: choice(['gte', 'lte', 'exact']).describe('At least, at most or exactly so often.'),
          value: count(1, 1_000_000).describe('How often in an interval.'),
        },
        'Expected an object with operator and value.',
      ),
    ).describe('How often people have to do it in an interval for that to count; once if left out.'),
  },
  'Expected an object with the settings of stickiness.',
);

/** In how many intervals people performed an event. */
export const stickinessSchema = z
  .object({
    kind: z.literal('StickinessQuery').describe('Counts on how many intervals people do something.'),
    series: seriesList().describe('One line each; with `math` `unique_group` groups are counted instead of persons.'),
    interval: intervalField,
    intervalCount: absent(count(1, MAX_INTERVALS))
      .describe('How many intervals are one period, counted back from the end; the first one may be shorter.')
      .meta({ default: 1 }),
    ...insightFields,
    stickinessFilter: absent(stickinessFilter).describe('What counts.'),
    compareFilter: absent(z.object(compareFields)).describe('What to compare with.'),
  })
  .transform((raw, ctx): StickinessQuery => {
    const odd = raw.series.findIndex(({ math }) => !COUNTS_ACTORS.has(math.kind));
    if (odd >= 0) {
      ctx.addIssue(refusal('Stickiness counts persons or groups.', 'invalid_input', ['series', String(odd), 'math']));
      return z.NEVER;
    }
    return {
      kind: 'StickinessQuery',
      ...readScope(raw),
      series: raw.series,
      interval: raw.interval ?? 'day',
      intervalCount: raw.intervalCount ?? 1,
      criteria: raw.stickinessFilter?.stickinessCriteria ?? null,
      cumulative: raw.stickinessFilter?.computedAs === 'cumulative',
      compare: readCompare(raw.compareFilter, ctx),
    };
  })
  .meta({ id: 'StickinessQuery', description: 'Counts on how many hours, days, weeks or months people do something.' });
