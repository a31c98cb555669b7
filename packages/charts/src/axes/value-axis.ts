import type { Canvas } from '../canvas.js';
import type { Insight, Series } from '../insight.js';
import { type Mark, round as pixels } from '../marks.js';
import { axisWriter, type NumberStyle } from '../text/number-style.js';
import { wordColorOf } from '../theme/series-color.js';
import { AXIS_SIZE } from './calendar-ticks.js';
import { niceScale, ticksOf } from './nice-ticks.js';
import type { Plot } from './plot.js';
import { type Span, shapeOf } from './series-shape.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Pixels between the labels of an axis and the plot. */
const GAP = 8;
/** Pixels between two ticks at least. */
const TICK = 27;

/** A scaled axis of numbers. */
export interface ValueAxis {
  low: number;
  high: number;
  isLog: boolean;
  /** Pixels of the widest label and of the gap beside it. */
  width: number;
  ticks: { value: number; text: string }[];
  color: string;
}

/** Where a number is on its axis: 0 at the bottom, 1 at the top. */
export function shareOfAxis({ low, high, isLog }: ValueAxis, value: number): number {
  const at = (one: number) => (isLog ? Math.log10(Math.max(one, low)) : one);
  return (at(value) - at(low)) / (at(high) - at(low));
}

/** Scales the axes of a chart whose plot is about this many pixels high: three to five round ticks, from zero unless they show rates. */
export function valueAxesOf(
  insight: SeriesInsight,
  spans: readonly (readonly Span[])[],
  { theme, measure }: Canvas,
  height: number,
): ValueAxis[] {
  const { series, isPercent = false, isShare = false, axes = [{}] } = insight;
  return axes.map((_, i): ValueAxis => {
    const own = series.filter(({ axis = 0 }) => axis === i);
    const style: NumberStyle | undefined = isPercent || isShare ? { unit: 'percent' } : own[0]?.style;
    const isLog = isByPowers(insight, i);
    const scale = isLog
      ? scaleOfPowers(own)
      : scaleOf(insight, spans, i, style, Math.min(4, Math.max(1, Math.floor(height / TICK))));
    const write = axisWriter(scale.ticks, style);
    const [low = 0] = scale.ticks;
    const high = scale.ticks.at(-1) ?? 1;
    return {
      low,
      high,
      isLog,
      width: Math.ceil(Math.max(...scale.ticks.map((tick) => measure(write(tick), AXIS_SIZE)))) + GAP,
      ticks: scale.ticks.map((value) => ({ value, text: write(value) })),
      color: axes.length > 1 ? axisColor(insight, own, theme) : theme.muted,
    };
  });
}

/** Where a number is, pixels. */
export const yOfAxis = (axis: ValueAxis, { top, height }: Plot, value: number): number =>
  top + height * (1 - shareOfAxis(axis, value));

/** A line across the plot at each tick. Only that of zero is strong. */
export function gridMarks(axis: ValueAxis, plot: Plot, theme: Canvas['theme']): Mark[] {
  const { left, width } = plot;
  const lineAt = (value: number, stroke: string): Mark => ({
    kind: 'path',
    d: `M${left} ${pixels(yOfAxis(axis, plot, value))}h${pixels(width)}`,
    stroke,
  });
  const isFromZero = axis.low <= 0 && !axis.isLog;
  return [
    ...axis.ticks.flatMap(({ value }) => (value === 0 ? [] : [lineAt(value, theme.grid)])),
    ...(isFromZero ? [lineAt(0, theme.borderStrong)] : []),
  ];
}

/** The numbers beside the plot. `x`: their edge towards it. */
export const valueAxisMarks = (axis: ValueAxis, plot: Plot, x: number, anchor: 'start' | 'end'): Mark[] =>
  axis.ticks.map(({ value, text }) => ({
    kind: 'text',
    text,
    x,
    y: yOfAxis(axis, plot, value),
    size: AXIS_SIZE,
    anchor,
    fill: axis.color,
  }));

/**
 * Whether a logarithmic axis can show a number: zero and negative numbers have no logarithm.
 */
export const hasPlaceByPowers = (value: number): boolean => value > 1e-300;

/** Whether an axis is logarithmic: requested, and at least one number is positive. */
export function isByPowers({ series, isShare, axes = [] }: SeriesInsight, axis: number): boolean {
  if (!axes[axis]?.isLogarithmic || isShare) return false;
  return series.some((one) => (one.axis ?? 0) === axis && one.data.some(hasPlaceByPowers));
}

/** Powers of ten around the data, five at most. */
function scaleOfPowers(own: readonly Series[]): { ticks: number[]; step: number } {
  const powers = own.flatMap(({ data }) => data.filter(hasPlaceByPowers).map(Math.log10));
  const first = Math.floor(Math.min(...powers));
  const last = Math.max(first + 1, Math.ceil(Math.max(...powers)));
  const step = Math.ceil((last - first) / 4);
  const count = Math.ceil((last - first) / step);
  return { ticks: Array.from({ length: count + 1 }, (_, i) => 10 ** (first + i * step)), step };
}

function scaleOf(
  insight: SeriesInsight,
  spans: readonly (readonly Span[])[],
  axis: number,
  style: NumberStyle | undefined,
  most: number,
): { ticks: number[]; step: number } {
  const own = insight.series.filter((one) => (one.axis ?? 0) === axis);
  const { isPercent = false, isShare = false, axes = [{}], goals = [] } = insight;
  const goalValues = axis === 0 ? goals.map(({ value }) => value) : [];
  if (isShare) {
    const low = own.some(({ data }) => data.some((value) => value < 0)) ? -100 : 0;
    const high = low < 0 && own.every(({ data }) => data.every((value) => value <= 0)) ? 0 : 100;
    const scale = niceScale(low, high, { most });
    return { ticks: ticksOf(scale), step: scale.step };
  }
  const ends = insight.series.flatMap((one, i) => ((one.axis ?? 0) === axis ? (spans[i] ?? []).map(([, end]) => end) : []));
  const values = [...(ends.length > 0 ? ends : [0]), ...goalValues];
  const [lowest, highest] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const isLine = own.every((one) => shapeOf(one, insight) === 'line');
  const isRate = isLine && (isPercent || style?.unit === 'percent' || style?.unit === 'share');
  // rates and what its settings say: not from zero, if the data lie far away from it
  const isTight = axes[axis]?.isTight || (isRate && lowest > highest / 3);
  const factor = style?.unit === 'milliseconds' ? 1000 : 1;
  const isTime = style?.unit === 'seconds' || style?.unit === 'milliseconds';
  const options = { most, least: leastStep(own, goalValues, style) / factor, isTime };
  const scale = niceScale(
    (isTight ? lowest : Math.min(0, lowest)) / factor,
    (isTight ? highest : Math.max(0, highest)) / factor,
    options,
  );
  return { ticks: ticksOf(scale).map((tick) => round(tick * factor)), step: scale.step * factor };
}

/** Without the last digits of floating point: 0.30000000000000004 is 0.3. */
const round = (value: number): number => Number(value.toPrecision(12));

/** Smallest step of an axis: whole numbers for counts, and no step whose labels would round to the same text. */
function leastStep(own: readonly Series[], goals: readonly number[], style: NumberStyle | undefined): number {
  const isTime = style?.unit === 'seconds' || style?.unit === 'milliseconds';
  if (isTime) return 0;
  if (own.every(({ data }) => data.every(Number.isInteger)) && goals.every(Number.isInteger) && style?.unit !== 'share') return 1;
  const most = style?.decimals?.[1];
  return most === undefined ? 0 : 10 ** -most / (style?.unit === 'share' ? 100 : 1);
}

/** An axis with a single line has the color of that line. */
function axisColor(insight: SeriesInsight, own: readonly Series[], theme: Canvas['theme']): string {
  const present = own.filter(({ isPrevious }) => !isPrevious);
  const [only] = present;
  return only && present.length === 1 ? wordColorOf(insight, insight.series.indexOf(only), theme) : theme.muted;
}
