import { z } from 'zod';
import { choice } from '../../../http/fields.js';
import { type Breakdown, breakdownField } from '../../breakdown.js';
import type { Interval } from '../../buckets.js';
import { absent, count, exactText, groupTypeIndex, refusal } from '../../fields.js';
import { type InsightScope, insightFields, intervalField, readScope } from '../../insight-schema.js';
import { type EventsNode, mathActor, seriesList, seriesNode } from '../../series-schema.js';
import type { FunnelActor } from '../actor.js';
import { MAX_WINDOW_DAYS, WINDOW_UNITS, windowOf } from '../span.js';
import { type Expression, readEventExpression } from '../sql/expression.js';

/** Events that void a run while it is between two steps (numbered from 0). */
interface Exclusion {
  events: EventsNode;
  from: number;
  to: number;
}

/** Which event of a run gives its breakdown value; `step` is numbered from 0. */
type Attribution = { type: 'first_touch' | 'last_touch' | 'all_events' } | { type: 'step'; step: number };

/** The view of a funnel; steps are numbered from 0. */
export type FunnelView =
  | { type: 'steps' }
  | { type: 'time_to_convert'; from: number; to: number; bins: number | null }
  | { type: 'trends'; from: number; to: number };

/** How far people come through a series of steps. */
export interface FunnelsQuery extends InsightScope {
  kind: 'FunnelsQuery';
  series: EventsNode[];
  /**
   * `ordered`: other events may lie between steps; `strict`: none may; `unordered`: steps in any order.
   */
  order: 'ordered' | 'strict' | 'unordered';
  /** Conversion window: milliseconds from the first step, inclusive. */
  window: number;
  exclusions: Exclusion[];
  breakdown: Breakdown | null;
  attribution: Attribution;
  actor: FunnelActor;
  view: FunnelView;
  /** Interval of the `trends` view. */
  interval: Interval;
  /** Ignored parts of the query, as sentences for the response. */
  warnings: string[];
}

/** The step (numbered from 0) whose event gives a run its breakdown value; null: no single step does. */
export const attributedStep = ({ breakdown, attribution }: FunnelsQuery): number | null =>
  breakdown?.by.type === 'properties' && attribution.type === 'step' ? attribution.step : null;

const MAX_STEPS = 20;
/** Steps and exclusions together: each is a bit of a packed event (funnel-runs-sql.ts). */
const MAX_MARKS = 23;
const MAX_BINS = 90;
const COUNTS_ACTORS = new Set(['total', 'dau', 'unique_group', 'first_time_for_user']);
const DAY = 86_400_000;
const PERSONS = ['', 'person_id'];
const SESSIONS = ['properties.$session_id', '$session_id'];

const step = count(0, MAX_STEPS - 1);
const exclusion = z.intersection(
  seriesNode,
  z.object({
    funnelFromStep: step.describe('Number of the step, from 0, after which the events count.'),
    funnelToStep: step.describe('Number of the step before which they count.'),
  }),
);

const funnelsFilter = z.object(
  {
    funnelOrderType: absent(choice(['ordered', 'strict', 'unordered']))
      .describe('Whether other events may lie between the steps, none may, or the steps come in any order.')
      .meta({ default: 'ordered' }),
    funnelWindowInterval: absent(count(1, 100_000)).describe('Time from the first step to the last.').meta({ default: 14 }),
    funnelWindowIntervalUnit: absent(choice(WINDOW_UNITS))
      .describe('What that is counted in; a month has 30 days.')
      .meta({ default: 'day' }),
    exclusions: absent(z.array(exclusion, 'Expected a list of exclusions.')).describe(
      'Events that make a run void while it stands between two steps.',
    ),
    funnelVizType: absent(choice(['steps', 'time_to_convert', 'trends']))
      .describe('Steps, a histogram of the time between two steps, or conversion over time.')
      .meta({ default: 'steps' }),
    funnelFromStep: absent(step).describe('First step of the histogram, and of conversion over time; the first if left out.'),
    funnelToStep: absent(step).describe('Last step of these; the last if left out.'),
    binCount: absent(count(1, MAX_BINS)).describe('Bars of the histogram.'),
    breakdownAttributionType: absent(choice(['first_touch', 'last_touch', 'all_events', 'step']))
      .describe('Which event of a run has the breakdown value of the run; `all_events`: all must agree.')
      .meta({ default: 'first_touch' }),
    breakdownAttributionValue: absent(step).describe('Number of the step, for `step`.').meta({ default: 0 }),
    funnelAggregateByHogQL: absent(exactText(10_000)).describe(
      'What is counted: persons (`person_id`, or left out), sessions (`properties.$session_id`), or the values of another expression of SQL; events without a value are left out.',
    ),
  },
  'Expected an object with the settings of the funnel.',
);

/** How far people come through a series of steps. */
export const funnelsSchema = z
  .object({
    kind: z.literal('FunnelsQuery').describe('Counts how far people come through a series of steps.'),
    series: seriesList(2).max(MAX_STEPS, `There may be ${MAX_STEPS} steps.`).describe('The steps, 2 to 20.'),
    ...insightFields,
    interval: intervalField,
    breakdownFilter: breakdownField,
    aggregation_group_type_index: groupTypeIndex.describe('Counts groups of this type instead of persons.'),
    funnelsFilter: absent(funnelsFilter).describe('Order, window, exclusions, and what is shown.'),
  })
  .transform((raw, ctx): FunnelsQuery => {
    const filter = raw.funnelsFilter ?? {};
    const refuse = (message: string, ...path: string[]): never => {
      ctx.addIssue(refusal(message, 'invalid_input', path));
      return z.NEVER;
    };
    const last = raw.series.length - 1;
    const odd = raw.series.findIndex(({ math }) => !COUNTS_ACTORS.has(math.kind));
    if (odd >= 0) return refuse('Funnels count persons or groups.', 'series', String(odd), 'math');
    const index = raw.aggregation_group_type_index ?? null;
    const by = filter.funnelAggregateByHogQL ?? '';
    const isBySession = SESSIONS.includes(by);
    const expression = isBySession || PERSONS.includes(by) ? null : readEventExpression(by);
    if (typeof expression === 'string') return refuse(expression, 'funnelsFilter', 'funnelAggregateByHogQL');
    if ((isBySession || expression) && index !== null) return refuse(ONE_OF_TWO, 'funnelsFilter', 'funnelAggregateByHogQL');
    const foreign = raw.series.findIndex(({ math }) => math.kind === 'unique_group' && math.index !== index);
    if (foreign >= 0) return refuse(ONE_ACTOR, 'series', String(foreign), 'math');
    const first = (filter.exclusions ?? []).findIndex(({ math }) => math.kind !== 'total');
    if (first >= 0)
      return refuse('Exclusions are all events of their kind.', 'funnelsFilter', 'exclusions', String(first), 'math');
    const open = (filter.exclusions ?? []).findIndex(({ isOptional }) => isOptional);
    if (open >= 0) return refuse(NEVER_A_STEP, 'funnelsFilter', 'exclusions', String(open), 'optionalInFunnel');
    const window = windowOf(filter.funnelWindowInterval ?? 14, filter.funnelWindowIntervalUnit ?? 'day');
    if (window > MAX_WINDOW_DAYS * DAY) {
      return refuse(`The window may be ${MAX_WINDOW_DAYS} days.`, 'funnelsFilter', 'funnelWindowInterval');
    }
    const exclusions = (filter.exclusions ?? []).map(({ funnelFromStep, funnelToStep, ...events }) => ({
      events,
      from: funnelFromStep,
      to: funnelToStep,
    }));
    const order = filter.funnelOrderType ?? 'ordered';
    if (exclusions.length > MAX_MARKS - raw.series.length) {
      return refuse(`There may be ${MAX_MARKS - raw.series.length} exclusions.`, 'funnelsFilter', 'exclusions');
    }
    for (const [index, { from, to }] of exclusions.entries()) {
      const fault = rangeFault(from, to, last) ?? (order === 'unordered' && (from > 0 || to < last) ? PARTIAL : null);
      if (fault)
        return refuse(fault, 'funnelsFilter', 'exclusions', String(index), from > last ? 'funnelFromStep' : 'funnelToStep');
    }
    const both = exclusions.findIndex(({ events }) => raw.series.some((step) => mayMeet(step.event, events.event)));
    if (order === 'unordered' && both >= 0) return refuse(STEP_TOO, 'funnelsFilter', 'exclusions', String(both), 'event');
    const optional = raw.series.findIndex(({ isOptional }) => isOptional);
    if (optional === 0) return refuse('The first step cannot be optional.', 'series', '0', 'optionalInFunnel');
    if (optional > 0 && order === 'unordered') return refuse(NO_ORDER, 'series', String(optional), 'optionalInFunnel');
    const from = filter.funnelFromStep ?? 0;
    const to = filter.funnelToStep ?? last;
    const fault = rangeFault(from, to, last);
    const viewType = filter.funnelVizType ?? 'steps';
    if (viewType !== 'steps' && fault) return refuse(fault, 'funnelsFilter', from > last ? 'funnelFromStep' : 'funnelToStep');
    const ends = { funnelFromStep: from, funnelToStep: to };
    const skipped = Object.entries(ends).find(([, end]) => viewType !== 'steps' && raw.series[end]?.isOptional);
    if (skipped) return refuse(SKIPPED(skipped[1]), 'funnelsFilter', skipped[0]);
    const attributed = filter.breakdownAttributionValue ?? 0;
    const isByStep = filter.breakdownAttributionType === 'step';
    if (isByStep && attributed > last) return refuse(TOO_FAR(last), 'funnelsFilter', 'breakdownAttributionValue');
    const breakdown = viewType === 'time_to_convert' ? null : raw.breakdownFilter;
    const brokenDownBy = breakdown?.by;
    if (brokenDownBy?.type === 'properties' && brokenDownBy.properties.some(({ bins }) => bins !== null)) {
      return refuse('Funnels tell values apart, not ranges of them.', 'breakdownFilter');
    }
    return {
      kind: 'FunnelsQuery',
      ...readScope(raw),
      series: raw.series,
      order,
      window,
      exclusions,
      breakdown,
      attribution: attributionOf(filter.breakdownAttributionType ?? 'first_touch', attributed),
      actor: countedOf(isBySession, expression, index),
      view: viewOf(viewType, from, to, filter.binCount ?? null),
      interval: raw.interval ?? 'day',
      warnings: raw.breakdownFilter && !breakdown ? [NO_BREAKDOWN] : [],
    };
  })
  .meta({ id: 'FunnelsQuery', description: 'Counts how far people come through a series of steps.' });

function countedOf(isBySession: boolean, expression: Expression | null, index: number | null): FunnelActor {
  if (isBySession) return { type: 'session' };
  if (expression) return { type: 'value', expression };
  return mathActor(index);
}

/** Whether an event can have both names; null: any. */
const mayMeet = (one: string | null, other: string | null): boolean => one === null || other === null || one === other;

const ONE_OF_TWO = 'A funnel counts either groups of aggregation_group_type_index or what funnelAggregateByHogQL says.';
const ONE_ACTOR = 'The whole funnel counts groups of the type of aggregation_group_type_index, or else persons.';
const NEVER_A_STEP = 'An exclusion is no step, which alone can be optional.';
const NO_BREAKDOWN = 'The histogram has no breakdown: breakdownFilter was ignored.';
const STEP_TOO = 'In a funnel without order an event cannot be a step and excluded.';
const PARTIAL = 'In a funnel without order exclusions reach from the first step to the last.';
const NO_ORDER = 'In a funnel without order no step can be optional.';
const SKIPPED = (step: number): string => `Step ${step} is optional: name one that everybody takes who converts.`;
const TOO_FAR = (last: number): string => `Ensure this value is less than or equal to ${last}.`;

function rangeFault(from: number, to: number, last: number): string | null {
  if (from > last || to > last) return TOO_FAR(last);
  return from < to ? null : 'This step must come after the first one.';
}

const attributionOf = (type: Attribution['type'], step: number): Attribution => (type === 'step' ? { type, step } : { type });

function viewOf(type: FunnelView['type'], from: number, to: number, bins: number | null): FunnelView {
  if (type === 'steps') return { type };
  return type === 'trends' ? { type, from, to } : { type, from, to, bins };
}
