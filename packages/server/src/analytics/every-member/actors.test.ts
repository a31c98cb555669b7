import { everyMember } from '../../testing/every-member.js';
import { actorsSchema } from '../kinds/actors/actors-schema.js';

const node = (event: string, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });
const dateRange = { date_from: '2024-03-18', date_to: '2024-03-26' };
const trends = { kind: 'TrendsQuery', series: [node('$pageview'), node('bought')], dateRange };
const funnel = { kind: 'FunnelsQuery', series: [node('$pageview'), node('signed up'), node('bought')], dateRange };
const overTime = { ...funnel, funnelsFilter: { funnelVizType: 'trends' } };
const retention = { kind: 'RetentionQuery', dateRange, retentionFilter: { totalIntervals: 4 } };
const point = (source: object, rest: object = {}) => ({ source: { kind: 'InsightActorsQuery', source: { ...source }, ...rest } });
const by = (breakdown: string) => ({ breakdownFilter: { breakdown } });
const lifecycle = { kind: 'LifecycleQuery', series: [node('$pageview')], dateRange };
const ALL = { source: null };
const START = { funnelTrendsEntrancePeriodStart: '2024-03-20' };

const BASE = { kind: 'ActorsQuery', select: ['id'], ...point(trends) };

everyMember(
  actorsSchema,
  BASE,
  {
    kind: { to: { kind: 'Actors' }, refusedAt: 'kind' },
    select: { to: { select: ['event_count'] } },
    where: { from: ALL, to: { where: ["properties.plan = 'free'"] } },
    search: { to: { search: 'a1' } },
    properties: { to: { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['free'] }] } },
    orderBy: { to: { orderBy: ['id desc'] } },
    limit: { to: { limit: 1 } },
    offset: { to: { offset: 1 } },
    source: { to: ALL },
    'source.kind': { to: point(trends, { kind: 'ActorsQuery' }), refusedAt: 'source__kind' },
    'source.source': { to: point({ ...trends, dateRange: { date_from: '2024-03-25', date_to: '2024-03-25' } }) },
    'source.series': { to: point(trends, { series: 1 }) },
    'source.day': { to: point(trends, { day: '2024-03-20' }) },
    'source.breakdown': { from: point({ ...trends, ...by('$browser') }), to: { source: { breakdown: 'Safari' } } },
    'source.compare': {
      from: point({ ...trends, compareFilter: { compare: true } }, { day: '2024-03-20' }),
      to: { source: { compare: 'previous', day: '2024-03-12' } },
    },
    'source.status': {
      from: point(lifecycle, { day: '2024-03-22', status: 'new' }),
      to: { source: { status: 'dormant' } },
    },
    'source.interval': { from: point(retention), to: { source: { interval: 3 } } },
    'source.later': { from: point(retention), to: { source: { later: 2 } } },
    'source.funnelStep': { from: point(funnel, { funnelStep: 1 }), to: { source: { funnelStep: 3 } } },
    'source.funnelCustomSteps': { from: point(funnel, { funnelStep: 1 }), to: { source: { funnelCustomSteps: [2] } } },
    'source.funnelStepBreakdown': {
      from: point({ ...funnel, ...by('$browser') }, { funnelStep: 1 }),
      to: { source: { funnelStepBreakdown: 'Safari' } },
    },
    'source.funnelTrendsEntrancePeriodStart': {
      from: point(overTime, START),
      to: { source: { funnelTrendsEntrancePeriodStart: '2024-03-25' } },
    },
    'source.funnelTrendsDropOff': { from: point(overTime, START), to: { source: { funnelTrendsDropOff: true } } },
  },
  ['source.source'],
);
