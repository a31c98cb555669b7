import type { Canvas } from '../canvas.js';
import type { Insight, Step } from '../insight.js';
import { type Mark, rule, widthOf } from '../marks.js';
import { formatDuration, formatNumber, more, percent, shortNumber } from '../text/format-number.js';
import { beforeMore, fitMiddle, wrap } from '../text/measure.js';
import { grayOf, OTHER } from '../theme/series-color.js';

type Funnel = Extract<Insight, { kind: 'funnel' }>;

const PAD = 8;
const LINE = 16;
/** From this width on the steps stand beside each other, and those of breakdown values. */
const WIDE = 640;
const WIDE_GROUPS = 480;
/** Lowest row that holds a name and a bar. */
const LEAST_ROW = 28;
/** Groups that have a color. */
const MOST = 8;

/** A breakdown value with the numbers of its steps. */
interface Group {
  name: string;
  color: string;
  steps: readonly Step[];
}

/**
 * The steps of a funnel, as shares of the first: filled went on, hatched were lost at this step. Wide pictures have a column per step,
 * narrow ones a row.
 */
export function funnelMarks({ groups, unit = 'people' }: Funnel, canvas: Canvas): Mark[] {
  const { width, height, theme } = canvas;
  const total = totalOf(groups);
  const isBeside = width >= (groups.length > 1 ? WIDE_GROUPS : WIDE) && height >= 230 && width / total.length >= 100;
  // a row has a bar for each group below its name
  const most = isBeside ? MOST : Math.min(MOST, Math.max(1, Math.floor((height * 0.75) / total.length / 5) - 5));
  // values without a color of their own take none from the others
  const grays = groups.map(({ breakdown }) => grayOf(breakdown === 'Other' ? OTHER : breakdown, theme));
  const colored: Group[] = groups.slice(0, most).map(({ breakdown, steps }, i) => {
    const place = grays.slice(0, i).filter((gray) => gray === null).length;
    return { name: breakdown ?? '', color: grays[i] ?? theme.palette[place] ?? theme.other, steps };
  });
  const head =
    groups.length > 1 && canvas.hasLegend
      ? legendMarks(colored, groups.length - colored.length, canvas)
      : { marks: [], height: 0 };
  const body = isBeside
    ? columnMarks(total, colored, { top: head.height, unit }, canvas)
    : rowMarks(total, colored, head.height, canvas);
  return [...head.marks, ...body];
}

/** The steps over all breakdown values; medians cannot be added up. */
function totalOf(groups: Funnel['groups']): Step[] {
  const [first] = groups;
  if (!first) return [];
  if (groups.length === 1) return first.steps;
  return first.steps.map((step, i) => ({
    ...step,
    count: groups.reduce((sum, { steps }) => sum + (steps[i]?.count ?? 0), 0),
    averageTime: null,
    medianTime: null,
  }));
}

const shareOf = (steps: readonly Step[], index: number): number => {
  const [began, there] = [steps[0]?.count ?? 0, steps[index]?.count ?? 0];
  return began > 0 ? there / began : 0;
};

/** The last step before that everybody takes, whose people a step continues. */
const beforeOf = (steps: readonly Step[], index: number): number =>
  Math.max(
    0,
    steps.findLastIndex((step, i) => i < index && !step.isOptional),
  );

const nameOf = ({ name, customName, isOptional }: Step): string =>
  `${customName ?? (name || 'All events')}${isOptional ? ' (optional)' : ''}`;

/** The share of the step before, and the median time since then; null: the first step. */
function conversionOf(steps: readonly Step[], index: number): { share: string; time: string | null } | null {
  if (index === 0) return null;
  const before = beforeOf(steps, index);
  const [from, to] = [steps[before]?.count ?? 0, steps[index]?.count ?? 0];
  const median = steps[index]?.medianTime ?? null;
  return {
    share: `${percent(from > 0 ? to / from : 0)} of step ${before + 1}`,
    time: median === null ? null : formatDuration(median),
  };
}

function titleOf(group: Group, index: number): string {
  const step = group.steps[index];
  if (!step) return '';
  const conversion = conversionOf(group.steps, index);
  const parts = [formatNumber(step.count), percent(shareOf(group.steps, index)), ...(conversion ? [conversion.share] : [])];
  return `${group.name ? `${group.name}, ` : ''}${nameOf(step)}: ${parts.join(', ')}`;
}

/** The people who were lost at a step. */
function lostTitleOf(group: Group, index: number): string {
  const { steps } = group;
  const [from, to] = [steps[beforeOf(steps, index)]?.count ?? 0, steps[index]?.count ?? 0];
  const step = steps[index];
  const name = step ? nameOf(step) : '';
  return `${group.name ? `${group.name}, l` : 'L'}ost before ${name}: ${formatNumber(from - to)}, ${percent(from > 0 ? 1 - to / from : 0)} of step ${beforeOf(steps, index) + 1}`;
}

/** Rows: name and numbers of a step, and a bar per group below. */
function rowMarks(
  steps: readonly Step[],
  groups: readonly Group[],
  top: number,
  { width, height, theme, measure }: Canvas,
): Mark[] {
  const room = width - 2 * PAD;
  const atMost = Math.max(1, Math.floor((height - top) / LEAST_ROW));
  const shown = steps.slice(0, steps.length > atMost ? Math.max(1, atMost - 1) : atMost);
  const row = Math.min(64, (height - top) / Math.min(atMost, Math.max(1, steps.length)));
  const bars = Math.max(
    2,
    Math.min(groups.length === 1 ? 12 : 8, (row - LINE - 8) / groups.length - (groups.length > 1 ? 2 : 0)),
  );
  const rest: Mark[] =
    steps.length > shown.length
      ? [
          {
            kind: 'text',
            text: more(steps.length - shown.length, 'step'),
            x: PAD,
            y: top + shown.length * row + 10,
            fill: theme.muted,
          },
        ]
      : [];
  const marks = shown.flatMap((step, i) => {
    const y = top + i * row + 10;
    const number = formatNumber(step.count);
    const numberWidth = widthOf(number, { size: 12, isBold: true }, measure);
    const index = `${i + 1}`;
    const indent = Math.max(15, Math.ceil(measure(index, 12)) + 6);
    const conversion = conversionOf(steps, i);
    const shortest = conversion?.share.replace(/ of .*/, '') ?? '';
    const name = nameOf(step);
    const nameWidth = Math.min(widthOf(name, { isBold: true }, measure), 120);
    const space = room - numberWidth - nameWidth - indent - 29;
    const texts = conversion
      ? [...(conversion.time === null ? [] : [`${conversion.share}, ${conversion.time}`]), conversion.share, shortest]
      : [];
    const label = texts.find((text) => measure(text, 12) <= space) ?? '';
    const labelWidth = label ? measure(label, 12) + 14 : 0;
    const named = fitMiddle(name, (room - numberWidth - labelWidth - indent - 13) / 1.15, 12, measure);
    return [
      { kind: 'text', text: index, x: PAD, y, fill: theme.muted },
      { kind: 'text', text: named, x: PAD + indent, y, isBold: true, fill: theme.text },
      ...(label
        ? [
            {
              kind: 'text' as const,
              text: label,
              x: width - PAD - numberWidth - 14,
              y,
              anchor: 'end' as const,
              fill: theme.text2,
            },
          ]
        : []),
      { kind: 'text', text: number, x: width - PAD, y, isBold: true, anchor: 'end', fill: theme.text },
      ...groups.flatMap((group, g): Mark[] => {
        const [now, before] = [
          shareOf(group.steps, i) * room,
          (i === 0 ? 1 : shareOf(group.steps, beforeOf(group.steps, i))) * room,
        ];
        const place = { y: y + 11 + g * (bars + 2), height: bars };
        const title = titleOf(group, i);
        return [
          { kind: 'rect', x: PAD, ...place, width: room, radius: 3, fill: theme.grid },
          ...(before > now
            ? [{ kind: 'rect' as const, x: PAD + now, ...place, width: before - now, radius: 3, fill: theme.card }]
            : []),
          ...(before > now
            ? [
                {
                  kind: 'rect' as const,
                  x: PAD + now,
                  ...place,
                  width: before - now,
                  radius: 3,
                  hatch: group.color,
                  title: lostTitleOf(group, i),
                  point: `lost.${i + 1}.${g}` as const,
                },
              ]
            : []),
          { kind: 'rect', x: PAD, ...place, width: now, radius: 3, fill: group.color, title, point: `step.${i + 1}.${g}` },
        ];
      }),
    ] satisfies Mark[];
  });
  return [...marks, ...rest];
}

const SHARES = [1, 0.75, 0.5, 0.25, 0];

/** Columns: a bar per group over a scale of percent, name and numbers of the step below. */
function columnMarks(
  steps: readonly Step[],
  groups: readonly Group[],
  { top, unit }: { top: number; unit: string },
  { width, height, theme, measure }: Canvas,
): Mark[] {
  const left = 44;
  const column = (width - left - PAD) / steps.length;
  const room = column - 16;
  const names = steps.map((step, i) => {
    // the number never stands alone in the first line
    const start = `${i + 1} `;
    const [first = '', ...more] = wrap(nameOf(step), room / 1.15 - measure(start, 12), 12, 2, measure);
    return [start + first, ...more];
  });
  const nameLines = Math.max(1, ...names.map((lines) => lines.length));
  const fitting = (forms: readonly string[]) => forms.find((text) => measure(text, 12) <= room) ?? forms.at(-1) ?? '';
  const details = steps.map((step, i) => {
    const conversion = conversionOf(steps, i);
    const count = fitting([`${formatNumber(step.count)} ${unit}`.trim(), formatNumber(step.count), shortNumber(step.count)]);
    if (!conversion) return [count];
    const { share, time } = conversion;
    const whole = time === null ? share : `${share}, median ${time}`;
    if (measure(whole, 12) <= room) return [count, whole];
    // each in a line of its own, without words for which there is no space
    return [count, fitting([share, share.replace(/ of .*/, '')]), ...(time === null ? [] : [fitting([`median ${time}`, time])])];
  });
  const detailLines = Math.max(1, ...details.map((lines) => lines.length));
  const high = top + 18;
  const low = height - (nameLines + detailLines) * LINE - 10;
  const yOf = (share: number) => low - (low - high) * share;
  const bar = Math.min(groups.length === 1 ? 120 : 84, (column * 0.78) / groups.length) - 3;
  const marks: Mark[] = SHARES.flatMap((share): Mark[] => [
    rule(left, yOf(share), width - left - PAD, share === 0 ? theme.border : theme.grid),
    { kind: 'text', text: `${share * 100}%`, x: left - 8, y: yOf(share), size: 11, anchor: 'end', fill: theme.muted },
  ]);
  for (const [i] of steps.entries()) {
    const x = left + 4 + i * column;
    for (const [g, group] of groups.entries()) {
      const [now, before] = [shareOf(group.steps, i), i === 0 ? 1 : shareOf(group.steps, beforeOf(group.steps, i))];
      const place = { x: x + g * (bar + 3), width: bar };
      const title = titleOf(group, i);
      if (before > now)
        marks.push({
          kind: 'rect',
          ...place,
          y: yOf(before),
          height: yOf(now) - yOf(before),
          radius: 3,
          hatch: group.color,
          title: lostTitleOf(group, i),
          point: `lost.${i + 1}.${g}`,
        });
      marks.push({
        kind: 'rect',
        ...place,
        y: yOf(now),
        height: low - yOf(now),
        radius: 3,
        fill: group.color,
        title,
        point: `step.${i + 1}.${g}`,
      });
      const label = percent(now);
      const labelWidth = widthOf(label, { size: 11, isBold: true }, measure);
      if (labelWidth > bar + 2) continue;
      const middle = { x: place.x + bar / 2, y: yOf(now) - 10 };
      // the lines of the hatching would disturb the number
      if (before > now)
        marks.push({
          kind: 'rect',
          x: middle.x - labelWidth / 2 - 3,
          y: middle.y - 7,
          width: labelWidth + 6,
          height: 14,
          radius: 3,
          fill: theme.card,
        });
      marks.push({ kind: 'text', text: label, ...middle, size: 11, isBold: true, anchor: 'middle', fill: theme.text });
    }
    const texts = [
      ...(names[i] ?? []).map((text) => ({ text, isBold: true, fill: theme.text })),
      ...(details[i] ?? []).map((text, n) => ({ text, isBold: false, fill: n === 0 ? theme.text2 : theme.muted })),
    ];
    marks.push(...texts.map((text, n): Mark => ({ kind: 'text', ...text, x, y: low + 14 + n * LINE })));
  }
  return marks;
}

/** Names of the groups with their conversion from the first to the last step that is not optional, and what hatching means. */
function legendMarks(
  groups: readonly Group[],
  hidden: number,
  { width, theme, measure }: Canvas,
): { marks: Mark[]; height: number } {
  const entries = [
    ...groups.map((group) => ({ text: group.name, share: ` ${shareOfAll(group)}`, paint: { fill: group.color } })),
    ...(hidden > 0 ? [{ text: more(hidden, 'value'), share: '', paint: {} }] : []),
    { text: 'lost at this step', share: '', paint: { hatch: groups[0]?.color ?? theme.other } },
  ];
  let [x, row] = [PAD, 0];
  const marks: Mark[] = [];
  for (const { text, share, paint } of entries) {
    const room = Math.min(220, width - 2 * PAD - 18) - measure(share, 12);
    // a name is cut, its number never
    const cut = share ? `${beforeMore(fitMiddle(text, room, 12, measure))}${share}` : fitMiddle(text, room, 12, measure);
    const needed = 18 + measure(cut, 12);
    if (x > PAD && x + needed > width - PAD) [x, row] = [PAD, row + 1];
    const y = 8 + row * 20;
    if (Object.keys(paint).length > 0) marks.push({ kind: 'rect', x, y: y - 5, width: 10, height: 10, radius: 3, ...paint });
    const indent = Object.keys(paint).length > 0 ? 16 : 0;
    marks.push({ kind: 'text', text: cut, x: x + indent, y, fill: theme.text });
    x += needed + 14;
  }
  return { marks, height: row * 20 + 28 };
}

/** How many of the people who took the first step of a group took its last. */
function shareOfAll({ steps }: Group): string {
  const last = steps.findLastIndex(({ isOptional }) => !isOptional);
  return percent(shareOf(steps, last));
}
