import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import { type Mark, type PointName, round, widthOf } from '../marks.js';
import { formatNumber, more, percent, shortNumber } from '../text/format-number.js';
import { BOLD, beforeMore, fit, fitMiddle } from '../text/measure.js';
import { layoutPaths, type PathFlow, type PathNode } from './paths-layout.js';

const PAD = 8;
const HEAD = 26;
const GAP = 8;
/** Lowest box that has space for a name, and for a second line. */
const LEAST = 20;
const TWO_LINES = 38;
const NARROWEST = 84;
const WIDEST = 180;
/** Narrowest space between two columns. */
const BETWEEN = 36;

/** A node with its box; `out` and `in`: where the next flow begins and ends. */
interface Box {
  node: PathNode;
  x: number;
  y: number;
  height: number;
  out: number;
  in: number;
}

/** The paths that people took: a column of boxes per step, flows between them in gray, and the widest way in a color. */
export function pathsMarks(insight: Extract<Insight, { kind: 'paths' }>, { width, height, theme, measure }: Canvas): Mark[] {
  const most = Math.max(2, Math.floor((height - HEAD - 20) / (LEAST + GAP)) - 1);
  const mostColumns = Math.max(2, Math.floor((width - 2 * PAD + BETWEEN) / (NARROWEST + BETWEEN)));
  const { columns, flows, dropped } = layoutPaths(insight, Math.min(most, 10), mostColumns);
  if (columns.length === 0) return [];
  const gaps = columns.length - 1;
  const box = Math.min(WIDEST, (width - 2 * PAD - gaps * BETWEEN) / columns.length);
  const between = gaps > 0 ? (width - 2 * PAD - columns.length * box) / gaps : 0;
  const steps = new Set(
    insight.edges.flatMap(({ source, target }) => [source, target].map((name) => Number.parseInt(name, 10) || 0)),
  ).size;
  const notes = [
    steps > columns.length ? more(steps - columns.length, 'step') : '',
    dropped > 0 ? more(dropped, 'path') : '',
  ].filter(Boolean);
  const room = height - HEAD - (notes.length > 0 ? 22 : 4);
  const unit = Math.min(
    ...columns.map((column) =>
      unitOf(
        column.map(({ value }) => value),
        room,
      ),
    ),
  );
  const boxes = new Map<PathNode, Box>();
  for (const [i, column] of columns.entries()) {
    let y = HEAD;
    for (const node of column) {
      const high = Math.max(LEAST, node.value * unit);
      boxes.set(node, { node, x: PAD + i * (box + between), y, height: high, out: y, in: y });
      y += high + GAP;
    }
  }
  const began = (columns[0] ?? []).reduce((sum, { value }) => sum + value, 0);
  const name = nameCutter(columns.flat());
  const color = theme.palette[0] ?? '';
  const followed = new Set(flows.filter(({ isFollowed }) => isFollowed).flatMap(({ source, target }) => [source, target]));
  const order = (one: PathNode) => boxes.get(one)?.y ?? 0;
  const sorted = [...flows].sort((a, b) => order(a.source) - order(b.source) || order(a.target) - order(b.target));
  const ends = new Map(sorted.map((flow) => [flow, { from: 0, to: 0 }]));
  for (const flow of sorted) {
    const [from, place] = [boxes.get(flow.source), ends.get(flow)];
    if (!from || !place) continue;
    place.from = from.out;
    from.out += flow.value * unit;
  }
  for (const flow of [...flows].sort((a, b) => order(a.target) - order(b.target) || order(a.source) - order(b.source))) {
    const [to, place] = [boxes.get(flow.target), ends.get(flow)];
    if (!to || !place) continue;
    place.to = to.in;
    to.in += flow.value * unit;
  }
  const ribbons = sorted.map((flow): Mark => {
    const { from, to } = ends.get(flow) ?? { from: 0, to: 0 };
    const [x1, x2] = [(boxes.get(flow.source)?.x ?? 0) + box, boxes.get(flow.target)?.x ?? 0];
    const title = `${name(flow.source)} to ${name(flow.target)}: ${formatNumber(flow.value)}`;
    const d = ribbon(x1, from, x2, to, Math.max(1, flow.value * unit));
    return {
      kind: 'path',
      d,
      ...(flow.isFollowed ? { fill: color, fillOpacity: 0.42 } : { fill: theme.other, fillOpacity: 0.2 }),
      title,
      ...pointOf(flow),
    };
  });
  const heads = columns.flatMap((column, i): Mark[] => {
    const x = PAD + i * (box + between);
    const title = i === 0 ? 'Start' : `Step ${i + 1}`;
    const count = formatNumber(column.reduce((sum, { value }) => sum + value, 0));
    const hasCount = widthOf(title, { isBold: true }, measure) + measure(count, 12) + 10 < box;
    return [
      { kind: 'text', text: title, x, y: 9, isBold: true, fill: theme.text2 },
      ...(hasCount ? [{ kind: 'text' as const, text: count, x: x + box, y: 9, anchor: 'end' as const, fill: theme.text2 }] : []),
    ];
  });
  const nodes = [...boxes.values()].flatMap(({ node, x, y, height: high }): Mark[] => {
    const isFollowed = followed.has(node);
    const isPage = node.kind === 'page';
    const share = percent(node.value / began);
    const count = [formatNumber(node.value), shortNumber(node.value)].find((text) => measure(text, 12) < box * 0.5) ?? '';
    const full = beforeMore(name(node));
    const besides = box - 26 - measure(count, 12);
    const isHigh = high >= TWO_LINES;
    // a long name has the first line for itself
    const isAlone = isHigh && measure(full, 12) * BOLD > besides;
    const room = (isAlone ? box - 20 : besides) / BOLD;
    const isCount = node.kind === 'others' && measure(full, 12) > room;
    const text = isCount ? `+${Number.parseInt(node.name, 10)}` : fitMiddle(full, room, 12, measure);
    const second =
      [
        isAlone ? `${count}, ${share} of all` : `${share} of all`,
        isAlone ? `${count}, ${share}` : share,
        isAlone ? count : '',
      ].find((one) => measure(one, 11) < box - 18) ?? '';
    const edge = isFollowed ? color : node.kind === 'left' ? theme.border : theme.other;
    const title = `${name(node)}: ${formatNumber(node.value)} (${share} of all)`;
    return [
      {
        kind: 'rect',
        x: x + 0.5,
        y: y + 0.5,
        width: box - 1,
        height: high - 1,
        radius: 3,
        fill: isPage ? theme.card : theme.background,
        stroke: isFollowed ? color : theme.border,
        strokeWidth: isFollowed ? 1.5 : 1,
        ...(node.kind === 'left' ? { dash: [3, 2] } : {}),
        title,
        ...(node.key === null ? {} : { point: `${node.column === 0 ? 'from' : 'to'}.${node.key}` as const }),
      },
      { kind: 'rect', x, y, width: 4, height: high, radius: 2, fill: edge },
      { kind: 'text', text, x: x + 12, y: y + 11, isBold: true, fill: theme.text },
      ...(isAlone
        ? []
        : [{ kind: 'text' as const, text: count, x: x + box - 8, y: y + 11, anchor: 'end' as const, fill: theme.text2 }]),
      ...(isHigh && second ? [{ kind: 'text' as const, text: second, x: x + 12, y: y + 27, size: 11, fill: theme.text2 }] : []),
    ];
  });
  const remarks: Mark[] =
    notes.length > 0
      ? [
          {
            kind: 'text',
            text: fit(notes.join(', '), width - 2 * PAD, 11, measure),
            x: PAD,
            y: height - 10,
            size: 11,
            fill: theme.muted,
          },
        ]
      : [];
  return [...ribbons, ...heads, ...nodes, ...remarks];
}

/** What a flow shows, if it is one of the result. Who has left there is the end of a path; `Left or rare` is not only that. */
function pointOf({ source, target }: PathFlow): { point?: PointName } {
  if (source.key === null) return {};
  if (target.key !== null) return { point: `edge.${JSON.stringify([source.key, target.key])}` };
  return target.kind === 'left' && target.name === 'Left' ? { point: `end.${source.key}` } : {};
}

/** Pixels per person, so that a column fills the height; low boxes take more than their share. */
function unitOf(values: readonly number[], height: number): number {
  const room = height - (values.length - 1) * GAP;
  let [low, high] = [
    0,
    room /
      Math.max(
        1e-9,
        values.reduce((sum, value) => sum + value, 0),
      ),
  ];
  for (let i = 0; i < 30; i++) {
    const unit = (low + high) / 2;
    if (values.reduce((sum, value) => sum + Math.max(LEAST, value * unit), 0) <= room) low = unit;
    else high = unit;
  }
  return low;
}

function ribbon(x1: number, y1: number, x2: number, y2: number, thickness: number): string {
  const middle = round((x1 + x2) / 2);
  const [a, b, c, d] = [y1, y2, y2 + thickness, y1 + thickness].map(round);
  return `M${round(x1)} ${a}C${middle} ${a} ${middle} ${b} ${round(x2)} ${b}V${c}C${middle} ${c} ${middle} ${d} ${round(x1)} ${d}z`;
}

/** Names without the origin of their URLs when all of them share one. */
function nameCutter(nodes: readonly PathNode[]): (node: PathNode) => string {
  const originOf = (text: string) => /^https?:\/\/[^/?#]+/i.exec(text)?.[0] ?? null;
  const origins = new Set(nodes.filter(({ kind }) => kind === 'page').map(({ name }) => originOf(name)));
  const [origin] = origins;
  if (origins.size !== 1 || !origin) return ({ name }) => name;
  return ({ name, kind }) => (kind === 'page' ? name.slice(origin.length) || '/' : name);
}
