import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import { queryOfFilters } from './legacy-filters.js';

const EVENTS = [{ id: '$pageview', type: 'events', order: 0, name: '$pageview' }];
const sourceOf = (filters: JsonObject) => queryOfFilters(filters)?.['source'];

describe('legacy filters become queries', () => {
  test.each<[JsonObject, JsonObject]>([
    [
      {
        insight: 'TRENDS',
        events: [
          { id: 'b', order: 1, math: 'sum', math_property: 'amount' },
          { id: null, order: 0 },
        ],
        date_from: '-14d',
        date_to: null,
        properties: [{ key: '$browser', value: 'Chrome', operator: 'exact', type: 'event' }],
        filter_test_accounts: true,
        breakdown: '$os',
        breakdown_type: 'event',
        compare: true,
        display: 'ActionsLineGraphCumulative',
        smoothing_intervals: 7,
        formula: 'A+B',
        show_legend: true,
        hidden_legend_keys: { 1: true },
      },
      {
        kind: 'TrendsQuery',
        series: [
          { kind: 'EventsNode', event: null },
          { kind: 'EventsNode', event: 'b', math: 'sum', math_property: 'amount' },
        ],
        dateRange: { date_from: '-14d' },
        properties: [{ key: '$browser', value: 'Chrome', operator: 'exact', type: 'event' }],
        filterTestAccounts: true,
        breakdownFilter: { breakdown: '$os', breakdown_type: 'event' },
        compareFilter: { compare: true },
        trendsFilter: { display: 'ActionsLineGraphCumulative', smoothingIntervals: 7, formula: 'A+B' },
      },
    ],
    [
      { events: EVENTS, breakdown_type: 'event' },
      { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview', name: '$pageview' }] },
    ],
    [
      { insight: 'TRENDS', shown_as: 'Lifecycle', events: EVENTS },
      { kind: 'LifecycleQuery', series: [{ kind: 'EventsNode', event: '$pageview', name: '$pageview' }] },
    ],
    [
      {
        insight: 'FUNNELS',
        events: [...EVENTS, { id: 'paid', order: 1 }],
        funnel_viz_type: 'steps',
        funnel_window_interval_unit: 'week',
        exclusions: [{ id: 'left', funnel_from_step: 0, funnel_to_step: 1 }],
        aggregation_group_type_index: 1,
      },
      {
        kind: 'FunnelsQuery',
        series: [
          { kind: 'EventsNode', event: '$pageview', name: '$pageview' },
          { kind: 'EventsNode', event: 'paid' },
        ],
        aggregation_group_type_index: 1,
        funnelsFilter: {
          funnelVizType: 'steps',
          funnelWindowIntervalUnit: 'week',
          exclusions: [{ kind: 'EventsNode', event: 'left', funnelFromStep: 0, funnelToStep: 1 }],
        },
      },
    ],
    [
      {
        insight: 'RETENTION',
        target_entity: { id: 'signed_up', type: 'events' },
        returning_entity: { id: '$pageview', type: 'events' },
        retention_type: 'retention_first_time',
        period: 'Week',
        total_intervals: 8,
      },
      {
        kind: 'RetentionQuery',
        retentionFilter: {
          targetEntity: { id: 'signed_up', type: 'events' },
          returningEntity: { id: '$pageview', type: 'events' },
          retentionType: 'retention_first_time',
          period: 'Week',
          totalIntervals: 8,
        },
      },
    ],
    [
      { insight: 'PATHS', include_event_types: ['$pageview'], start_point: '/', edge_limit: 10, exclude_events: ['/x'] },
      {
        kind: 'PathsQuery',
        pathsFilter: { includeEventTypes: ['$pageview'], startPoint: '/', edgeLimit: 10, excludeEvents: ['/x'] },
      },
    ],
    [
      { events: [{ id: 'a', order: 1 }], actions: [{ id: 3, name: 'Paid', math: 'dau', order: 0 }] },
      {
        kind: 'TrendsQuery',
        series: [
          { kind: 'ActionsNode', id: 3, name: 'Paid', math: 'dau' },
          { kind: 'EventsNode', event: 'a' },
        ],
      },
    ],
    [
      { insight: 'STICKINESS', events: EVENTS, interval: 'week' },
      { kind: 'StickinessQuery', series: [{ kind: 'EventsNode', event: '$pageview', name: '$pageview' }], interval: 'week' },
    ],
  ])('%j', (filters, expected) => {
    expect(sourceOf(filters)).toEqual(expected);
  });

  test('filters with only a kind have no query', () => {
    expect([queryOfFilters({}), queryOfFilters({ insight: 'TRENDS', events: [] })]).toEqual([null, null]);
  });
});

test.each<[JsonObject, string]>([
  [{ insight: 'SESSIONS', events: EVENTS }, 'filters__insight'],
  [{ events: EVENTS, actions: [{ id: 'three', type: 'actions' }] }, 'filters'],
  [{ events: [{ id: 1, type: 'data_warehouse' }] }, 'filters__events__0__type'],
  [{ events: [{ ...EVENTS[0], math_hogql: 'count()' }] }, 'filters__events__0__math_hogql'],
  [{ insight: 'FUNNELS', events: EVENTS, funnel_aggregate_by_hogql: 'properties.x' }, 'filters__funnel_aggregate_by_hogql'],
  [{ insight: 'PATHS', funnel_paths: 'funnel_path_after_step' }, 'filters__funnel_paths'],
  [{ insight: 'RETENTION', breakdowns: [{ property: '$os', type: 'nonsense' }] }, 'filters'],
  [{ date_from: '-7d' }, 'filters'],
])('%j cannot be converted', (filters, attr) => {
  expect(() => queryOfFilters(filters)).toThrow(ApiError);
  try {
    queryOfFilters(filters);
  } catch (error) {
    expect(error instanceof ApiError && error.body.attr).toBe(attr);
  }
});
