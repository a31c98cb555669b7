import type { Canvas, ChartOption } from './chart-option.js';
import { shortNumber } from './format-number.js';
import type { Edge, Insight } from './insight.js';
import { fitMiddle } from './measure.js';
import { note } from './series-option.js';

/** Edges beyond these, the widest, could not be told apart. */
const MOST_EDGES = 40;

/** Where people came from and went on to. */
export function pathsOption(
  { edges }: Extract<Insight, { kind: 'paths' }>,
  { width, height, theme, measure }: Canvas,
): ChartOption {
  const shown = withoutCircles([...edges].sort((a, b) => b.value - a.value)).slice(0, MOST_EDGES);
  const names = [...new Set(shown.flatMap(({ source, target }) => [source, target]))];
  const columns = Math.max(2, ...names.map((name) => 1 + Math.max(0, placeOf(name))));
  const room = width / columns - 34;
  const value = (name: string) =>
    Math.max(
      shown.reduce((sum, edge) => sum + (edge.target === name ? edge.value : 0), 0),
      shown.reduce((sum, edge) => sum + (edge.source === name ? edge.value : 0), 0),
    );
  const rest = edges.length - shown.length;
  return {
    graphic: rest > 0 ? [note(`+ ${rest} smaller paths`, 16, height - 12, theme.muted)] : [],
    series: [
      {
        type: 'sankey',
        left: 12,
        right: room + 12,
        top: 12,
        bottom: rest > 0 ? 30 : 12,
        nodeGap: 14,
        nodeWidth: 12,
        draggable: false,
        emphasis: { disabled: true },
        label: {
          color: theme.text,
          fontSize: 12,
          formatter: ({ name }: { name: string }) => {
            const count = shortNumber(value(name));
            return `${fitMiddle(name.replace(/^\d+_/, ''), room - measure(`  ${count}`, 12), 12, measure)}  ${count}`;
          },
        },
        lineStyle: { color: 'source', opacity: 0.28 },
        data: names.map((name, i) => ({ name, itemStyle: { color: theme.palette[i % theme.palette.length], borderWidth: 0 } })),
        links: shown.map(({ source, target, value: weight }) => ({ source, target, value: weight })),
      },
    ],
  };
}

/** Edges that lead back to where they come from cannot be drawn: of a circle the narrowest is left out. */
function withoutCircles(edges: readonly Edge[]): Edge[] {
  const next = new Map<string, string[]>();
  const leads = (from: string, to: string): boolean => from === to || (next.get(from) ?? []).some((one) => leads(one, to));
  return edges.filter(({ source, target, value }) => {
    if (value <= 0 || leads(target, source)) return false;
    next.set(source, [...(next.get(source) ?? []), target]);
    return true;
  });
}

/** Names of nodes begin with the number of their step. */
const placeOf = (name: string): number => Number.parseInt(name, 10) || 0;
