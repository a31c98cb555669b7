import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import { absent, count, exactText, flag, refusal } from '../../fields.js';
import { insightFields, intervalField, readScope } from '../../insight-schema.js';
import { seriesList } from '../../series-schema.js';
import type { StickinessQuery } from './stickiness-query.js';

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

const compareFilter = z.object({
  compare: flag().describe('Adds the lines of the time before.'),
  compare_to: absent(exactText(20)).describe('How far back that is, such as `-1m`; if left out, just before.'),
});

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
    compareFilter: absent(compareFilter).describe('What to compare with.'),
  })
  .transform((raw, ctx): StickinessQuery => {
    const odd = raw.series.findIndex(({ math }) => !COUNTS_ACTORS.has(math.kind));
    if (odd >= 0) {
      ctx.addIssue(refusal('Stickiness counts persons or groups.', 'invalid_input', ['series', String(odd), 'math']));
      return z.NEVER;
    }
    const back = raw.compareFilter?.compare_to || null;
    if (back !== null && !/^-\d{1,4}[hdwmqy]$/.test(back)) {
      ctx.addIssue(refusal('A relative date such as -1m is required.', 'invalid_input', ['compareFilter', 'compare_to']));
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
      compare: raw.compareFilter?.compare ? (back === null ? 'previous' : { back }) : null,
    };
  })
  .meta({ id: 'StickinessQuery', description: 'Counts on how many hours, days, weeks or months people do something.' });
