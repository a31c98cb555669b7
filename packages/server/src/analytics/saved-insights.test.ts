import { expect, test } from 'vitest';
import { unknownField } from '../http/unknown-fields.js';
import { validate } from '../http/validate.js';
import { querySchema } from './index.js';

/*
 * Insights as PostHog's app saves them, with every setting of how a result is shown: clients send them here unchanged, so none of these
 * fields may be refused as one that would narrow the result.
 */

const node = {
  kind: 'EventsNode',
  event: '$pageview',
  name: '$pageview',
  custom_name: 'Views',
  math: 'sum',
  math_property: 'price',
  math_property_type: 'numerical_event_properties',
  fixedProperties: [],
  optionalInFunnel: false,
  version: 1,
};
const entity = { id: '$pageview', kind: 'EventsNode', name: '$pageview', order: 0, type: 'events', uuid: 'a', properties: [] };
const common = {
  dateRange: { date_from: '-7d', date_to: null, explicitDate: false },
  filterTestAccounts: true,
  properties: [],
  samplingFactor: 1,
  dataColorTheme: 1,
  modifiers: { personsOnEventsMode: 'person_id_override_properties_on_events' },
  tags: { productKey: 'product_analytics', scene: 'Insight' },
  version: 2,
};
const shown = {
  showLegend: true,
  showMultipleYAxes: true,
  showTrendLines: true,
  showValuesOnSeries: true,
  hiddenLegendIndexes: [1],
  resultCustomizationBy: 'value',
  resultCustomizations: { a: { assignmentBy: 'value', color: 'preset-1' } },
  goalLines: [{ label: 'Goal', value: 1, displayLabel: true, borderColor: 'red', displayIfCrossed: true, position: 'end' }],
};

const SOURCES = {
  TrendsQuery: {
    series: [node],
    interval: 'day',
    compareFilter: { compare: true, compare_to: '-1w' },
    breakdownFilter: {
      breakdown: '$browser',
      breakdown_type: 'event',
      breakdown_limit: 5,
      breakdown_hide_other_aggregation: true,
    },
    trendsFilter: {
      ...shown,
      display: 'ActionsBar',
      aggregationAxisFormat: 'numeric',
      aggregationAxisPostfix: '%',
      aggregationAxisPrefix: '$',
      confidenceLevel: 95,
      decimalPlaces: 2,
      detailedResultsAggregationType: 'total',
      formulaNodes: [],
      minDecimalPlaces: 1,
      movingAverageIntervals: 3,
      showAlertThresholdLines: true,
      showConfidenceIntervals: true,
      showLabelsOnSeries: true,
      showMovingAverage: true,
      showPercentStackView: true,
      smoothingIntervals: 1,
      yAxisScaleType: 'log10',
    },
  },
  LifecycleQuery: {
    series: [{ ...node, math: 'total' }],
    interval: 'day',
    lifecycleFilter: { showLegend: true, showValuesOnSeries: true, stacked: true, toggledLifecycles: ['new', 'dormant'] },
  },
  StickinessQuery: {
    series: [{ ...node, math: 'dau' }],
    interval: 'day',
    intervalCount: 1,
    compareFilter: { compare: true },
    stickinessFilter: {
      ...shown,
      computedAs: 'cumulative',
      display: 'ActionsBar',
      stickinessCriteria: { operator: 'gte', value: 1 },
    },
  },
  FunnelsQuery: {
    series: [node, node].map((step) => ({ ...step, math: 'total' })),
    interval: 'day',
    breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' },
    funnelsFilter: {
      ...shown,
      binCount: 3,
      breakdownAttributionType: 'first_touch',
      breakdownSorting: 'name',
      exclusions: [],
      funnelFromStep: 0,
      funnelOrderType: 'ordered',
      funnelStepReference: 'total',
      funnelToStep: 1,
      funnelVizType: 'steps',
      funnelWindowInterval: 14,
      funnelWindowIntervalUnit: 'day',
      hiddenLegendBreakdowns: ['Safari'],
      layout: 'vertical',
      useUdf: true,
    },
  },
  RetentionQuery: {
    retentionFilter: {
      ...shown,
      cumulative: true,
      dashboardDisplay: 'table_only',
      display: 'ActionsTable',
      meanRetentionCalculation: 'simple',
      minimumOccurrences: 1,
      period: 'Day',
      retentionReference: 'total',
      retentionType: 'retention_first_time',
      returningEntity: entity,
      selectedInterval: 2,
      targetEntity: entity,
      totalIntervals: 8,
    },
  },
  PathsQuery: {
    pathsFilter: {
      edgeLimit: 50,
      endPoint: '/b',
      excludeEvents: [],
      includeEventTypes: ['$pageview'],
      localPathCleaningFilters: [],
      maxEdgeWeight: 3,
      minEdgeWeight: 1,
      pathGroupings: [],
      showFullUrls: true,
      startPoint: '/a',
      stepLimit: 5,
    },
  },
};

test.each(Object.entries(SOURCES))('a saved %s is accepted with all its display options', (kind, source) => {
  const insight = {
    kind: 'InsightVizNode',
    full: true,
    embedded: true,
    hidePersonsModal: true,
    hideTooltipOnScroll: true,
    showCorrelationTable: true,
    showFilters: true,
    showHeader: true,
    showLastComputation: true,
    showResults: true,
    showTable: true,
    suppressSessionAnalysisWarning: true,
    vizSpecificOptions: { ActionsPie: { disableHoverOffset: true } },
    source: { kind, ...common, ...source },
  };
  expect(validate(querySchema, insight)).toMatchObject({ kind });
  expect(unknownField(querySchema, insight)).toBeNull();
});

test.each([
  [
    'DataTableNode',
    {
      allowSorting: true,
      contextKey: 'events',
      defaultColumns: ['event'],
      embedded: true,
      expandable: true,
      hiddenColumns: ['event'],
      pinnedColumns: ['event'],
      propertiesViaUrl: true,
      showDateRange: true,
      showEventFilter: true,
      showPropertyFilter: ['event'],
      showSavedQueries: true,
      showTestAccountFilters: true,
      source: { kind: 'EventsQuery', select: ['*', 'event'], after: '-24h', limit: 10, properties: [], modifiers: {}, tags: {} },
    },
  ],
  [
    'DataVisualizationNode',
    {
      display: 'ActionsLineGraph',
      chartSettings: { xAxis: { column: 'a' }, yAxis: [{ column: 'b' }], goalLines: [], seriesBreakdownColumn: 'c' },
      tableSettings: { columns: [{ column: 'a' }], conditionalFormatting: [] },
      source: { kind: 'HogQLQuery', query: 'select 1', name: 'One', explain: false, modifiers: {}, tags: {} },
    },
  ],
])('a saved %s is accepted with all its display options', (kind, fields) => {
  const insight = { kind, ...fields };
  expect(validate(querySchema, insight)).toMatchObject({ kind: fields.source.kind });
  expect(unknownField(querySchema, insight)).toBeNull();
});

test('a field that would change the result is refused', () => {
  const source = { kind: 'TrendsQuery', ...common, ...SOURCES.TrendsQuery, session_duration_filter: 10 };
  expect(unknownField(querySchema, { kind: 'InsightVizNode', source })).toEqual(['source', 'session_duration_filter']);
});
