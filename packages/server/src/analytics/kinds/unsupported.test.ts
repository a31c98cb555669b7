import { expect, test } from 'vitest';
import { unknownField } from '../../http/unknown-fields.js';
import { toApiError } from '../../http/validate.js';
import { querySchema } from '../query.js';

const series = [{ kind: 'EventsNode' }, { kind: 'EventsNode' }];
const funnel = { kind: 'FunnelsQuery', series };
const retention = { kind: 'RetentionQuery' };
const paths = { kind: 'PathsQuery' };
const trends = { kind: 'TrendsQuery', series };

const refusedAt = (query: object): string | undefined => {
  const { error } = querySchema.safeParse(query);
  return error && (toApiError(error.issues).body.attr ?? undefined);
};

test.each<[object, string]>([
  [{ ...retention, retentionFilter: { retentionCustomBrackets: [1, 0] } }, 'retentionFilter__retentionCustomBrackets__1'],
  [{ ...retention, retentionFilter: { aggregationType: 'sum' } }, 'retentionFilter__aggregationType'],
  [{ ...funnel, funnelsFilter: { funnelAggregateByHogQL: 'browser' } }, 'funnelsFilter__funnelAggregateByHogQL'],
  [{ ...paths, funnelPathsFilter: { funnelSource: funnel } }, 'funnelPathsFilter'],
  [{ ...paths, pathsFilter: { pathReplacements: true } }, 'pathsFilter__pathReplacements'],
  [
    { ...trends, breakdownFilter: { breakdown: '$pathname', breakdown_path_cleaning: true } },
    'breakdownFilter__breakdown_path_cleaning',
  ],
  [{ ...trends, conversionGoal: { actionId: 1 } }, 'conversionGoal'],
  [
    { ...trends, series: [{ kind: 'EventsNode', math: 'sum', math_property: 'price', math_multiplier: 2 }] },
    'series__0__math_multiplier',
  ],
  [
    { ...trends, series: [{ kind: 'EventsNode', math_property_revenue_currency: { static: 'EUR' } }] },
    'series__0__math_property_revenue_currency',
  ],
])('options that would change the results are refused: %j', (query, at) => {
  expect(refusedAt(query)).toBe(at);
});

test.each([
  {
    ...retention,
    breakdownFilter: { breakdown_type: 'event' },
    retentionFilter: { minimumOccurrences: 1, aggregationType: 'count' },
  },
  { ...retention, retentionFilter: { timeWindowMode: 'strict_calendar_dates', retentionCustomBrackets: [], showMean: true } },
  { ...trends, series: [{ kind: 'EventsNode', optionalInFunnel: true }] },
  { ...funnel, funnelsFilter: { funnelAggregateByHogQL: 'person_id' } },
  { ...paths, funnelPathsFilter: null, pathsFilter: { pathReplacements: false, pathsHogQLExpression: '', funnelFilter: {} } },
])('options without an effect are accepted: %j', (query) => {
  expect(refusedAt(query)).toBeUndefined();
});

test.each<[object, string]>([
  [trends, 'trendsFilter'],
  [trends, 'compareFilter'],
  [trends, 'breakdownFilter'],
  [trends, 'dateRange'],
  [funnel, 'funnelsFilter'],
  [retention, 'retentionFilter'],
  [paths, 'pathsFilter'],
  [{ kind: 'StickinessQuery', series: [{ kind: 'EventsNode' }] }, 'stickinessFilter'],
  [{ kind: 'LifecycleQuery', series: [{ kind: 'EventsNode' }] }, 'lifecycleFilter'],
])('an unknown field of %j in %s that would narrow the result is refused, one of display is not', (query, member) => {
  const base = member === 'breakdownFilter' ? { breakdown: 'plan' } : {};
  for (const name of ['event_filter', 'excludeOutliers', 'ignoredEvents', 'skipFirst']) {
    const given = { ...query, [member]: { ...base, [name]: true } };
    expect(refusedAt(given)).toBeUndefined();
    expect(unknownField(querySchema, given)).toEqual([member, name]);
  }
  const ofDisplay = {
    ...base,
    showLegend: true,
    hiddenLegendIndexes: [1],
    excludeBoxPlotOutliers: true,
    goalLines: [{ value: 1 }],
  };
  expect(unknownField(querySchema, { ...query, [member]: ofDisplay })).toBeNull();
});
