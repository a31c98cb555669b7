import type { Insight } from '../insight.js';

type Paths = Extract<Insight, { kind: 'paths' }>;

/** A page or event in a step of a path. */
export interface PathNode {
  name: string;
  /** Its name in the result, with the number of its step; null: it stands for several. */
  key: string | null;
  /** Index of its column. */
  column: number;
  value: number;
  /** `others`: pages that have no box of their own; `left`: people for whom the path ended. */
  kind: 'page' | 'others' | 'left';
}

/** People who went from one node to another. */
export interface PathFlow {
  source: PathNode;
  target: PathNode;
  value: number;
  /** Whether it belongs to the widest way. */
  isFollowed: boolean;
}

export interface PathsLayout {
  /** Nodes by column, the largest first; `others` and `left` come last. */
  columns: PathNode[][];
  flows: PathFlow[];
  /** Edges that do not lead to the next step. */
  dropped: number;
}

/** Names of nodes begin with the number of their step: `2_/pricing`. */
const stepOf = (name: string): number => Number.parseInt(name, 10) || 0;

/**
 * Arranges edges in columns by step, each with at most `most` pages; the others are one node. `mostColumns`: later steps are left out.
 * What goes into a node and not out of it again has left, or took a path that the query left out.
 */
export function layoutPaths({ edges, isCut }: Paths, most: number, mostColumns: number): PathsLayout {
  const forward = edges.filter(({ source, target, value }) => value > 0 && stepOf(target) > stepOf(source));
  const steps = [...new Set(forward.flatMap(({ source, target }) => [stepOf(source), stepOf(target)]))]
    .sort((a, b) => a - b)
    .slice(0, mostColumns);
  const values = new Map<string, { in: number; out: number }>();
  const add = (name: string, side: 'in' | 'out', value: number) => {
    const both = values.get(name) ?? { in: 0, out: 0 };
    both[side] += value;
    values.set(name, both);
  };
  for (const { source, target, value } of forward) {
    add(source, 'out', value);
    add(target, 'in', value);
  }
  const nodes = new Map<string, PathNode>();
  const columns = steps.map((step, column): PathNode[] => {
    const own = [...values]
      .filter(([name]) => stepOf(name) === step)
      .map(([name, both]) => ({ name, value: Math.max(both.in, both.out) }))
      .sort((a, b) => b.value - a.value);
    const shown = own.length > most ? own.slice(0, Math.max(1, most - 1)) : own;
    const rest = own.slice(shown.length);
    const pages = shown.map(
      ({ name, value }): PathNode => ({
        name: name.replace(/^\d+_/, ''),
        key: name,
        column,
        value,
        kind: 'page',
      }),
    );
    const others: PathNode = {
      name: `${rest.length} others`,
      key: null,
      column,
      value: rest.reduce((sum, { value }) => sum + value, 0),
      kind: 'others',
    };
    for (const [i, { name }] of own.entries()) nodes.set(name, pages[i] ?? others);
    return rest.length > 0 ? [...pages, others] : pages;
  });
  const flows = new Map<string, PathFlow>();
  const flow = (source: PathNode, target: PathNode, value: number) => {
    const key = JSON.stringify([source.column, source.name, source.kind, target.name, target.kind]);
    const one = flows.get(key) ?? { source, target, value: 0, isFollowed: false };
    one.value += value;
    flows.set(key, one);
  };
  for (const { source, target, value } of forward) {
    const [from, to] = [nodes.get(source), nodes.get(target)];
    if (from && to) flow(from, to, value);
  }
  for (const [i, column] of columns.entries()) {
    if (i === columns.length - 1) break;
    const left: PathNode = { name: isCut ? 'Left or rare' : 'Left', key: null, column: i + 1, value: 0, kind: 'left' };
    for (const node of column) {
      if (node.kind === 'left') continue;
      const gone = node.value - [...flows.values()].reduce((sum, { source, value }) => (source === node ? sum + value : sum), 0);
      if (gone > 0) flow(node, left, gone);
      left.value += Math.max(0, gone);
    }
    if (left.value > 0) columns[i + 1]?.push(left);
  }
  const all = [...flows.values()];
  follow(columns, all);
  return { columns, flows: all, dropped: edges.length - forward.length };
}

/** Marks the widest way: from the largest page of the first column along the widest flow to a page each time. */
function follow([first = []]: readonly PathNode[][], flows: readonly PathFlow[]): void {
  let at = first.find(({ kind }) => kind === 'page');
  while (at) {
    const from = at;
    const [widest] = flows
      .filter(({ source, target }) => source === from && target.kind === 'page')
      .sort((a, b) => b.value - a.value);
    if (widest) widest.isFollowed = true;
    at = widest?.target;
  }
}
