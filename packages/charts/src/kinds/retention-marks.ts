import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import { line, type Mark, type PointName } from '../marks.js';
import { more } from '../text/format-number.js';
import { BOLD, fit } from '../text/measure.js';
import { type RetentionCell, retentionTable } from './retention-table.js';

const SIZE = 12;
const PAD = 8;
const HEAD = 26;
const MIN_ROW = 22;
const MAX_ROW = 30;
const MIN_COLUMN = 42;
const MAX_COLUMN = 100;
const NOTE = 22;

/** A row per cohort or breakdown value, a column per period; darker for higher retention. */
export function retentionMarks(
  insight: Extract<Insight, { kind: 'retention' }>,
  { width, height, theme, measure }: Canvas,
): Mark[] {
  const { head, periods, rows, hasUnfinished } = retentionTable(insight);
  const sizes = Math.max(measure('People', SIZE), ...rows.map(({ size }) => measure(size, SIZE))) + 16;
  const longest =
    Math.max(measure(head, SIZE), ...rows.map(({ name, isMean }) => measure(name, isMean ? SIZE * BOLD : SIZE))) + 16;
  const first = Math.min(
    longest,
    Math.max(Math.min(width * 0.3, width - 2 * PAD - sizes - MIN_COLUMN), width - 2 * PAD - sizes - periods.length * 72),
  );
  const left = PAD + first + sizes;
  const columns = Math.max(1, Math.min(periods.length, Math.floor((width - left - PAD) / MIN_COLUMN)));
  const column = Math.min((width - left - PAD) / columns, MAX_COLUMN);
  const fitting = (room: number) => Math.max(1, Math.floor((height - HEAD - room) / MIN_ROW));
  const isCut = rows.length > fitting(NOTE) || periods.length > columns;
  const shown = rows.slice(0, fitting(NOTE));
  const row = Math.min(MAX_ROW, (height - HEAD - NOTE) / Math.max(1, shown.length));
  const text = (
    value: string,
    x: number,
    y: number,
    fill: string,
    anchor: 'start' | 'middle' | 'end' = 'start',
    isBold = false,
  ): Mark => ({ kind: 'text', text: value, x, y, fill, anchor, isBold });
  const cellMarks = (cell: RetentionCell | null, [x, y]: readonly [number, number], point: PointName | null): Mark[] => {
    if (!cell) return [];
    const shape = { x: x + 1, y: y + 1, width: column - 2, height: row - 2, radius: 3 };
    const box = { ...shape, title: cell.title, ...(point ? { point } : {}) };
    const middle = { x: x + column / 2, y: y + row / 2 };
    if (cell.isUnfinished) {
      const half = measure(cell.text, SIZE) / 2;
      return [
        {
          kind: 'rect',
          ...box,
          x: box.x + 0.5,
          y: box.y + 0.5,
          width: box.width - 1,
          height: box.height - 1,
          fill: theme.card,
          stroke: theme.border,
          strokeWidth: 1,
        },
        { ...line([middle.x - half - 3, middle.y + 8], [middle.x + half - 3, middle.y + 8], theme.muted), dash: [2, 2] } as Mark,
        text(`${cell.text}*`, middle.x, middle.y, theme.text2, 'middle'),
      ];
    }
    const { step } = cell;
    return [
      { kind: 'rect', ...box, fill: step === null ? theme.grid : (theme.scale[step] ?? theme.grid) },
      text(cell.text, middle.x, middle.y, step === null ? theme.text2 : (theme.scaleText[step] ?? theme.text), 'middle'),
    ];
  };
  const hasStar =
    hasUnfinished &&
    shown.some(({ size, cells }) => size.endsWith('*') || cells.slice(0, columns).some((cell) => cell?.isUnfinished));
  // each with a shorter form; what does not fit is left out as a whole
  const notes = [
    [isCut && rows.length > shown.length ? more(rows.length - shown.length, head === 'Value' ? 'value' : 'cohort') : ''],
    [periods.length > columns ? more(periods.length - columns, insight.period ?? 'period') : ''],
    ['% of the people who began', '% of people', '%'],
    [hasStar ? '* not over yet' : ''],
  ];
  const note = notes.reduce((before, forms) => {
    const joined = forms.filter(Boolean).map((note) => (before ? `${before}, ${note}` : note));
    return joined.find((all) => measure(all, 11) <= width - 2 * PAD) ?? before;
  }, '');
  return [
    text(head, PAD, HEAD / 2, theme.muted),
    text('People', left - 8, HEAD / 2, theme.muted, 'end'),
    ...periods
      .slice(0, columns)
      .map((name, i) =>
        text(
          measure(name, SIZE) < column ? name : name.replace(/^\D+/, ''),
          left + (i + 0.5) * column,
          HEAD / 2,
          theme.muted,
          'middle',
        ),
      ),
    ...shown.flatMap(({ name, size, isMean, cohort, cells }, r) => {
      const y = HEAD + r * row;
      return [
        text(fit(name, first - 8, isMean ? SIZE * BOLD : SIZE, measure), PAD, y + row / 2, theme.text, 'start', isMean),
        text(size, left - 8, y + row / 2, theme.text2, 'end'),
        ...cells
          .slice(0, columns)
          .flatMap((cell, i) => cellMarks(cell, [left + i * column, y], cohort === null ? null : `cohort.${cohort}.${i}`)),
      ];
    }),
    {
      kind: 'text',
      text: note,
      x: PAD,
      y: HEAD + shown.length * row + 12,
      size: 11,
      fill: theme.muted,
    },
  ];
}
