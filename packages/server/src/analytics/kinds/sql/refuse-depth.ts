import { SqlFault } from './sql-fault.js';

const MAX_DEPTH = 400;

/**
 * Rejects syntax trees that are too deep for recursive functions. `1 + 1 + …` is as deep as it is long, so counting brackets is not enough.
 * Iterative and linear in the number of nodes, also with shared nodes.
 * @throws SqlFault
 */
export function refuseDepth(root: object): void {
  const depths = new Map<object, number>();
  const open: object[] = [root];
  for (let node = open.at(-1); node; node = open.at(-1)) {
    const children = Object.values(node).filter((value): value is object => typeof value === 'object' && value !== null);
    const unknown = children.filter((child) => !depths.has(child));
    if (unknown.length > 0) {
      for (const child of unknown) open.push(child);
      continue;
    }
    open.pop();
    // arrays do not count as a level
    const own = Array.isArray(node) ? 0 : 1;
    const depth = children.reduce((most, child) => Math.max(most, depths.get(child) ?? 0), 0) + own;
    if (depth > MAX_DEPTH) throw new SqlFault(`A query may be nested ${MAX_DEPTH} levels deep.`);
    depths.set(node, depth);
  }
}
