import { z } from 'zod';
import { choice } from '../http/fields.js';
import { INTERVALS } from './buckets.js';
import { absent, amount, dateText, exactText, flag, refusal } from './fields.js';
import type { FilterGroup } from './filter.js';
import { filters } from './filter-schema.js';

/** Which events an insight counts; part of every insight query. */
export interface InsightScope {
  /** Dates as `spanOf` resolves them; `all`: from the first event on. */
  dateFrom: string | null;
  dateTo: string | null;
  /** Use the exact times of the dates instead of whole days. */
  explicitDate: boolean;
  properties: FilterGroup;
  filterTestAccounts: boolean;
  /** Share of persons whose events are counted, above 0; 1: all. */
  samplingFactor: number;
}

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

/** Fields of `compareFilter`, of insights that can be compared with an earlier time. */
export const compareFields = {
  compare: flag().describe('Adds the lines of the time before.'),
  compare_to: absent(exactText(20)).describe('How far back that is, such as `-1m`; if left out, just before.'),
};

/** The comparison of an insight: with the time just before, or shifted back (`-1m`); null: none. */
export type Comparison = 'previous' | { back: string } | null;

/** The {@link Comparison} of validated {@link compareFields}. Adds an issue if `compare_to` is not a relative date. */
export function readCompare(
  fields: { compare: boolean; compare_to?: string | null | undefined } | null | undefined,
  ctx: z.core.$RefinementCtx<unknown>,
): Comparison {
  const back = fields?.compare_to || null;
  if (back !== null && !/^-\d{1,4}[hdwmqy]$/.test(back)) {
    ctx.addIssue(refusal('A relative date such as -1m is required.', 'invalid_input', ['compareFilter', 'compare_to']));
    return z.NEVER;
  }
  return fields?.compare ? (back === null ? 'previous' : { back }) : null;
}
