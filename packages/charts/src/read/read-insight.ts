import type { Display, Insight, Series, Step } from '../insight.js';
import { isTimeToConvert, readConversionTrends, readTimeToConvert } from './read-conversion.js';
import { readExperiment } from './read-experiment.js';
import { breakdownOf, DISPLAYS, type Fields, fields, maybeNumber, number, text, texts } from './read-fields.js';
import { lessIsBetter, seriesOf } from './read-series.js';
import { goalsOf, styleOfTrends } from './read-settings.js';
import { tableOptionsOf } from './read-table.js';
import { readVisual } from './read-visual.js';
import { propertyText } from './readable-names.js';

/**
 * Reads a query and its response, as the API returns them. Recognizes each kind by the shape of its `results`, and unwraps the nodes
 * in which insights store queries. Unknown shapes become `nothing`. `computedAt`: epoch milliseconds; periods that end later are not over.
 *
 * @example readInsight({ kind: 'TrendsQuery', trendsFilter: { display: 'ActionsPie' } }, { results })
 */
export function readInsight(query: unknown, answer: unknown, computedAt: number | null = null): Insight {
  const source = unwrapped(query);
  const { results, columns } = fields(answer);
  const isFunnel = source['kind'] === 'FunnelsQuery';
  if (source['kind'] === 'ExperimentQuery') return results ? readExperiment(source, fields(results)) : { kind: 'nothing' };
  if (Array.isArray(columns) && Array.isArray(results)) {
    const rows: Rows = { kind: 'rows', columns: columns.map(String), rows: results.filter((row) => Array.isArray(row)) };
    const visual = visualOf(query);
    const drawn = visual && readVisual(visual, rows);
    if (drawn) return drawn;
    const tableOptions = visual && tableOptionsOf(visual, rows.columns);
    return tableOptions ? { ...rows, tableOptions } : rows;
  }
  if (isFunnel && isTimeToConvert(results)) return readTimeToConvert(fields(results));
  if (!Array.isArray(results)) return { kind: 'nothing' };
  if (isFunnel && fields(source['funnelsFilter'])['funnelVizType'] === 'trends') return readConversionTrends(results.map(fields));
  if (isFunnel) return readFunnel(results, source);
  if (source['kind'] === 'RetentionQuery')
    return readRetention(results.map(fields), fields(source['retentionFilter']), computedAt);
  if (source['kind'] === 'PathsQuery') return readPaths(results, fields(source['pathsFilter']));
  return readSeries(source, results.map(fields));
}

type Rows = Extract<Insight, { kind: 'rows' }>;

/** The node with the display options of rows; null: none. */
function visualOf(query: unknown): Fields | null {
  const node = fields(query);
  if (node['kind'] === 'DataVisualizationNode' || node['kind'] === 'DataTableNode') return node;
  return typeof node['source'] === 'object' && node['source'] !== null ? visualOf(node['source']) : null;
}

/** Unwraps a query from the nodes around it. */
function unwrapped(query: unknown): Fields {
  const outer = fields(query);
  const { source } = outer;
  return typeof source === 'object' && source !== null ? unwrapped(source) : outer;
}

function displayOf(source: Fields, { display }: Fields): Display {
  if (source['kind'] === 'LifecycleQuery') return 'stacked';
  return (typeof display === 'string' && DISPLAYS[display]) || 'line';
}

function readSeries(source: Fields, results: Fields[]): Insight {
  const [first] = results;
  const days = texts(first?.['days']);
  const labels = texts(first?.['labels']);
  const daysBefore = texts(results.find(({ compare_label }) => compare_label === 'previous')?.['days']);
  const filter = fields(source['trendsFilter'] ?? source['stickinessFilter'] ?? source['lifecycleFilter']);
  const display = displayOf(source, filter);
  const interval = text(source['interval']);
  const axes = axesOf(filter, results);
  const style = styleOfTrends(filter);
  const named = isByCountry(source, display) ? withCountryName : (one: Series) => one;
  const isLessBetter = lessIsBetter(source, filter, style);
  const series = results.map((result) =>
    named({ ...seriesOf(result, style), ...(isLessBetter(result) ? { isLessBetter: true } : {}), ...axisOf(axes, result) }),
  );
  const by = display === 'map' ? 'Country' : propertyOf(source, series);
  const goals = goalsOf(filter['goalLines'], () => series.flatMap(({ data }) => data));
  const scale = filter['yAxisScaleType'] === 'log10' ? { isLogarithmic: true as const } : {};
  return {
    kind: 'series',
    display,
    labels: labels.length > 0 ? labels : days,
    days,
    ...(daysBefore.length > 0 && first?.['compare_label'] !== 'previous' ? { daysBefore } : {}),
    ...(interval === null ? {} : { interval }),
    ...(by === null ? {} : { by }),
    ...(source['kind'] === 'StickinessQuery' ? { over: 'Active for' } : {}),
    ...(filter['showPercentStackView'] === true && STACKED.has(display) ? { isShare: true } : {}),
    ...(filter['showValuesOnSeries'] === true ? { hasValues: true } : {}),
    ...(axes.length > 1 || scale.isLogarithmic ? { axes: axes.map(() => scale) } : {}),
    ...(goals.length > 0 ? { goals } : {}),
    series,
  };
}

/** The only property whose values distinguish the series, in words; null: they have other names, too. */
function propertyOf(source: Fields, series: readonly Series[]): string | null {
  const isOne = new Set(series.map(({ name, customName }) => customName ?? name)).size === 1;
  if (!isOne || series.some(({ breakdown }) => breakdown === null)) return null;
  const { breakdown, breakdown_type: ofAll, breakdowns } = fields(source['breakdownFilter']);
  const [first, second] = Array.isArray(breakdowns) ? breakdowns.map(fields) : [{ property: breakdown, type: ofAll }];
  const property = second === undefined ? text(first?.['property']) : null;
  // an expression is part of the query, which visitors of public pages must not see
  return property === null || NAMELESS.has(text(first?.['type']) ?? '') ? null : propertyText(property);
}

/** Types of breakdowns that are no properties. */
const NAMELESS: ReadonlySet<string> = new Set(['hogql', 'cohort']);

function isByCountry(source: Fields, display: Display): boolean {
  const { breakdown, breakdowns } = fields(source['breakdownFilter']);
  const [first, second] = Array.isArray(breakdowns) ? breakdowns.map((one) => fields(one)['property']) : [breakdown];
  return display === 'map' || (first === '$geoip_country_code' && second === undefined);
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** The name of a country; undefined: the text is no code of one. */
const countryOf = (code: string | null): string | undefined =>
  /^[A-Z]{2}$/.test(code ?? '') ? COUNTRIES.of(code ?? '') : undefined;

/** Names the countries by which funnels and retention are broken down. */
export function withCountryNames(insight: Insight, query: unknown): Insight {
  if (!isByCountry(unwrapped(query), 'line')) return insight;
  const named = <Part extends { breakdown: string | null }>(part: Part): Part => ({
    ...part,
    breakdown: countryOf(part.breakdown) ?? part.breakdown,
  });
  if (insight.kind === 'funnel') return { ...insight, groups: insight.groups.map(named) };
  return insight.kind === 'retention' ? { ...insight, cohorts: insight.cohorts.map(named) } : insight;
}

/** The country instead of its code. */
function withCountryName(one: Series): Series {
  const name = countryOf(one.breakdown);
  return name ? { ...one, label: one.label.replace(/[A-Z]{2}(?=( \((current|previous)\))?$)/, () => name) } : one;
}

/** The default of `edgeLimit`. */
const MOST_EDGES = 50;
const STACKED: ReadonlySet<Display> = new Set(['stacked', 'area']);
/** Maximal number of axes; further series share the last. */
const MOST_AXES = 4;

/** Series of the same event, broken down or compared, share an axis. */
function axesOf(filter: Fields, results: readonly Fields[]): unknown[] {
  if (filter['showMultipleYAxes'] !== true) return [null];
  return [...new Set(results.map(eventOf))].slice(0, MOST_AXES);
}

const eventOf = (result: Fields): unknown => fields(result['action'])['order'] ?? result['label'];

function axisOf(axes: readonly unknown[], result: Fields): Pick<Series, 'axis'> {
  if (axes.length < 2) return {};
  const axis = axes.indexOf(eventOf(result));
  return { axis: axis < 0 ? axes.length - 1 : axis };
}

function readFunnel(results: unknown[], source: Fields): Insight {
  const { series, aggregation_group_type_index: group, funnelsFilter } = source;
  const unit = typeof group === 'number' ? 'groups' : fields(funnelsFilter)['funnelAggregateByHogQL'] ? '' : undefined;
  const nodes = (Array.isArray(series) ? series : []).map(fields);
  const groups = results.length > 0 && results.every((one) => Array.isArray(one)) ? results : [results];
  return {
    kind: 'funnel',
    ...(unit === undefined ? {} : { unit }),
    groups: groups
      .filter((group) => Array.isArray(group))
      .map((group) => {
        const steps = group.map(fields);
        return { breakdown: breakdownOf(steps[0] ?? {}), steps: steps.map((step, i) => stepOf(step, nodes[i])) };
      }),
  };
}

const stepOf = (step: Fields, node: Fields | undefined): Step => ({
  name: text(step['name']) ?? '',
  customName: text(step['custom_name']),
  isOptional: node?.['optionalInFunnel'] === true,
  count: number(step['count']),
  averageTime: maybeNumber(step['average_conversion_time']),
  medianTime: maybeNumber(step['median_conversion_time']),
});

function readRetention(
  results: readonly Fields[],
  { retentionCustomBrackets: brackets, period: unit }: Fields,
  computedAt: number | null,
): Insight {
  const sizes = Array.isArray(brackets) ? brackets.map(number) : [];
  /** How many periods a cohort must be observed to fill a column. */
  const first = (column: number): number =>
    column === 0 || sizes.length === 0 ? column : 1 + sizes.slice(0, column - 1).reduce((sum, size) => sum + size, 0);
  const last = new Map<string | null, number>();
  for (const cohort of results) last.set(breakdownOf(cohort), (last.get(breakdownOf(cohort)) ?? -1) + 1);
  const rows = new Map<string | null, number>();
  const cohorts = results.map((cohort) => {
    const breakdown = breakdownOf(cohort);
    const row = rows.get(breakdown) ?? 0;
    rows.set(breakdown, row + 1);
    const values = (Array.isArray(cohort['values']) ? cohort['values'] : []).map((value) => number(fields(value)['count']));
    // rows continue beyond the last period with meaningless zeros
    const age = (last.get(breakdown) ?? 0) - row;
    const known = values.filter((_, column) => first(column) <= age);
    const isOver = known.length <= age;
    return {
      label: text(cohort['label']) ?? '',
      date: text(cohort['date']),
      breakdown,
      values: known,
      ...(isOver ? { isOver } : {}),
    };
  });
  const period = (text(unit) ?? 'day').toLowerCase();
  const begun = Math.max(...cohorts.map(({ date }) => Date.parse(date ?? '')));
  const isLastUnfinished = computedAt !== null && sizes.length === 0 && computedAt < endOf(begun, period);
  const uneven = sizes.length > 0 ? { brackets: sizes } : {};
  return { kind: 'retention', cohorts, period, ...uneven, ...(isLastUnfinished ? { isLastUnfinished } : {}) };
}

const HOUR = 3_600_000;
const PERIODS: Record<string, number> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR };

/** The end of the period that begins at an instant. An hour more or less, when clocks change, makes no difference to a picture. */
function endOf(begun: number, period: string): number {
  const length = PERIODS[period];
  if (length !== undefined) return begun + length;
  // the beginning of a month in a zone east of UTC is still in the month before there
  const middle = new Date(begun + 14 * 24 * HOUR);
  return begun + new Date(Date.UTC(middle.getUTCFullYear(), middle.getUTCMonth() + 1, 0)).getUTCDate() * 24 * HOUR;
}

const readPaths = (results: unknown[], { edgeLimit, minEdgeWeight }: Fields): Insight => ({
  kind: 'paths',
  ...(results.length >= (maybeNumber(edgeLimit) ?? MOST_EDGES) || maybeNumber(minEdgeWeight) !== null ? { isCut: true } : {}),
  edges: results.map(fields).map((edge) => ({
    source: text(edge['source']) ?? '',
    target: text(edge['target']) ?? '',
    value: number(edge['value']),
    averageTime: maybeNumber(edge['average_conversion_time']),
  })),
});
