import type { Expr } from './ast.js';
import { SqlFault } from './sql-fault.js';

/*
 * Arguments with which the engine computes a single row for minutes or longer, and does not look meanwhile whether it should stop.
 */

/** Characters of a pattern of `like`, or of a regular expression. */
const MAX_PATTERN = 1_000;
/** Where it has a list, each range is computed for each place of the one before it. */
const MAX_RANGES = 2;
const MAX_PLACE = 1_000;

/** The place of the pattern among the arguments of a function; all others have none. */
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
