import type { Expr } from './ast.js';
import { SqlFault } from './sql-fault.js';

/*
 * Rejects arguments that make the engine compute a single row for minutes: it checks for cancellation between blocks of rows only.
 */

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

/** @throws SqlFault */
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
