import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import { isObject } from '../../../kernel/json.js';
import { absent, count, exactText, flag, refusal } from '../../fields.js';
import { type FunnelsQuery, funnelsSchema } from '../funnels/funnels-schema.js';
import { lifecycleSchema, STATUSES } from '../lifecycle/lifecycle-schema.js';
import { pathsSchema } from '../paths/paths-schema.js';
import { retentionSchema } from '../retention/retention-schema.js';
import { stickinessSchema } from '../stickiness/stickiness-schema.js';
import { trendsSchema } from '../trends/trends-schema.js';
import type { ActorsSource, FunnelReach } from './actors-schema.js';

const insight = z.discriminatedUnion(
  'kind',
  [trendsSchema, lifecycleSchema, pathsSchema, retentionSchema, stickinessSchema, funnelsSchema],
  {
    error: ({ input }) =>
      isObject(input) && input.kind !== undefined
        ? `${JSON.stringify(input.kind).slice(0, 200)} is not a valid choice.`
        : 'Expected an insight: an object with a kind.',
  },
);

const oneValue = z.union([exactText(), z.int().transform(String)]);
const value = z.union([oneValue.transform((one) => [one]), z.array(oneValue, 'Expected a value or a list of values.').max(3)]);

const day = z.union([exactText(40), z.int().transform(String)]);

/** Schema of a data point of an insight. */
export const sourceField = z
  .object(
    {
      kind: choice(['InsightActorsQuery', 'FunnelsActorsQuery', 'StickinessActorsQuery']).describe('What kind of object it is.'),
      source: insight.describe('The insight.'),
      series: absent(count(0, 49)).describe('Of trends and stickiness: number of the series, from 0.'),
      day: absent(day).describe(
        'The interval, as `days` of the answer names it; of stickiness the number of intervals. Of trends the whole time if left out.',
      ),
      breakdown: absent(value).describe('Value of the breakdown.'),
      compare: absent(choice(['current', 'previous'])).describe(
        'Of trends and stickiness: of which time; the present one if left out.',
      ),
      status: absent(choice(STATUSES)).describe('Of lifecycles.'),
      interval: absent(count(0, 1000)).describe('Of retention: number of the row, from 0.'),
      later: absent(count(0, 1000)).describe('Of retention: number of the column in the row; everybody in the row if left out.'),
      funnelStep: absent(count(-20, 20)).describe(
        'From 1: actors who reached this step; below 0: actors who dropped off before it.',
      ),
      funnelCustomSteps: absent(
        z.array(count(1, 20), 'Expected a list of steps.').min(1, 'At least one step is required.').max(20),
      ).describe('Of a funnel: those whose last step has one of these numbers, from 1. Used instead of `funnelStep`.'),
      funnelStepBreakdown: absent(value).describe('Value of the breakdown of a funnel.'),
      funnelTrendsEntrancePeriodStart: absent(exactText(40)).describe('Of conversion over time: the interval.'),
      funnelTrendsDropOff: flag().describe('Of conversion over time: actors who did not convert.'),
    },
    'Expected the point of an insight: an object with a source.',
  )
  .transform((raw, ctx): ActorsSource => {
    const refuse = (field: string, message?: string): never => {
      ctx.addIssue(refusal(message ?? 'This field is required.', message ? 'invalid_input' : 'required', [field]));
      return z.NEVER;
    };
    const { source: query } = raw;
    const foreign = POINT_FIELDS.find((field) => isGiven(raw[field]) && !POINTS[query.kind].includes(field));
    if (foreign) return refuse(foreign, `A point of a ${query.kind} has no such field.`);
    const series = raw.series ?? 0;
    if ('series' in query && Array.isArray(query.series) && series >= query.series.length) {
      return refuse('series', 'There is no such series.');
    }
    const breakdownValue = raw.funnelStepBreakdown ?? raw.breakdown ?? null;
    if (breakdownValue !== null && !('breakdown' in query && query.breakdown)) {
      return refuse(raw.funnelStepBreakdown ? 'funnelStepBreakdown' : 'breakdown', 'The insight has no breakdown.');
    }
    switch (query.kind) {
      case 'TrendsQuery':
        return {
          of: 'trends',
          query,
          series,
          day: raw.day ?? null,
          breakdown: breakdownValue,
          previous: raw.compare === 'previous',
        };
      case 'LifecycleQuery': {
        if (!raw.day) return refuse('day');
        return raw.status ? { of: 'lifecycle', query, day: raw.day, status: raw.status } : refuse('status');
      }
      case 'PathsQuery':
        return { of: 'paths', query };
      case 'RetentionQuery':
        return { of: 'retention', query, row: raw.interval ?? 0, later: raw.later ?? null, breakdown: breakdownValue };
      case 'StickinessQuery': {
        const intervals = Number(raw.day);
        return raw.day && Number.isInteger(intervals) && intervals > 0
          ? { of: 'stickiness', query, series, intervals, previous: raw.compare === 'previous' }
          : refuse('day', 'A number of intervals is required.');
      }
      case 'FunnelsQuery': {
        const reached = reachOf(raw, query);
        return 'field' in reached
          ? refuse(reached.field, reached.message)
          : { of: 'funnels', query, reached, breakdown: breakdownValue };
      }
    }
  });

const POINT_FIELDS = [
  ...(['series', 'day', 'breakdown', 'compare', 'status', 'interval', 'later'] as const),
  ...(['funnelStep', 'funnelCustomSteps', 'funnelStepBreakdown'] as const),
  ...(['funnelTrendsEntrancePeriodStart', 'funnelTrendsDropOff'] as const),
];
type PointField = (typeof POINT_FIELDS)[number];

/** The fields that select a point of each insight kind. Other fields are rejected, since they would be ignored. */
const POINTS: Record<z.output<typeof insight>['kind'], readonly PointField[]> = {
  TrendsQuery: ['series', 'day', 'breakdown', 'compare'],
  LifecycleQuery: ['day', 'status'],
  PathsQuery: [],
  RetentionQuery: ['interval', 'later', 'breakdown'],
  StickinessQuery: ['series', 'day', 'compare'],
  FunnelsQuery: [
    ...(['breakdown', 'funnelStepBreakdown', 'funnelStep', 'funnelCustomSteps'] as const),
    ...(['funnelTrendsEntrancePeriodStart', 'funnelTrendsDropOff'] as const),
  ],
};

/** Whether a field differs from its default (first series, current range, false). */
const isGiven = (value: unknown): boolean => ![undefined, null, 0, false, 'current'].some((neutral) => neutral === value);

interface ReachFields {
  funnelStep?: number | null | undefined;
  funnelCustomSteps?: number[] | null | undefined;
  funnelTrendsEntrancePeriodStart?: string | null | undefined;
  funnelTrendsDropOff: boolean;
}

function reachOf(raw: ReachFields, { series, view }: FunnelsQuery): FunnelReach | { field: string; message?: string } {
  const {
    funnelStep: step,
    funnelCustomSteps: exactly,
    funnelTrendsEntrancePeriodStart: day,
    funnelTrendsDropOff: droppedOff,
  } = raw;
  if (day) {
    if (view.type !== 'trends')
      return { field: 'funnelTrendsEntrancePeriodStart', message: 'Only conversion over time has intervals.' };
    if (exactly) return { field: 'funnelCustomSteps', message: BESIDE };
    return step ? { field: 'funnelStep', message: BESIDE } : { day, droppedOff };
  }
  if (droppedOff) return { field: 'funnelTrendsEntrancePeriodStart' };
  const tooFar = `There are ${series.length} steps.`;
  if (exactly)
    return exactly.every((one) => one <= series.length) ? { exactly } : { field: 'funnelCustomSteps', message: tooFar };
  if (step === null || step === undefined) return { field: 'funnelStep' };
  if (step === 0) return { field: 'funnelStep', message: 'Steps are numbered from 1.' };
  if (Math.abs(step) > series.length) return { field: 'funnelStep', message: tooFar };
  return step === -1 ? { field: 'funnelStep', message: 'Nobody comes before the first step.' } : { step };
}

const BESIDE = 'This cannot be given beside funnelTrendsEntrancePeriodStart.';
