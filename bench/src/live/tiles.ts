const dateRange = { date_from: '-30d' };
const visits = (more: object = {}) => ({ kind: 'EventsNode', event: '$pageview', ...more });
const steps = ['$pageview', 'signed_up', 'bought'].map((event) => ({ kind: 'EventsNode', event }));
const pageview = { id: '$pageview', type: 'events' };

/** The queries of the dashboard: of each kind that dashboards show. */
export const TILES: readonly object[] = [
  { kind: 'TrendsQuery', series: [visits({ math: 'dau' })], dateRange },
  { kind: 'TrendsQuery', series: [visits()], dateRange },
  { kind: 'TrendsQuery', series: [visits({ math: 'dau' })], dateRange: { date_from: '-90d' }, interval: 'week' },
  { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought', math: 'sum', math_property: 'amount' }], dateRange },
  { kind: 'TrendsQuery', series: [visits()], dateRange, breakdownFilter: { breakdown: '$browser' } },
  { kind: 'TrendsQuery', series: [visits({ math: 'dau' })], dateRange, trendsFilter: { display: 'BoldNumber' } },
  {
    kind: 'FunnelsQuery',
    series: steps,
    dateRange,
    funnelsFilter: { funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
  },
  {
    kind: 'RetentionQuery',
    retentionFilter: { period: 'Week', totalIntervals: 8, targetEntity: pageview, returningEntity: pageview },
  },
  { kind: 'LifecycleQuery', series: [visits()], dateRange },
  { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['$pageview'] }, dateRange: { date_from: '-7d' } },
];
