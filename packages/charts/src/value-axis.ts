import type { Canvas } from './chart-option.js';
import type { Insight, Series } from './insight.js';
import type { Measure } from './measure.js';
import { type NumberStyle, writtenShort } from './number-style.js';
import { wordColorOf } from './series-color.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** ECharts value axes: the first on the left, the others on the right, beside each other. */
export function valueAxes(insight: SeriesInsight, { theme, measure }: Canvas): object[] {
  const { series, isPercent = false, isShare = false, axes = [{}] } = insight;
  let offset = 0;
  return axes.map(({ isTight }, i) => {
    const own = series.filter(({ axis = 0 }) => axis === i);
    const style: NumberStyle | undefined = isPercent || isShare ? { unit: 'percent' } : own[0]?.style;
    const isFirst = i === 0;
    const axis = {
      type: isByPowers(insight, i) ? 'log' : 'value',
      position: isFirst ? 'left' : 'right',
      offset: isFirst ? 0 : offset,
      ...(isShare ? {} : leastStep(own, style)),
      ...(isPercent || isShare ? { min: own.some(hasNegative) ? -100 : 0, max: 100 } : {}),
      ...(isTight ? { scale: true } : {}),
      ...(isFirst || isByPowers(insight, i) ? {} : { alignTicks: true }),
      axisLabel: {
        color: axes.length > 1 ? axisColor(insight, own, theme) : theme.muted,
        fontSize: 12,
        formatter: (value: number) => writtenShort(value, style),
      },
      splitLine: isFirst ? { lineStyle: { color: theme.grid } } : { show: false },
    };
    if (!isFirst) offset += widthOf(own, style, measure);
    return axis;
  });
}

/**
 * Whether a logarithmic axis can show a number: zero and negative numbers have no logarithm. ECharts rounds the ends of an axis,
 * which lie some powers of ten beyond the data, to twenty decimals.
 */
export const hasPlaceByPowers = (value: number): boolean => value > 1e-12;

/** Whether an axis is logarithmic: requested, and at least one number is positive. */
export function isByPowers({ series, isShare, axes = [] }: SeriesInsight, axis: number): boolean {
  if (!axes[axis]?.isLogarithmic || isShare) return false;
  return series.some((one) => (one.axis ?? 0) === axis && one.data.some(hasPlaceByPowers));
}

/** Smallest step of an axis: whole numbers for counts, and no step whose labels would round to the same text. */
function leastStep(own: readonly Series[], style: NumberStyle | undefined): { minInterval?: number } {
  if (own.every(({ data }) => data.every(Number.isInteger))) return { minInterval: 1 };
  const most = style?.decimals?.[1];
  return most === undefined ? {} : { minInterval: 10 ** -most / (style?.unit === 'share' ? 100 : 1) };
}

const hasNegative = ({ data }: Series): boolean => data.some((value) => value < 0);

/** An axis with a single line has the color of that line. */
function axisColor(insight: SeriesInsight, own: readonly Series[], theme: Canvas['theme']): string {
  const present = own.filter(({ isPrevious }) => !isPrevious);
  const [only] = present;
  return only && present.length === 1 ? wordColorOf(insight, insight.series.indexOf(only), theme) : theme.muted;
}

/** Estimated width of an axis: that of its longest label, pixels. */
function widthOf(own: readonly Series[], style: NumberStyle | undefined, measure: Measure): number {
  const highest = Math.max(1, ...own.flatMap(({ data }) => data.map(Math.abs)));
  return measure(writtenShort(highest * 1.2, style), 12) + 22;
}
