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
    kind: choice(['EventsNode']),
    event: absent(exactText()),
    name: absent(exactText()),
    custom_name: absent(exactText()),
    math: absent(choice(['total', 'dau', 'unique_group'])),
    math_group_type_index: absent(integerChoice([0, 1, 2, 3, 4])),
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
  { date_from: absent(dateText('all')), date_to: absent(dateText()) },
  'Expected an object with date_from and date_to.',
);

// what would change the numbers is refused as long as it is not computed
const absentOrOff = z
  .unknown()
  .optional()
  .superRefine((value, ctx) => {
    if (!isOff(value)) ctx.addIssue(refusal([], 'This is not supported.'));
  });

const isOff = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every(isOff));

export const trendsSchema = z
  .object({
    kind: z.literal('TrendsQuery'),
    series: z
      .array(series, 'Expected a list of series.')
      .min(1, 'At least one series is required.')
      .max(MAX_SERIES, `There may be ${MAX_SERIES} series.`),
    interval: absent(choice(INTERVALS)),
    dateRange: absent(dateRange),
    properties: filters(),
    breakdownFilter: z.looseObject({ breakdown: absentOrOff, breakdowns: absentOrOff }).nullish(),
    compareFilter: z.looseObject({ compare: absentOrOff }).nullish(),
    trendsFilter: z.looseObject({ formula: absentOrOff, formulas: absentOrOff, formulaNodes: absentOrOff }).nullish(),
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
  );
