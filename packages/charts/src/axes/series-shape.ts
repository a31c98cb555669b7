import type { Insight, Series } from '../insight.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

export type Shape = NonNullable<Series['shape']>;

/** How a series is drawn: as its own settings say, or as the chart. */
export function shapeOf({ shape }: Series, { display }: Pick<SeriesInsight, 'display'>): Shape {
  if (shape) return shape;
  return display === 'bar' || display === 'stacked' ? 'bar' : display === 'area' ? 'area' : 'line';
}

/** Whether a series stands on the others of its shape. */
export function isStacked(one: Series, insight: Pick<SeriesInsight, 'display'>): boolean {
  const shape = shapeOf(one, insight);
  return (shape === 'bar' && insight.display === 'stacked') || (shape === 'area' && insight.display === 'area');
}

/** The stack of a series; those of one period and one axis share it. */
export const stackOf = (one: Series): string => `${one.isPrevious} ${one.axis ?? 0}`;

/** Where a mark begins and ends on the value axis. */
export type Span = readonly [from: number, to: number];

/** The spans of each series; negative numbers of a stack stand below zero. `shown`: the numbers of each series. */
export function spansOf(insight: SeriesInsight, shown: readonly (readonly number[])[]): Span[][] {
  const sums = new Map<string, number>();
  return insight.series.map((one, i) =>
    (shown[i] ?? []).map((value, place): Span => {
      if (!isStacked(one, insight)) return [0, value];
      const key = `${shapeOf(one, insight)} ${stackOf(one)} ${place} ${value < 0}`;
      const from = sums.get(key) ?? 0;
      sums.set(key, from + value);
      return [from, from + value];
    }),
  );
}

/** Each number as a percentage of its stack. */
export function sharesOf(series: readonly Series[]): number[][] {
  const sumOf = (one: Series, place: number) =>
    series.reduce((sum, other) => (stackOf(other) === stackOf(one) ? sum + Math.abs(other.data[place] ?? 0) : sum), 0);
  return series.map((one) =>
    one.data.map((value, place) => {
      const sum = sumOf(one, place);
      return sum === 0 ? 0 : (value / sum) * 100;
    }),
  );
}
