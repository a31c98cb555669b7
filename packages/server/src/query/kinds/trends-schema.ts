import { z } from 'zod';
import { choice, integerChoice } from '../../http/atoms.js';
import type { ErrorCode } from '../../kernel/errors.js';
import { INTERVALS } from '../buckets.js';
import { filters } from '../filter-schema.js';
import type { EventsNode, Math as SeriesMath, TrendsQuery } from '../query.js';
import { absent, dateText, exactText } from './events-schema.js';

const MAX_SERIES = 50;

const refusal = (path: string[], message: string, code: ErrorCode = 'invalid_input') => ({
  code: 'custom' as const,
  path,
  message,
  params: { code },
});

const series = z
  .object({
    kind: choice(['EventsNode']).describe('Events of one name.'),
    event: absent(exactText()).describe('Name of the events; null: all.'),
    name: absent(exactText()).describe('What the series is called.'),
    custom_name: absent(exactText()).describe('What people call the series.'),
    math: absent(choice(['total', 'dau', 'unique_group']))
      .describe('What is counted: events, persons, or groups.')
      .meta({ default: 'total' }),
    math_group_type_index: absent(integerChoice([0, 1, 2, 3, 4])).describe('Which type of groups; `unique_group` needs it.'),
    properties: filters(),
    fixedProperties: filters(),
  })
  .transform((raw, ctx): EventsNode => {
    const index = raw.math_group_type_index ?? null;
    if (raw.math === 'unique_group' && index === null) {
      ctx.addIssue(refusal(['math_group_type_index'], 'This field is required.', 'required'));
      return z.NEVER;
    }
    const math: SeriesMath =
      raw.math === 'unique_group' ? { kind: 'unique_group', index: index ?? 0 } : { kind: raw.math === 'dau' ? 'dau' : 'total' };
    return {
      event: raw.event || null,
      name: raw.name || null,
      customName: raw.custom_name || null,
      math,
      properties: { type: 'AND', values: [raw.properties, raw.fixedProperties] },
    };
  });

const dateRange = z.object(
  {
    date_from: absent(dateText('all'))
      .describe('First day: a date, a relative date such as `-7d`, or `all`.')
      .meta({ default: '-7d' }),
    date_to: absent(dateText()).describe('Last day; today if left out.'),
  },
  'Expected an object with date_from and date_to.',
);

// what would change the numbers is refused as long as it is not computed
const absentOrOff = z
  .unknown()
  .optional()
  .superRefine((value, ctx) => {
    if (!isOff(value)) ctx.addIssue(refusal([], 'This is not supported.'));
  })
  .describe('Not supported yet: null, false or empty.');

const isOff = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every(isOff));

export const trendsSchema = z
  .object({
    kind: z.literal('TrendsQuery').describe('Counts events over time.'),
    series: z
      .array(series, 'Expected a list of series.')
      .min(1, 'At least one series is required.')
      .max(MAX_SERIES, `There may be ${MAX_SERIES} series.`)
      .describe('One line each.'),
    interval: absent(choice(INTERVALS)).describe('Into what time is cut.').meta({ default: 'day' }),
    dateRange: absent(dateRange).describe('Which days.'),
    properties: filters(),
    breakdownFilter: z.looseObject({ breakdown: absentOrOff, breakdowns: absentOrOff }).nullish().describe('Not supported yet.'),
    compareFilter: z.looseObject({ compare: absentOrOff }).nullish().describe('Not supported yet.'),
    trendsFilter: z
      .looseObject({ formula: absentOrOff, formulas: absentOrOff, formulaNodes: absentOrOff })
      .nullish()
      .describe('Formulas are not supported yet.'),
    filterTestAccounts: absentOrOff,
  })
  .transform(
    (raw): TrendsQuery => ({
      kind: 'TrendsQuery',
      series: raw.series,
      interval: raw.interval ?? 'day',
      dateFrom: raw.dateRange?.date_from ?? null,
      dateTo: raw.dateRange?.date_to ?? null,
      properties: raw.properties,
    }),
  )
  .meta({ id: 'TrendsQuery', description: 'Counts events over time, a number for every interval.' });
