import type { Canvas } from '../canvas.js';
import type { Comparison, VariantDetail } from '../insight.js';
import { line, type Mark, widthOf } from '../marks.js';
import { signedPercent } from '../text/format-number.js';
import { BOLD, fit, wrap } from '../text/measure.js';

const PAD = 8;
const HEAD = 28;
const AXIS = 24;
const MIN_ROW = 28;
const MAX_ROW = 42;
/** Narrowest area for the intervals, pixels. */
const LEAST = 120;

/** Height of a line of a warning above the variants. */
const LINE = 16;

/**
 * The change of each variant against the first as a dot with its interval: right is better, also when less is better. An interval that
 * crosses zero is gray, because it shows no difference.
 */
export function comparisonMarks(comparison: Comparison, canvas: Canvas): Mark[] {
  const { warning } = comparison;
  if (!warning) return variantMarks(comparison, canvas, 0);
  const { width, theme, measure } = canvas;
  const room = width - 2 * PAD;
  const causes = wrap(warning.cause, room, 12, 2, measure);
  return [
    { kind: 'text', text: fit(warning.fact, room, 13 * BOLD, measure), x: PAD, y: 9, size: 13, isBold: true, fill: theme.warn },
    ...causes.map((text, i): Mark => ({ kind: 'text', text, x: PAD, y: 9 + (i + 1) * LINE, fill: theme.text2 })),
    ...variantMarks(comparison, canvas, (causes.length + 1) * LINE + 4),
  ];
}

/** `top`: where they begin. */
function variantMarks(
  { variants, level, isLessBetter = false }: Comparison,
  { width, height: whole, theme, measure }: Canvas,
  top: number,
): Mark[] {
  const height = whole - top;
  const details = (variants[0]?.details ?? []).map((_, i) => variants.map(({ details: own }) => own[i]?.text ?? ''));
  const heads = variants[0]?.details.map(({ label }) => label) ?? [];
  const widths = details.map((texts, i) => Math.max(measure(heads[i] ?? '', 12), ...texts.map((text) => measure(text, 12))) + 16);
  const longest = Math.max(measure('Variant', 12), ...variants.map(({ name }) => widthOf(name, { isBold: true }, measure))) + 12;
  const names = Math.min(longest, width * 0.34);
  // columns that do not fit are left out, from the first
  const roomFor = (from: number) => widths.slice(from).reduce((sum, own) => sum + own, 0) <= width - 2 * PAD - names - LEAST;
  const first = widths.findIndex((_, i) => roomFor(i));
  const shownColumns = widths.map((own, i) => ({ own, i })).filter(({ i }) => first >= 0 && i >= first);
  const left = PAD + names + shownColumns.reduce((sum, { own }) => sum + own, 0) + 16;
  const right = width - PAD - 16;
  const row = Math.max(MIN_ROW, Math.min(MAX_ROW, (height - HEAD - AXIS) / Math.max(1, variants.length)));
  const shown = variants.slice(0, Math.max(1, Math.floor((height - HEAD - AXIS) / row)));
  const head = top + HEAD;
  const bottom = head + shown.length * row;
  const sign = isLessBetter ? -1 : 1;
  const bounds = shown.flatMap(({ change }) => (change ? [change.low, change.high, change.value] : []));
  const middle = (left + right) / 2;
  const ticks = bounds.length > 0 ? ticksOf(bounds, (right - left) / 60) : [];
  const [lowest, highest] = [ticks[0] ?? -1, ticks.at(-1) ?? 1];
  const xOf = (change: number) => {
    const share = (change - lowest) / (highest - lowest);
    return left + (sign > 0 ? share : 1 - share) * (right - left);
  };
  const text = (value: string, x: number, y: number, more: Partial<Extract<Mark, { kind: 'text' }>> = {}): Mark => ({
    kind: 'text',
    text: value,
    x,
    y,
    fill: theme.text,
    ...more,
  });
  const columns = shownColumns.map(({ own, i }, at) => ({
    i,
    right: PAD + names + shownColumns.slice(0, at + 1).reduce((sum, one) => sum + one.own, 0),
    width: own,
  }));
  const caption = `change, ${Math.round(level * 100)}% interval`;
  const sides = measure('← worse', 12) + measure('better →', 12) + 32;
  return [
    text('Variant', PAD, top + 12, { fill: theme.muted }),
    ...columns.map((column) => text(heads[column.i] ?? '', column.right, top + 12, { anchor: 'end', fill: theme.muted })),
    text('← worse', left - 8, top + 12, { fill: theme.muted }),
    ...(right - left > sides + measure(caption, 12)
      ? [text(caption, middle, top + 12, { anchor: 'middle', fill: theme.text2 })]
      : []),
    text('better →', right + 8, top + 12, { anchor: 'end', fill: theme.muted }),
    ...ticks.map((tick) => line([xOf(tick), head - 4], [xOf(tick), bottom], tick === 0 ? theme.muted : theme.grid)),
    ...ticks.map((tick) =>
      text(signedPercent(tick).replace('.0%', '%'), xOf(tick), bottom + 12, { size: 11, anchor: 'middle', fill: theme.muted }),
    ),
    ...shown.flatMap(({ name, details: own, change, unknown }, i): Mark[] => {
      const y = head + (i + 0.5) * row;
      const color = !change
        ? theme.text2
        : change.low <= 0 && change.high >= 0
          ? theme.flat
          : change.value * sign > 0
            ? theme.up
            : theme.down;
      const words = color === theme.up ? theme.good : color === theme.down ? theme.bad : theme.text2;
      const styleOf = (detail: VariantDetail | undefined) =>
        detail?.isVerdict ? { isBold: words !== theme.text2, fill: words } : { fill: theme.text2 };
      const title = change
        ? `${name}: ${signedPercent(change.value)}, from ${signedPercent(change.low)} to ${signedPercent(change.high)}`
        : `${name}: the others are compared with it`;
      return [
        ...(i > 0
          ? [{ kind: 'rect' as const, x: PAD, y: y - row / 2, width: left - PAD - 16, height: 1, fill: theme.grid }]
          : []),
        text(fit(name, names - 12, 12, measure), PAD, y, { isBold: true }),
        ...columns.map((column) =>
          text(own[column.i]?.text ?? '', column.right, y, { anchor: 'end', ...styleOf(own[column.i]) }),
        ),
        ...(change
          ? whisker([xOf(change.low), xOf(change.high)], xOf(change.value), y, color, theme.card, title)
          : unknown
            ? missing(unknown, middle, y, right - left + 16, { theme, measure })
            : [{ kind: 'circle' as const, x: xOf(0), y, radius: 5, fill: theme.card, stroke: color, strokeWidth: 1.5, title }]),
      ];
    }),
  ];
}

/** Why a change is unknown; its beginning where there is no space for more. */
function missing(
  words: string,
  x: number,
  y: number,
  room: number,
  { theme, measure }: Pick<Canvas, 'theme' | 'measure'>,
): Mark[] {
  const isLong = measure(words, 12) > room;
  const shown = fit(isLong ? (words.split(':')[0] ?? '') : words, room, 12, measure);
  const width = measure(shown, 12) + 8;
  return [
    { kind: 'rect', x: x - width / 2, y: y - 9, width, height: 18, fill: theme.card },
    { kind: 'text', text: shown, x, y, anchor: 'middle', fill: theme.muted },
  ];
}

function whisker(ends: readonly [number, number], x: number, y: number, color: string, card: string, title: string): Mark[] {
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  return [
    { kind: 'rect', x: from, y: y - 3, width: to - from, height: 6, radius: 3, fill: color, fillOpacity: 0.3, title },
    { kind: 'rect', x: from, y: y - 1, width: to - from, height: 2, radius: 1, fill: color },
    { kind: 'circle', x, y, radius: 5, fill: color, stroke: card, strokeWidth: 1.5, title },
  ];
}

const round4 = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Ticks at round steps from below the lowest bound to above the highest, zero among them; about `most`, and at least two. */
function ticksOf(bounds: readonly number[], most: number): number[] {
  const [low, high] = [Math.min(-0.005, ...bounds), Math.max(0.005, ...bounds)];
  const rough = (high - low) / Math.max(1, Math.floor(most) - 2);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999) ?? 10 * power;
  const first = Math.floor((low / step) * 0.999);
  const count = Math.ceil((high / step) * 0.999) - first + 1;
  return Array.from({ length: count }, (_, i) => round4((first + i) * step));
}
