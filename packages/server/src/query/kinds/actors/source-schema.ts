import { z } from 'zod';
import { choice } from '../../../http/atoms.js';
import { isObject } from '../../../kernel/json.js';
import { absent, count, exactText, flag, refusal } from '../../atoms.js';
import { funnelsSchema } from '../funnels/funnels-schema.js';
import { STATUSES } from '../lifecycle/lifecycle-query.js';
import { lifecycleSchema } from '../lifecycle/lifecycle-schema.js';
import { pathsSchema } from '../paths/paths-schema.js';
import { retentionSchema } from '../retention/retention-schema.js';
import { stickinessSchema } from '../stickiness/stickiness-schema.js';
import { trendsSchema } from '../trends/trends-schema.js';
import type { ActorsSource } from './actors-query.js';

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

const value = z.union([
  exactText().transform((one) => [one]),
  z.array(exactText(), 'Expected a value or a list of values.').max(3),
]);

const day = z.union([exactText(40), z.int().transform(String)]);

/** One point of an insight. */
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
        'From 1: those who took this step; below 0: those who did not, but the one before.',
      ),
      funnelStepBreakdown: absent(value).describe('Value of the breakdown of a funnel.'),
      funnelTrendsEntrancePeriodStart: absent(exactText(40)).describe('Of conversion over time: the interval.'),
      funnelTrendsDropOff: flag().describe('Of conversion over time: those who did not convert.'),
    },
    'Expected the point of an insight: an object with a source.',
  )
  .transform((raw, ctx): ActorsSource => {
    const refuse = (field: string, message?: string): never => {
      ctx.addIssue(refusal(message ?? 'This field is required.', message ? 'invalid_input' : 'required', [field]));
      return z.NEVER;
    };
    const { source: query } = raw;
    const series = raw.series ?? 0;
    if ('series' in query && Array.isArray(query.series) && series >= query.series.length) {
      return refuse('series', 'There is no such series.');
    }
    const asked = (raw.kind === 'FunnelsActorsQuery' ? raw.funnelStepBreakdown : raw.breakdown) ?? null;
    if (asked !== null && !('breakdown' in query && query.breakdown)) return refuse('breakdown', 'The insight has no breakdown.');
    switch (query.kind) {
      case 'TrendsQuery':
        return { of: 'trends', query, series, day: raw.day ?? null, breakdown: asked, previous: raw.compare === 'previous' };
      case 'LifecycleQuery': {
        if (!raw.day) return refuse('day');
        return raw.status ? { of: 'lifecycle', query, day: raw.day, status: raw.status } : refuse('status');
      }
      case 'PathsQuery':
        return { of: 'paths', query };
      case 'RetentionQuery':
        return { of: 'retention', query, row: raw.interval ?? 0, later: raw.later ?? null, breakdown: asked };
      case 'StickinessQuery': {
        const intervals = Number(raw.day);
        return raw.day && Number.isInteger(intervals) && intervals > 0
          ? { of: 'stickiness', query, series, intervals, previous: raw.compare === 'previous' }
          : refuse('day', 'A number of intervals is required.');
      }
      case 'FunnelsQuery': {
        const entrance = raw.funnelTrendsEntrancePeriodStart
          ? { day: raw.funnelTrendsEntrancePeriodStart, droppedOff: raw.funnelTrendsDropOff }
          : null;
        const step = raw.funnelStep ?? (entrance ? 1 : 0);
        if (step === 0) return refuse('funnelStep', raw.funnelStep === 0 ? 'Steps are numbered from 1.' : undefined);
        if (Math.abs(step) > query.series.length) return refuse('funnelStep', `There are ${query.series.length} steps.`);
        if (step === -1) return refuse('funnelStep', 'Nobody comes before the first step.');
        return { of: 'funnels', query, step, breakdown: asked, entrance };
      }
    }
  });
