import { z } from 'zod';
import { choice } from '../http/fields.js';
import { INTERVALS } from './buckets.js';
import { absent, amount, dateText, flag } from './fields.js';
import { filters } from './filter-schema.js';
import type { InsightScope } from './query.js';

const dateRange = z.object(
  {
    date_from: absent(dateText('all'))
      .describe('First day: a date, a date-time, a relative date such as `-7d`, or `all`.')
      .meta({ default: '-7d' }),
    date_to: absent(dateText()).describe(
      'Last day, whatever time of it is given; by hours and minutes the last one of these. Today if left out.',
    ),
    explicitDate: flag().describe('Dates stand for the instants that they say and not for whole days.'),
  },
  'Expected an object with date_from and date_to.',
);

const MIN_SAMPLE = 0.000_001;

/** Fields of every insight; {@link readScope} turns them into an {@link InsightScope}. */
export const insightFields = {
  dateRange: absent(dateRange).describe('Which days.'),
  properties: filters(),
  filterTestAccounts: flag().describe("Leaves out the events of tests, by the project's `test_account_filters`."),
  samplingFactor: absent(amount(MIN_SAMPLE, 1)).describe(
    'Share of the persons to look at, for an estimate that is sooner there; counts are scaled up.',
  ),
};

interface ScopeFields {
  dateRange?: z.output<typeof dateRange> | null | undefined;
  properties: InsightScope['properties'];
  filterTestAccounts: boolean;
  samplingFactor?: number | null | undefined;
}

/** The {@link InsightScope} of validated {@link insightFields}. */
export const readScope = ({ dateRange, properties, filterTestAccounts, samplingFactor }: ScopeFields): InsightScope => ({
  dateFrom: dateRange?.date_from ?? null,
  dateTo: dateRange?.date_to ?? null,
  explicitDate: dateRange?.explicitDate ?? false,
  properties,
  filterTestAccounts,
  samplingFactor: samplingFactor ?? 1,
});

/** The interval of an insight. */
export const intervalField = absent(choice(INTERVALS)).describe('Into what time is cut.').meta({ default: 'day' });
