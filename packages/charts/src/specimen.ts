import type { Insight } from './insight.js';
import { describeInsight } from './read/describe-insight.js';
import { DAY_MS, NOW, namesOf, type State, scaled } from './specimen-data.js';
import { experiment, severalMetrics } from './specimen-experiments.js';
import { byValue, conversion, funnelByValue, retentionByValue, timeToConvert } from './specimen-values.js';

export { STATES } from './specimen-data.js';

/** Widths of tiles of 3, 6 and 12 columns on a page, and their heights; pixels. */
export const SIZES = [
  { columns: 3, width: 262, height: 200 },
  { columns: 6, width: 560, height: 300 },
  { columns: 12, width: 1150, height: 320 },
] as const;

const wave = (i: number, k: number): number =>
  Math.round((300 / (k + 1)) * (1 + 0.4 * Math.sin(i * 0.9 + k) + (i === 9 ? 1.2 : 0)) * (i % 7 < 5 ? 1 : 0.4));

/** A trend: a series for each name, over the last days or hours. */
function trend(state: State, fields: object, { hours = false, kind = 'TrendsQuery', count = 30 } = {}): Insight {
  const length = state === 'one point' ? 1 : count;
  const days = Array.from({ length }, (_, i) => {
    const at = NOW.now - (length - 1 - i) * (hours ? 3_600_000 : DAY_MS);
    return new Date(at).toISOString().slice(0, hours ? 13 : 10) + (hours ? ':00:00' : '');
  });
  const results = namesOf(state).map((name, k) => {
    const data = days.map((_, i) => scaled(state, wave(i, k)));
    return {
      label: name,
      action: { name, order: k, math: 'total' },
      data,
      count: data.reduce((sum, value) => sum + value, 0),
      days,
      labels: days,
    };
  });
  return describeInsight({ kind, ...fields }, { results: state === 'empty' ? [] : results }, NOW);
}

const display = (name: string) => ({ trendsFilter: { display: name } });

function compared(state: State): Insight {
  const insight = trend(state, {});
  if (insight.kind !== 'series') return insight;
  const previous = insight.series.map((one) => ({
    ...one,
    label: `${one.label} (previous)`,
    isPrevious: true,
    data: one.data.map((value, i) => value * (i % 3 === 0 ? 0.6 : 0.9)),
    total: one.total * 0.8,
  }));
  return { ...insight, series: [...insight.series, ...previous] };
}

function lifecycle(state: State): Insight {
  const insight = trend(state === '30 series' ? 'normal' : state, {}, { kind: 'LifecycleQuery' });
  if (insight.kind !== 'series') return insight;
  const statuses = ['new', 'returning', 'resurrecting', 'dormant'];
  const series = insight.series.slice(0, 4).map((one, i) => ({
    ...one,
    status: statuses[i] ?? null,
    label: (statuses[i] ?? '').replace(/^./, (letter) => letter.toUpperCase()),
    data: one.data.map((value) => (i === 3 ? -value : value)),
  }));
  return { ...insight, display: 'stacked', series };
}

function stickiness(state: State): Insight {
  const labels = Array.from({ length: state === 'one point' ? 1 : 14 }, (_, i) => `${i + 1} day${i > 0 ? 's' : ''}`);
  const results = [{ label: 'x', data: labels.map((_, i) => scaled(state, Math.round(840 / (i + 1)))), labels, days: [] }];
  const query = { kind: 'StickinessQuery', stickinessFilter: { display: 'ActionsUnstackedBar' } };
  return describeInsight(query, { results: state === 'empty' ? [] : results }, NOW);
}

function funnel(state: State): Insight {
  const names = state === 'one point' ? ['Visited site'] : namesOf(state).slice(0, 12);
  const results = names.map((name, i) => ({
    name,
    count: Math.round(Math.abs(scaled(state, 3_876 / (i + 1) ** 2))),
    average_conversion_time: 90,
    median_conversion_time: 101 * i,
  }));
  return describeInsight({ kind: 'FunnelsQuery' }, { results: state === 'empty' ? [] : results }, NOW);
}

function retention(state: State): Insight {
  const length = state === 'one point' ? 1 : state === '30 series' ? 30 : 8;
  const results = Array.from({ length }, (_, row) => ({
    date: new Date(NOW.now - (length - 1 - row) * DAY_MS).toISOString().replace(/T.*/, 'T00:00:00Z'),
    label: `Day ${row}`,
    values: Array.from({ length: length - row }, (_, column) => ({
      count: Math.round(Math.abs(scaled(state, column === 0 ? 600 : 250 / column))),
    })),
  }));
  const query = { kind: 'RetentionQuery', retentionFilter: { period: 'Day' } };
  return describeInsight(query, { results: state === 'empty' ? [] : results }, NOW);
}

function paths(state: State): Insight {
  const names = namesOf(state);
  const results = names.flatMap((name, i) => [
    { source: `1_${names[0]}`, target: `2_${name}`, value: Math.round(Math.abs(scaled(state, 300 / (i + 1)))) },
    {
      source: `2_${name}`,
      target: `3_${names[(i + 1) % names.length]}`,
      value: Math.round(Math.abs(scaled(state, 200 / (i + 1)))),
    },
  ]);
  return describeInsight({ kind: 'PathsQuery' }, { results: state === 'empty' ? [] : results }, NOW);
}

function worldMap(state: State): Insight {
  const codes = state === 'one point' ? ['US'] : ['US', 'DE', 'GB', 'IN', 'FR', 'BR', 'JP'];
  const results = codes.map((code, i) => ({
    label: code,
    breakdown_value: code,
    action: { name: 'x' },
    data: [],
    aggregated_value: scaled(state, Math.round(1_284 / (i + 1))),
  }));
  const query = {
    kind: 'TrendsQuery',
    ...display('WorldMap'),
    breakdownFilter: { breakdown: '$geoip_country_code', breakdown_type: 'event' },
  };
  return describeInsight(query, { results: state === 'empty' ? [] : results }, NOW);
}

function rows(state: State, visual: string): Insight {
  const names = state === 'one point' ? ['Chrome'] : namesOf(state);
  const results = names.map((name, i) => [name, scaled(state, Math.round(1_284 / (i + 1))), i]);
  const query = { kind: 'DataVisualizationNode', display: visual, source: { kind: 'HogQLQuery' }, chartSettings: {} };
  return describeInsight(query, { results: state === 'empty' ? [] : results, columns: ['browser', 'visits', 'rank'] }, NOW);
}

/** Totals beside those of the period before, with a sparkline; less is better for every other one. */
function totals(state: State, visual: string): Insight {
  const names = state === 'one point' ? ['Free'] : namesOf(state);
  const days = Array.from({ length: 30 }, (_, i) => new Date(NOW.now - (29 - i) * DAY_MS).toISOString().slice(0, 10));
  const results = names.flatMap((name, order) =>
    [1, 0.8].map((factor, i) => ({
      label: name,
      action: { name, order },
      data: [],
      days: [],
      aggregated_value: scaled(state, Math.round((4_000 / (order + 1)) * (order % 3 === 2 ? 2 - factor : factor))),
      compare_label: i === 0 ? 'current' : 'previous',
      ...(i === 0 ? { sparkline: { days, data: days.map((_, at) => scaled(state, wave(at, order))) } } : {}),
    })),
  );
  const series = names.map((_, order) => ({ isIncreaseBad: order % 2 === 1 }));
  return describeInsight({ kind: 'TrendsQuery', series, ...display(visual) }, { results: state === 'empty' ? [] : results }, NOW);
}

function annotated(state: State): Insight {
  const insight = trend(state, { trendsFilter: { goalLines: [{ label: 'Goal', value: 500 }] } });
  if (insight.kind !== 'series' || state === 'one point') return insight;
  const annotations = [
    { place: 9, text: 'launch on Product Hunt' },
    { place: 15, text: 'six hours of outage' },
  ];
  return { ...insight, annotations };
}

/** Every kind of chart; a function of the state. */
export const KINDS: Readonly<Record<string, (state: State) => Insight>> = {
  line: (state) => trend(state, {}),
  'line with the period before': compared,
  'line with goal and annotations': annotated,
  hours: (state) => trend(state, {}, { hours: true, count: 66 }),
  'a year': (state) => trend(state, {}, { count: 400 }),
  weeks: (state) => byValue(state, {}, 'week'),
  months: (state) => byValue(state, { display: 'ActionsBar' }, 'month'),
  'conversion over time': conversion,
  'a logarithmic axis': (state) => trend(state, { trendsFilter: { yAxisScaleType: 'log10' } }),
  'two axes': (state) => trend(state, { trendsFilter: { showMultipleYAxes: true } }),
  durations: (state) => trend(state, { trendsFilter: { aggregationAxisFormat: 'duration_ms' } }),
  area: (state) => trend(state, display('ActionsAreaGraph')),
  'stacked bars': (state) => trend(state, display('ActionsBar')),
  bars: (state) => trend(state, display('ActionsUnstackedBar'), { count: 7 }),
  'bars with numbers': (state) => byValue(state, { display: 'ActionsBar', showValuesOnSeries: true }),
  'shares of 100%': (state) => byValue(state, { display: 'ActionsBar', showPercentStackView: true }),
  'time to convert': timeToConvert,
  lifecycle,
  stickiness,
  number: (state) => totals(state, 'BoldNumber'),
  ranking: (state) => trend(state, display('ActionsBarValue')),
  'ranking of values': (state) => byValue(state, { display: 'ActionsBarValue' }),
  'share of values': (state) => byValue(state, { display: 'ActionsPie' }),
  share: (state) => trend(state, display('ActionsPie')),
  funnel,
  'funnel by value': funnelByValue,
  retention,
  'retention by value': retentionByValue,
  paths,
  'world map': worldMap,
  'bars of SQL': (state) => rows(state, 'ActionsBar'),
  table: (state) => rows(state, 'ActionsTable'),
  'table with the period before': (state) => totals(state, 'ActionsTable'),
  experiment,
  'experiment by several metrics': severalMetrics,
};
