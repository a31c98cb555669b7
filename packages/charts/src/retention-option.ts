import type { Canvas, ChartOption } from './chart-option.js';
import { formatNumber, more, percent } from './format-number.js';
import type { Insight } from './insight.js';
import { fit } from './measure.js';
import { note } from './theme.js';

const SIZE = 12;
const MIN_ROW = 22;
const MIN_COLUMN = 50;

/** A row for each cohort, a column for each period, the darker the more came back. */
export function retentionOption(
  { cohorts }: Extract<Insight, { kind: 'retention' }>,
  { width, height, theme, measure }: Canvas,
): ChartOption {
  const periods = Math.max(1, ...cohorts.map(({ values }) => values.length));
  const names = cohorts.map(({ label, date }) => (date ? date.slice(0, 10) : label));
  const first = Math.min(width * 0.3, Math.max(measure('Cohort', SIZE), ...names.map((name) => measure(name, SIZE))) + 20);
  const sizes = Math.max(measure('Size', SIZE), ...cohorts.map(({ values }) => measure(formatNumber(values[0] ?? 0), SIZE))) + 20;
  const room = width - 16 - first - sizes;
  const columns = Math.max(1, Math.min(periods, Math.floor(room / MIN_COLUMN)));
  const column = Math.min(room / columns, 110);
  const rowsAtMost = Math.max(1, Math.floor((height - 20) / MIN_ROW) - 1);
  const shown = cohorts.slice(0, cohorts.length > rowsAtMost ? rowsAtMost - 1 : rowsAtMost);
  const row = Math.min(34, (height - 24) / (shown.length + 1));
  const text = (value: string, x: number, y: number, fill: string, align: 'left' | 'center' | 'right' = 'left') => ({
    type: 'text',
    x,
    y: y + row / 2,
    style: { text: value, fill, fontSize: SIZE, align, verticalAlign: 'middle' },
  });
  const left = 8 + first + sizes;
  const rest = [
    cohorts.length > shown.length ? more(cohorts.length - shown.length, 'cohort') : '',
    periods > columns ? more(periods - columns, 'period') : '',
  ].filter(Boolean);
  return {
    graphic: [
      text('Cohort', 16, 0, theme.muted),
      text('Size', 8 + first + sizes - 10, 0, theme.muted, 'right'),
      ...Array.from({ length: columns }, (_, i) => text(String(i), left + (i + 0.5) * column, 0, theme.muted, 'center')),
      ...shown.flatMap(({ values }, r) => {
        const y = (r + 1) * row;
        const size = values[0] ?? 0;
        return [
          text(fit(names[r] ?? '', first - 12, SIZE, measure), 16, y, theme.text),
          text(formatNumber(size), 8 + first + sizes - 10, y, theme.text, 'right'),
          ...values.slice(0, columns).flatMap((count, i) => {
            const share = size > 0 ? count / size : 0;
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
