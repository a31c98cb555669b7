import { AXIS_SIZE } from '../axes/calendar-ticks.js';
import type { Canvas } from '../canvas.js';
import type { Comparison, Variant, VariantDetail } from '../insight.js';
import { line, type Mark, widthOf } from '../marks.js';
import { more, signedPercent } from '../text/format-number.js';
import { BOLD, fit, type Measure, wrap } from '../text/measure.js';

const PAD = 8;
const HEAD = 28;
const AXIS = 24;
const MIN_ROW = 28;
const MAX_ROW = 42;
/** Lowest row with a line below its name. */
const TWO_LINES = 34;
/** Narrowest area for the intervals, pixels. */
const LEAST = 120;

/** Pixels between the texts of two ticks. */
const TICK_GAP = 8;
const MOST_TICKS = 6;

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
  const facts = wrap(warning.fact, room, 13 * BOLD, 2, measure);
  const causes = wrap(warning.cause, room, 12, 4, measure);
  const yOf = (row: number) => 9 + row * LINE;
  return [
    ...facts.map((text, i): Mark => ({ kind: 'text', text, x: PAD, y: yOf(i), size: 13, isBold: true, fill: theme.warn })),
    ...causes.map((text, i): Mark => ({ kind: 'text', text, x: PAD, y: yOf(facts.length + i), fill: theme.text2 })),
    ...variantMarks(comparison, canvas, (facts.length + causes.length) * LINE + 4),
  ];
}

/** Whether a column only explains others: who was expected beside the people, who completed beside the rate. */
const isDetail = (head: string | undefined): boolean => head === 'Expected' || head === 'Completed';

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
  const isOfMetrics = variants.some(({ metric }) => metric);
  const firstHead = isOfMetrics ? 'Metric' : 'Variant';
  const labels = labelsOf(variants);
  const widest = labels.map(({ start, end }) => widthOf(start + end, { isBold: true }, measure));
  const longest = Math.max(measure(firstHead, 12), ...widest) + 12;
  // of the columns that do not fit beside the names the details go first, then those at the left
  const leaving = widths.map((_, i) => i).sort((a, b) => Number(isDetail(heads[b])) - Number(isDetail(heads[a])) || a - b);
  const columnsBeside = (name: number): { own: number; i: number }[] => {
    const room = width - 2 * PAD - name - LEAST;
    const shownWithout = (count: number) =>
      widths.map((own, i) => ({ own, i })).filter(({ i }) => !leaving.slice(0, count).includes(i));
    const choices = Array.from({ length: widths.length + 1 }, (_, count) => shownWithout(count));
    return choices.find((some) => some.reduce((sum, { own }) => sum + own, 0) <= room) ?? [];
  };
  const narrow = Math.min(longest, width * 0.34);
  const ends = Math.max(...labels.map(({ end }) => widthOf(end, { isBold: true }, measure)));
  const wide = Math.min(longest, Math.max(narrow, Math.min(narrow + ends, width - LEAST - 4 * PAD)));
  // names are cut rather than numbers
  const shorter = columnsBeside(wide).length === columnsBeside(narrow).length ? wide : narrow;
  const row = Math.max(MIN_ROW, Math.min(MAX_ROW, (height - HEAD - AXIS) / Math.max(1, variants.length)));
  // where one column fits at most, the most important one is a line below each name, and the intervals have its space
  const hasFacts = details.length > 1 && columnsBeside(shorter).length <= 1 && row >= TWO_LINES;
  const facts = hasFacts ? variants.map(factsOf) : [];
  const factWidth = Math.max(0, ...facts.map(([fact = '']) => measure(fact, 11 * BOLD))) + 11;
  const names = Math.max(shorter, Math.min(factWidth, width - LEAST - 4 * PAD));
  const shownColumns = hasFacts ? [] : columnsBeside(names);
  const left = PAD + names + shownColumns.reduce((sum, { own }) => sum + own, 0) + 16;
  const shown = variants.slice(0, Math.max(1, Math.floor((height - HEAD - AXIS) / row)));
  const head = top + HEAD;
  const bottom = head + shown.length * row;
  const hidden = variants.length - shown.length;
  const counted = more(hidden, isOfMetrics ? 'row' : 'variant');
  const omitted = measure(counted, 12) <= left - PAD - 24 ? counted : `+ ${hidden} more`;
  const signOf = ({ metric }: Variant): number => ((metric?.isLessBetter ?? isLessBetter) ? -1 : 1);
  const signs = new Set(shown.map(signOf));
  // where less is better for some metrics alone, the axis has no signs: what is right of zero is better, be it more or less
  const isMixed = signs.size > 1;
  const sign = isMixed || !signs.has(-1) ? 1 : -1;
  const placeOf = (variant: Variant, change: number) => (isMixed ? signOf(variant) * change : change);
  const bounds = shown.flatMap((variant) => {
    const { change } = variant;
    return change ? [change.low, change.high, change.value].map((value) => placeOf(variant, value)) : [];
  });
  // the last tick stands at the end, half of its text beyond
  const reach = (all: readonly number[]) =>
    Math.ceil(Math.max(0, ...all.slice(-1).map((tick) => measure(tickText(tick), AXIS_SIZE) / 2))) + 2;
  const ticksUpTo = (end: number) => (bounds.length > 0 ? ticksOf(bounds, end - left, measure) : []);
  const widestEnd = width - PAD - 16;
  const right = Math.min(widestEnd, width - reach(ticksUpTo(widestEnd)));
  const middle = (left + right) / 2;
  const ticks = ticksUpTo(right);
  const [lowest, highest] = [ticks[0] ?? -1, ticks.at(-1) ?? 1];
  const xOf = (change: number) => {
    const share = (change - lowest) / (highest - lowest);
    return left + (sign > 0 ? share : 1 - share) * (right - left);
  };
  const text = (value: string, x: number, y: number, rest: Partial<Extract<Mark, { kind: 'text' }>> = {}): Mark => ({
    kind: 'text',
    text: value,
    x,
    y,
    fill: theme.text,
    ...rest,
  });
  const columns = shownColumns.map(({ own, i }, at) => ({
    i,
    right: PAD + names + shownColumns.slice(0, at + 1).reduce((sum, one) => sum + one.own, 0),
    width: own,
  }));
  const caption = `change, ${Math.round(level * 100)}% interval`;
  const sides = measure('← worse', 12) + measure('better →', 12) + 32;
  return [
    text(firstHead, PAD, top + 12, { fill: theme.muted }),
    ...columns.map((column) => text(heads[column.i] ?? '', column.right, top + 12, { anchor: 'end', fill: theme.muted })),
    ...(right - left > sides - 36 ? [text('← worse', left - 8, top + 12, { fill: theme.muted })] : []),
    ...(right - left > sides + measure(caption, 12)
      ? [text(caption, middle, top + 12, { anchor: 'middle', fill: theme.text2 })]
      : []),
    text('better →', right + 8, top + 12, { anchor: 'end', fill: theme.muted }),
    ...ticks.map((tick) => line([xOf(tick), head - 4], [xOf(tick), bottom], tick === 0 ? theme.muted : theme.grid)),
    ...ticks.map((tick) =>
      text(isMixed ? tickText(tick).replace(/^[+−]/, '') : tickText(tick), xOf(tick), bottom + 12, {
        size: 11,
        anchor: 'middle',
        fill: theme.muted,
      }),
    ),
    ...(hidden > 0 ? [text(omitted, PAD, bottom + 12, { fill: theme.muted })] : []),
    ...shown.flatMap((variant, i): Mark[] => {
      const { details: own, change, unknown } = variant;
      const { start = '', end = '' } = labels[i] ?? {};
      const x = (value: number) => xOf(placeOf(variant, value));
      const y = head + (i + 0.5) * row;
      const color = !change
        ? theme.text2
        : change.low <= 0 && change.high >= 0
          ? theme.flat
          : change.value * signOf(variant) > 0
            ? theme.up
            : theme.down;
      const words = color === theme.up ? theme.good : color === theme.down ? theme.bad : theme.text2;
      const styleOf = (detail: VariantDetail | undefined) =>
        detail?.isVerdict ? { isBold: words !== theme.text2, fill: words } : { fill: theme.text2 };
      const fact = facts[i]?.find((one) => measure(one, 11 * BOLD) <= names - 11);
      const title = change
        ? `${start}${end}: ${signedPercent(change.value)}, from ${signedPercent(change.low)} to ${signedPercent(change.high)}`
        : `${start}${end}: the others are compared with it`;
      return [
        ...(i > 0
          ? [{ kind: 'rect' as const, x: PAD, y: y - row / 2, width: left - PAD - 16, height: 1, fill: theme.grid }]
          : []),
        text(
          fit(start, names - 11 - widthOf(end, { isBold: true }, measure), 12 * BOLD, measure) + end,
          PAD,
          fact ? y - LINE / 2 : y,
          { isBold: true },
        ),
        ...(fact ? [text(fact, PAD, y + LINE / 2, { size: 11, ...styleOf(own.findLast(isFact)) })] : []),
        ...columns.map((column) =>
          text(own[column.i]?.text ?? '', column.right, y, { anchor: 'end', ...styleOf(own[column.i]) }),
        ),
        ...(change
          ? whisker([x(change.low), x(change.high)], x(change.value), y, color, theme.card, title)
          : unknown
            ? missing(unknown, middle, y, right - left + 16, { theme, measure })
            : [{ kind: 'circle' as const, x: xOf(0), y, radius: 5, fill: theme.card, stroke: color, strokeWidth: 1.5, title }]),
      ];
    }),
  ];
}

/** The last of the columns with a text: how sure the change is, or the value of the baseline. */
function factsOf({ details }: Variant): string[] {
  const found = details.findLast(isFact);
  return found ? [`${found.label} ${found.text}`, found.text] : [];
}

const isFact = ({ text }: VariantDetail): boolean => text !== '';

/** What rows are called; the end is never cut: the variant, where a metric has several. */
function labelsOf(variants: readonly Variant[]): { start: string; end: string }[] {
  return variants.map(({ name, metric }) => {
    if (!metric) return { start: name, end: '' };
    const isOnly = variants.filter((other) => other.metric?.name === metric.name).length === 1;
    return { start: metric.name, end: isOnly ? '' : ` · ${name}` };
  });
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

/** Ticks at round steps from below the lowest bound to above the highest, zero among them; the most whose texts fit into the width. */
function ticksOf(bounds: readonly number[], width: number, measure: Measure): number[] {
  const [low, high] = [Math.min(-0.005, ...bounds), Math.max(0.005, ...bounds)];
  const between = (step: number): number[] => {
    const first = Math.floor((low / step) * 0.999);
    const count = Math.ceil((high / step) * 0.999) - first + 1;
    return Array.from({ length: count }, (_, i) => round4((first + i) * step));
  };
  const room = (ticks: readonly number[]) =>
    (ticks.length - 1) * (Math.max(...ticks.map((tick) => measure(tickText(tick), AXIS_SIZE))) + TICK_GAP);
  const power = 10 ** Math.floor(Math.log10(high - low) - 1);
  const steps = [1, 2, 5, 10, 20, 50, 100].map((factor) => factor * power);
  const fitting = steps.map(between).find((ticks) => ticks.length <= MOST_TICKS && room(ticks) <= width);
  return fitting ?? between(100 * power);
}

const tickText = (tick: number): string => signedPercent(tick).replace('.0%', '%');
