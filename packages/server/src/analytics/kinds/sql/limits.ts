import { type Expr, SqlFault } from './ast.js';

/** Maximum characters of a `like` pattern or regular expression. */
const MAX_PATTERN = 1_000;
/** Maximum ranges in a JSON path. Nested ranges multiply. */
const MAX_RANGES = 2;
const MAX_PLACE = 1_000;

/** Index of the pattern among the arguments, by function. */
const PATTERNS = new Map<string, number>([
  ...['like', 'ilike', 'notLike', 'notILike', 'match', 'multiMatchAny', 'countMatches', 'regexpExtract'].map(
    (name) => [name, 1] as const,
  ),
  ...['extract', 'extractAll', 'extractGroups', 'extractAllGroups', 'replaceRegexpOne', 'replaceRegexpAll'].map(
    (name) => [name, 1] as const,
  ),
  ['splitByRegexp', 0],
]);
const JSON_PATHS = new Set(['JSON_QUERY', 'JSON_VALUE', 'JSON_EXISTS']);

/**
 * Rejects arguments that make the engine compute a single row for minutes: it checks for cancellation between blocks of rows only.
 * @throws SqlFault
 */
export function refuseArguments(name: string, args: readonly Expr[]): void {
  const place = PATTERNS.get(name);
  if (place !== undefined) refusePattern(args[place]);
  if (JSON_PATHS.has(name)) refusePath(name, args[1]);
}

function refusePattern(pattern: Expr | undefined): void {
  if (pattern?.is === 'array') for (const one of pattern.of) refusePattern(one);
  if (pattern?.is !== 'text' || pattern.value.length <= MAX_PATTERN) return;
  throw new SqlFault(`A pattern may have ${MAX_PATTERN} characters.`);
}

function refusePath(name: string, path: Expr | undefined): void {
  if (path === undefined) return;
  if (path.is !== 'text') throw new SqlFault(`The path of ${name} must be a text that is written out, such as '$.a[0]'.`);
  const ranges = path.value.match(/\bto\b/gi) ?? [];
  const isFar = (path.value.match(/\d+/g) ?? []).some((number) => Number(number) > MAX_PLACE);
  if (ranges.length > MAX_RANGES || (isFar && ranges.length > 0)) {
    throw new SqlFault(`The path of ${name} may have ${MAX_RANGES} ranges, up to ${MAX_PLACE}.`);
  }
}

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
