import { dayOf, momentOf, parseDate, parseRelativeDate } from './dates.js';
import { searchBounded } from './regex.js';
import type { Cell, Run } from './run.js';
import { compareVersions, parseRange, parseVersion } from './semver.js';
import type { Environment } from './types.js';
import { asciiLower, isBooleanLike, isTruthy, manyOf, numberOf, textOf } from './value.js';

/** Tests one present property; null: undecidable, which never matches, negated or not. */
export type Matches = (cell: Cell, run: Run) => boolean | null;

export interface Operator {
  readonly matches: Matches;
  /** Whether the result is inverted; an absent property then matches. */
  readonly negated: boolean;
}

const COMPARISONS = new Map<string, (difference: number) => boolean>([
  ['eq', (difference) => difference === 0],
  ['neq', (difference) => difference !== 0],
  ['gt', (difference) => difference > 0],
  ['gte', (difference) => difference >= 0],
  ['lt', (difference) => difference < 0],
  ['lte', (difference) => difference <= 0],
]);

const TEXTS = new Map<string, 'includes' | 'startsWith' | 'endsWith'>([
  ['icontains', 'includes'],
  ['icontains_multi', 'includes'],
  ['starts_with', 'startsWith'],
  ['ends_with', 'endsWith'],
]);

const DATES = new Map([
  ['is_date_exact', 'eq'],
  ['is_date_before', 'lt'],
  ['is_date_after', 'gt'],
]);

function exact(value: unknown): Matches {
  if (isBooleanLike(value)) {
    const wanted = isTruthy(value);
    return (cell) => isTruthy(cell.value) === wanted;
  }
  const texts = manyOf(value).map((item) => textOf(item).toLowerCase());
  // most filters have one value, for which a set is slower
  const [only] = texts;
  const set = texts.length > 1 && new Set(texts);
  return ({ texts: { lower } }) => (set ? set.has(lower) : lower === only);
}

/** Reads the number of a filter; people type spaces around it. */
export const boundOf = (value: unknown): number => numberOf(textOf(value).trim());

function between(value: unknown): Matches | undefined {
  const [low = Number.NaN, high = Number.NaN, more] = manyOf(value).map(boundOf);
  if (!(low <= high && more === undefined)) return undefined;
  return ({ number }) => (Number.isNaN(number) ? null : number >= low && number <= high);
}

/** For dates without a time and for relative dates, equality means the same day. */
function date(comparison: string, value: unknown): Matches | undefined {
  const relative = parseRelativeDate(value);
  const absolute = parseDate(value);
  if (!relative && !absolute) return undefined;
  let zone: string | undefined;
  let at = absolute?.at ?? 0;
  const boundOf = ({ now, timeZone }: Environment) => {
    if (relative) return relative(now, timeZone);
    // cached per zone, because time zone conversion is slow
    if (absolute?.local && zone !== timeZone) at = momentOf(absolute.at, timeZone);
    zone = timeZone;
    return at;
  };
  const holds = COMPARISONS.get(comparison);
  const days = comparison === 'eq' && (relative || absolute?.whole);
  return (cell, { environment }) => {
    const { timeZone } = environment;
    const actual = cell.dateIn(timeZone);
    const bound = boundOf(environment);
    if (!holds || Number.isNaN(actual)) return null;
    return holds(days ? dayOf(actual, timeZone) - dayOf(bound, timeZone) : actual - bound);
  };
}

function semver(name: string, value: unknown): Matches | undefined {
  const compare = COMPARISONS.get(name);
  const { low, high } = (compare ? { low: parseVersion(value) } : parseRange(name, value)) ?? {};
  if (!low) return undefined;
  return (cell) => {
    const version = parseVersion(cell.value);
    if (!version) return null;
    const difference = compareVersions(version, low);
    return compare ? compare(difference) : difference >= 0 && (!high || compareVersions(version, high) < 0);
  };
}

function matcherOf(name: string, value: unknown): Matches | undefined {
  if (name === 'is_set') return () => true;
  if (value === undefined || value === null) return undefined;
  if (name === 'exact') return exact(value);
  const inText = TEXTS.get(name);
  if (inText) {
    const parts = manyOf(value).map((part) => asciiLower(textOf(part)));
    return ({ texts: { ascii } }) => parts.some((part) => ascii[inText](part));
  }
  if (name === 'regex') {
    return ({ texts: { text } }, { environment: { matchesRegex = searchBounded } }) => {
      const found = manyOf(value).map((pattern) => matchesRegex(textOf(pattern), text));
      return found.includes(null) ? null : found.includes(true);
    };
  }
  if (name === 'between') return between(value);
  const [single, ...more] = manyOf(value);
  if (more.length) return undefined;
  const comparison = DATES.get(name);
  if (comparison) return date(comparison, single);
  if (name.startsWith('semver_')) return semver(name.slice(7), single);
  const compare = /^[gl]te?$/.test(name) && COMPARISONS.get(name);
  const bound = boundOf(single);
  return compare && !Number.isNaN(bound) ? ({ number }) => compare(number - bound) : undefined;
}

/** Compiles an operator with its value; undefined: an unknown operator, or a value that it cannot use. */
export function operatorOf(operator: unknown, value: unknown): Operator | undefined {
  const name = String(operator ?? 'exact');
  const opposite = /^(?:is_not(_set)?|not_(icontains|icontains_multi|starts_with|ends_with|regex|between))$/.exec(name);
  const matches = matcherOf(opposite ? (opposite[2] ?? (opposite[1] ? 'is_set' : 'exact')) : name, value);
  return matches && { matches, negated: opposite !== null };
}
