import type { Insight, Series } from '../insight.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

export type Shape = NonNullable<Series['shape']>;

/** How a series is drawn: as its own settings say, or as the chart. */
export function shapeOf({ shape }: Series, { display }: Pick<SeriesInsight, 'display'>): Shape {
  if (shape) return shape;
  return display === 'bar' || display === 'stacked' ? 'bar' : display === 'area' ? 'area' : 'line';
}

/** Each number as a percentage of its stack. */
export function sharesOf(series: readonly Series[]): number[][] {
  const sumOf = ({ isPrevious, axis = 0 }: Series, place: number) =>
    series.reduce((sum, one) => {
      const isBeside = one.isPrevious === isPrevious && (one.axis ?? 0) === axis;
      return isBeside ? sum + Math.abs(one.data[place] ?? 0) : sum;
    }, 0);
  return series.map((one) =>
    one.data.map((value, place) => {
      const sum = sumOf(one, place);
      return sum === 0 ? 0 : (value / sum) * 100;
    }),
  );
}
