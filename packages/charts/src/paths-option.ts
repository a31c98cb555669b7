import type { Canvas, ChartOption } from './chart-option.js';
import { more, shortNumber } from './format-number.js';
import type { Edge, Insight } from './insight.js';
import { beforeMore, fitMiddle } from './measure.js';
import { note } from './theme.js';

/** Only the widest edges are drawn, this many; more could not be distinguished. */
const MOST_EDGES = 40;
/** Pixels that a node needs for a readable label: the gap above it and its own height. */
const NODE_GAP = 14;
const NODE = 22;

/** ECharts options of a Sankey diagram of the paths that people took. */
export function pathsOption(
  { edges }: Extract<Insight, { kind: 'paths' }>,
  { width, height, theme, measure }: Canvas,
): ChartOption {
  const drawable = withoutCircles([...edges].sort((a, b) => b.value - a.value)).slice(0, MOST_EDGES);
  const shown = withRoom(drawable, Math.max(2, Math.floor((height - 30) / NODE)));
  const names = [...new Set(shown.flatMap(({ source, target }) => [source, target]))];
  const places = names.map(placeOf);
  const first = Math.min(...places);
  const columns = Math.max(2, ...places.map((place) => 1 + place - first));
  const room = width / columns - 34;
  const value = (name: string) =>
    Math.max(
      shown.reduce((sum, edge) => sum + (edge.target === name ? edge.value : 0), 0),
      shown.reduce((sum, edge) => sum + (edge.source === name ? edge.value : 0), 0),
    );
  const rest = edges.length - shown.length;
  const highest = Math.max(...places.map((place) => places.filter((other) => other === place).length));
  const isCrowded = highest * 34 > height - 30;
  const withoutOrigin = originCutter(names);
  return {
    graphic: rest > 0 ? [note(more(rest, 'path'), 16, height - 12, theme.muted)] : [],
    series: [
      {
        type: 'sankey',
        left: 12,
        right: room + 12,
        top: 12,
        bottom: rest > 0 ? 30 : 12,
        nodeGap: NODE_GAP,
        nodeWidth: 12,
        draggable: false,
        emphasis: { disabled: true },
        label: {
          color: theme.text,
          fontSize: 12,
          lineHeight: 14,
          formatter: ({ name }: { name: string }) => {
            const count = shortNumber(value(name));
            const text = beforeMore(withoutOrigin(name.replace(/^\d+_/, '')));
            const inOneLine = `${text}  ${count}`;
            // narrow charts put the number below the name
            return measure(inOneLine, 12) <= room || isCrowded
              ? `${fitMiddle(text, room - measure(`  ${count}`, 12), 12, measure)}  ${count}`
              : `${fitMiddle(text, room, 12, measure)}\n${count}`;
          },
        },
        lineStyle: { color: 'source', opacity: 0.28 },
        data: names.map((name, i) => ({
          name,
          // a node stays in the column of its step, also when the edge to it is too narrow to be drawn
          ...(first > 0 ? { depth: placeOf(name) - first } : {}),
          itemStyle: { color: theme.palette[i % theme.palette.length], borderWidth: 0 },
        })),
        links: shown.map(({ source, target, value: weight }) => ({ source, target, value: weight })),
      },
    ],
  };
}

/** Drops the narrowest edge of each cycle: a Sankey diagram cannot draw cycles. Expects the widest edges first. */
function withoutCircles(edges: readonly Edge[]): Edge[] {
  const next = new Map<string, string[]>();
  const leads = (from: string, to: string): boolean => from === to || (next.get(from) ?? []).some((one) => leads(one, to));
  return edges.filter(({ source, target, value }) => {
    if (value <= 0 || leads(target, source)) return false;
    next.set(source, [...(next.get(source) ?? []), target]);
    return true;
  });
}

/** The widest edges, as long as each column has at most `most` nodes, so that their labels do not overlap. */
function withRoom(edges: readonly Edge[], most: number): Edge[] {
  const columns = new Map<number, Set<string>>();
  const nodesBeside = (name: string) => columns.get(placeOf(name)) ?? new Set<string>();
  const hasRoom = (name: string) => nodesBeside(name).has(name) || nodesBeside(name).size < most;
  return edges.filter(({ source, target }) => {
    if (!hasRoom(source) || !hasRoom(target)) return false;
    for (const name of [source, target]) columns.set(placeOf(name), nodesBeside(name).add(name));
    return true;
  });
}

/** Strips the origin of URLs when all of them share one. */
function originCutter(names: readonly string[]): (name: string) => string {
  const originOf = (text: string) => /^https?:\/\/[^/?#]+/i.exec(text)?.[0] ?? null;
  const origins = new Set(names.map((name) => originOf(name.replace(/^\d+_/, ''))));
  const [origin] = origins;
  if (origins.size !== 1 || !origin) return (name) => name;
  return (name) => name.slice(origin.length) || '/';
}

/** Node names begin with the number of their step: `2_/pricing`. */
const placeOf = (name: string): number => Number.parseInt(name, 10) || 0;
