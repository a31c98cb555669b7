import type { Canvas, ChartOption } from './chart-option.js';
import { formatNumber, more, percent } from './format-number.js';
import type { Cohort, Insight } from './insight.js';
import { fit } from './measure.js';
import { note } from './theme.js';

const SIZE = 12;
const MIN_ROW = 22;
const MIN_COLUMN = 50;
/** Minimal width of a period's column, pixels; the column of names gets the rest. */
const WIDE_COLUMN = 72;

/** One row of the picture: the size of the cohort and the share that returned in each period; null: no cohort is that old. */
interface Row {
  name: string;
  size: number;
  shares: (number | null)[];
}

const shareOf = (count: number, began: number): number | null => (began > 0 ? count / began : null);

const rowOf = ({ label, date, values }: Cohort): Row => {
  const size = values[0] ?? 0;
  return { name: date ? date.slice(0, 10) : label, size, shares: values.map((count) => shareOf(count, size)) };
};

/** One row per breakdown value: the share that returned, over all its cohorts that are old enough. */
function rowsOfValues(cohorts: readonly Cohort[]): Row[] {
  const values = new Map<string, Cohort[]>();
  for (const cohort of cohorts) {
    const name = cohort.breakdown ?? '(none)';
    values.set(name, [...(values.get(name) ?? []), cohort]);
  }
  return [...values].map(([name, own]) => {
    const periods = Math.max(0, ...own.map(({ values: counts }) => counts.length));
    const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);
    const shares = Array.from({ length: periods }, (_, i) => {
      const old = own.filter(({ values: counts }) => counts.length > i);
      return shareOf(sum(old.map(({ values: counts }) => counts[i])), sum(old.map(({ values: counts }) => counts[0])));
    });
    return { name, size: sum(own.map(({ values: counts }) => counts[0])), shares };
  });
}

/** ECharts options of a heat map: a row per cohort or breakdown value, a column per period, darker for higher retention. */
export function retentionOption(
  { cohorts }: Extract<Insight, { kind: 'retention' }>,
  { width, height, theme, measure }: Canvas,
): ChartOption {
  const isBroken = cohorts.some(({ breakdown }) => breakdown !== null);
  const [head, unit] = isBroken ? ['Value', 'value'] : ['Cohort', 'cohort'];
  const rows = isBroken ? rowsOfValues(cohorts) : cohorts.map(rowOf);
  const periods = Math.max(1, ...rows.map(({ shares }) => shares.length));
  const sizes = Math.max(measure('Size', SIZE), ...rows.map(({ size }) => measure(formatNumber(size), SIZE))) + 20;
  const longest = Math.max(measure(head, SIZE), ...rows.map(({ name }) => measure(name, SIZE))) + 20;
  const first = Math.min(Math.max(width * 0.3, width - 16 - sizes - periods * WIDE_COLUMN), longest);
  const room = width - 16 - first - sizes;
  const columns = Math.max(1, Math.min(periods, Math.floor(room / MIN_COLUMN)));
  const column = Math.min(room / columns, 110);
  const rowsAtMost = Math.max(1, Math.floor((height - 20) / MIN_ROW) - 1);
  const shown = rows.slice(0, rows.length > rowsAtMost ? rowsAtMost - 1 : rowsAtMost);
  const row = Math.min(34, (height - 24) / (shown.length + 1));
  const text = (value: string, x: number, y: number, fill: string, align: 'left' | 'center' | 'right' = 'left') => ({
    type: 'text',
    x,
    y: y + row / 2,
    style: { text: value, fill, fontSize: SIZE, align, verticalAlign: 'middle' },
  });
  const left = 8 + first + sizes;
  const rest = [
    rows.length > shown.length ? more(rows.length - shown.length, unit) : '',
    periods > columns ? more(periods - columns, 'period') : '',
  ].filter(Boolean);
  return {
    graphic: [
      text(head, 16, 0, theme.muted),
      text('Size', 8 + first + sizes - 10, 0, theme.muted, 'right'),
      ...Array.from({ length: columns }, (_, i) => text(String(i), left + (i + 0.5) * column, 0, theme.muted, 'center')),
      ...shown.flatMap(({ name, size, shares }, r) => {
        const y = (r + 1) * row;
        return [
          text(fit(name, first - 12, SIZE, measure), 16, y, theme.text),
          text(formatNumber(size), 8 + first + sizes - 10, y, theme.text, 'right'),
          ...shares.slice(0, columns).flatMap((share, i) => {
            if (share === null) return [];
            const x = left + i * column;
            return [
              {
                type: 'rect',
                shape: { x: x + 1, y: y + 1, width: column - 2, height: row - 2, r: 3 },
                style: { fill: theme.palette[0], opacity: 0.08 + 0.92 * Math.min(share, 1) },
              },
              text(percent(share), x + column / 2, y, share > 0.55 ? theme.card : theme.text, 'center'),
            ];
          }),
        ];
      }),
      ...(rest.length > 0
        ? [note(fit(rest.join(', '), width - 32, SIZE, measure), 16, (shown.length + 1) * row + 12, theme.muted)]
        : []),
    ],
  };
}
