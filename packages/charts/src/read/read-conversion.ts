import type { Insight, Series } from '../insight.js';
import { formatDuration } from '../text/format-number.js';
import { breakdownOf, type Fields, fields, maybeNumber, number, texts } from './read-fields.js';

const line = (label: string, data: number[], total: number, breakdown: string | null = null): Series => ({
  label,
  name: label,
  customName: null,
  breakdown,
  status: null,
  isPrevious: false,
  data,
  total,
});

/** Reads a funnel's conversion over time: percent of the people who finished, by the day on which they began. */
export function readConversionTrends(results: readonly Fields[]): Insight {
  const [first] = results;
  const days = texts(first?.['days']);
  const labels = texts(first?.['labels']);
  const series = results.map((result) => {
    const sumOf = (value: unknown) => (Array.isArray(value) ? value.reduce<number>((sum, one) => sum + number(one), 0) : 0);
    const began = sumOf(result['reached_from_step_count']);
    const total = began > 0 ? Math.round((sumOf(result['reached_to_step_count']) / began) * 10_000) / 100 : 0;
    const breakdown = breakdownOf(result);
    const data = Array.isArray(result['data']) ? result['data'].map(number) : [];
    return line(breakdown ?? 'Conversion (%)', data, total, breakdown);
  });
  return { kind: 'series', display: 'line', labels: labels.length > 0 ? labels : days, days, series, isPercent: true };
}

/** Whether results are a histogram of conversion times. */
export const isTimeToConvert = (results: unknown): boolean => Array.isArray(fields(results)['bins']);

/** What the bars of a histogram of conversion times mean. */
export const TIME_TO_CONVERT = 'Time, from';

/** Reads a histogram: how many people took how long. */
export function readTimeToConvert({ bins, average_conversion_time }: Fields): Insight {
  const bars = (Array.isArray(bins) ? bins : []).flatMap((bin) =>
    Array.isArray(bin) ? [{ from: number(bin[0]), people: number(bin[1]) }] : [],
  );
  const data = bars.map(({ people }) => people);
  const average = maybeNumber(average_conversion_time);
  return {
    kind: 'series',
    display: 'bar',
    over: TIME_TO_CONVERT,
    labels: bars.map(({ from }) => formatDuration(from)),
    days: [],
    series: data.every((people) => people === 0)
      ? []
      : [
          line(
            'People',
            data,
            data.reduce((sum, people) => sum + people, 0),
          ),
        ],
    ...(average === null ? {} : { note: `On average: ${formatDuration(average)}` }),
  };
}
