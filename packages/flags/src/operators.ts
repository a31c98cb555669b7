import { dayOf, momentOf, parseDate, parseRelativeDate } from './dates.js';
import type { Cell, Run } from './run.js';
import { compareVersions, parseRange, parseVersion } from './semver.js';
import { asciiLower, isBooleanLike, isTruthy, numberOf, textOf } from './value.js';

/** Looks at one property that is there. */
export type Matches = (cell: Cell, run: Run) => boolean;

export interface Operator {
  readonly matches: Matches;
  /** The answer when the property is absent. */
  readonly absent: boolean;
}

const inText = (holds: (text: string, part: string) => boolean) => (value: unknown) => {
  const part = asciiLower(textOf(value));
  return (cell: Cell) => holds(cell.ascii, part);
};

const compareNumbers = (holds: (actual: number, bound: number) => boolean) => (value: unknown) => {
  const bound = numberOf(value);
  return (cell: Cell) => holds(cell.number, bound);
};

const compareSemver = (holds: (difference: number) => boolean) => (value: unknown) => {
  const bound = parseVersion(value);
  if (!bound) return undefined;
  return (cell: Cell) => {
    const version = parseVersion(cell.value);
    return version !== undefined && holds(compareVersions(version, bound));
  };
};

const compareDates = (holds: (actual: number, bound: number) => boolean) => (value: unknown) => {
  const boundOf = dateBound(value);
  return boundOf && ((cell: Cell, run: Run) => holds(cell.dateIn(run.timeZone), boundOf(run)));
};

function dateBound(value: unknown): ((run: Run) => number) | undefined {
  const relative = parseRelativeDate(value);
  if (relative) return (run) => relative(run.now, run.timeZone);
  const date = parseDate(value);
  if (!date) return undefined;
  if (!date.local) return () => date.at;
  let zone: string | undefined;
  let at = date.at;
  return (run) => {
    // looked up once for a project's zone: the time zone tables are slow
    if (zone !== run.timeZone) at = momentOf(date.at, run.timeZone);
    zone = run.timeZone;
    return at;
  };
}

/** Dates without a time, and relative ones, mean their whole day. */
function sameDate(value: unknown): Matches | undefined {
  const boundOf = dateBound(value);
  if (!boundOf) return undefined;
  if (!parseRelativeDate(value) && !parseDate(value)?.wholeDay) return (cell, run) => cell.dateIn(run.timeZone) === boundOf(run);
  return (cell, run) => dayIn(cell.dateIn(run.timeZone), run) === dayIn(boundOf(run), run);
}

const dayIn = (at: number, { timeZone }: Run) => (Number.isNaN(at) ? at : dayOf(at, timeZone));

function exact(value: unknown): Matches {
  if (isBooleanLike(value)) {
    const wanted = isTruthy(value);
    return (cell) => isTruthy(cell.value) === wanted;
  }
  if (!Array.isArray(value)) {
    const text = textOf(value).toLowerCase();
    return (cell) => cell.lower === text;
  }
  const texts = new Set(value.map((item) => textOf(item).toLowerCase()));
  return (cell) => texts.has(cell.lower);
}

function containsAny(value: unknown): Matches {
  const parts = (Array.isArray(value) ? value : [value]).map((part) => asciiLower(textOf(part)));
  return (cell) => parts.some((part) => cell.ascii.includes(part));
}

function between(inside: boolean, value: unknown): Matches | undefined {
  const [low, high] = Array.isArray(value) && value.length === 2 ? value.map(numberOf) : [];
  if (low === undefined || high === undefined || !(low <= high)) return undefined;
  return ({ number }) => !Number.isNaN(number) && (number >= low && number <= high) === inside;
}

function regex(found: boolean, value: unknown): Matches {
  const pattern = textOf(value);
  return (cell, run) => run.matchesRegex(pattern, cell.text) === found;
}

function range(operator: string, value: unknown): Matches | undefined {
  const holds = parseRange(operator, value);
  return (
    holds &&
    ((cell) => {
      const version = parseVersion(cell.value);
      return version !== undefined && holds(version);
    })
  );
}

const icontains = inText((text, part) => text.includes(part));
const startsWith = inText((text, part) => text.startsWith(part));
const endsWith = inText((text, part) => text.endsWith(part));
const not = (make: (value: unknown) => Matches) => (value: unknown) => {
  const matches = make(value);
  return (cell: Cell, run: Run) => !matches(cell, run);
};

/** By name: what makes a test of the filter's value; undefined when it cannot be made of it. */
const OPERATORS: Readonly<Record<string, (value: unknown) => Matches | undefined>> = {
  exact,
  is_not: not(exact),
  icontains,
  not_icontains: not(icontains),
  icontains_multi: containsAny,
  not_icontains_multi: not(containsAny),
  starts_with: startsWith,
  not_starts_with: not(startsWith),
  ends_with: endsWith,
  not_ends_with: not(endsWith),
  regex: (value) => regex(true, value),
  not_regex: (value) => regex(false, value),
  gt: compareNumbers((actual, bound) => actual > bound),
  gte: compareNumbers((actual, bound) => actual >= bound),
  lt: compareNumbers((actual, bound) => actual < bound),
  lte: compareNumbers((actual, bound) => actual <= bound),
  between: (value) => between(true, value),
  not_between: (value) => between(false, value),
  is_date_exact: sameDate,
  is_date_before: compareDates((actual, bound) => actual < bound),
  is_date_after: compareDates((actual, bound) => actual > bound),
  semver_eq: compareSemver((difference) => difference === 0),
  semver_neq: compareSemver((difference) => difference !== 0),
  semver_gt: compareSemver((difference) => difference > 0),
  semver_gte: compareSemver((difference) => difference >= 0),
  semver_lt: compareSemver((difference) => difference < 0),
  semver_lte: compareSemver((difference) => difference <= 0),
  semver_tilde: (value) => range('semver_tilde', value),
  semver_caret: (value) => range('semver_caret', value),
  semver_wildcard: (value) => range('semver_wildcard', value),
};

/** Reads an operator and its value once; undefined when there is no such operator or the value does not suit it. */
export function operatorOf(name: unknown, value: unknown): Operator | undefined {
  const operator = typeof name === 'string' ? name : 'exact';
  if (operator === 'is_set' || operator === 'is_not_set') {
    const present = operator === 'is_set';
    return { matches: () => present, absent: !present };
  }
  if (value === undefined || value === null || !Object.hasOwn(OPERATORS, operator)) return undefined;
  const matches = OPERATORS[operator]?.(value);
  return matches && { matches, absent: /^(is_)?not_?/.test(operator) };
}
