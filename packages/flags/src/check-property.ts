import type { KnownThings } from './check.js';
import { parseDate, parseRelativeDate } from './dates.js';
import { boundOf, operatorOf } from './operators.js';
import { parseRange, parseVersion } from './semver.js';
import { manyOf, numberOf, textOf } from './value.js';

const TYPES = ['person', 'group', 'cohort', 'flag', 'person_metadata'];
const MOST_CHARACTERS = 1000;

/** Reports the first fault of one property filter. */
export function checkProperty(
  property: Record<string, unknown>,
  path: string,
  known: KnownThings,
  report: (path: string, message: string) => void,
): void {
  const { key, type, operator, value, negation, group_type_index: group } = property;
  const fail = (field: string, message: string) => report(`${path}.${field}`, message);
  if (type !== undefined && type !== null && !TYPES.includes(String(type))) {
    fail('type', `Must be one of ${TYPES.join(', ')}.`);
    return;
  }
  if (operator !== undefined && operator !== null && typeof operator !== 'string') {
    fail('operator', 'Must be text.');
    return;
  }
  if (negation === true) {
    fail('negation', 'Only conditions of cohorts can be negated; flags have operators such as is_not and not_in.');
    return;
  }
  if (type === 'cohort') {
    checkCohort(operator, value, known, fail);
    return;
  }
  if (typeof key !== 'string' || key === '') {
    fail('key', 'Must be text that is not empty.');
    return;
  }
  if (type === 'flag') {
    checkFlag(key, operator, value, known, fail);
    return;
  }
  if (group !== undefined && group !== null && (typeof group !== 'number' || !known.groupTypes.has(group))) {
    fail('group_type_index', 'There is no such group type.');
    return;
  }
  const message = faultOfValue(operator ?? 'exact', value, known);
  if (message) {
    fail('value', message);
    return;
  }
  if (!operatorOf(operator, value)) fail('operator', `There is no operator ${operator}.`);
}

type Fail = (field: string, message: string) => void;

function checkCohort(operator: unknown, value: unknown, { cohortIds }: KnownThings, fail: Fail): void {
  if (operator && !['in', 'not_in', 'exact'].includes(String(operator))) {
    fail('operator', 'Must be in or not_in.');
    return;
  }
  for (const id of manyOf(value)) {
    if (!cohortIds.has(numberOf(id))) {
      fail('value', `There is no cohort ${textOf(id)}.`);
      return;
    }
  }
}

function checkFlag(key: string, operator: unknown, value: unknown, { flagKeys }: KnownThings, fail: Fail): void {
  if (!flagKeys.has(key)) {
    fail('key', `There is no flag ${key}.`);
    return;
  }
  if (operator && !['flag_evaluates_to', 'exact'].includes(String(operator))) {
    fail('operator', 'Must be flag_evaluates_to.');
    return;
  }
  if (typeof value !== 'boolean' && typeof value !== 'string') fail('value', 'Must be true, false, or the key of a variant.');
}

/** The error text of a value that the operator cannot use; undefined: the value fits, or the operator does not exist. */
function faultOfValue(operator: string, value: unknown, { isRegex = isJavaScriptRegex }: KnownThings): string | undefined {
  if (operator === 'is_set' || operator === 'is_not_set') return undefined;
  if (value === undefined || value === null) return 'Must not be empty.';
  if (/between$/.test(operator)) {
    const [low, high, ...more] = manyOf(value).map(boundOf);
    const sound = low !== undefined && high !== undefined && low <= high && !more.length;
    return sound ? undefined : 'Must be a list of two numbers, the smaller first.';
  }
  if (/^(exact|is_not|(not_)?icontains_multi)$/.test(operator)) {
    return Array.isArray(value) && value.length === 0 ? 'Must not be an empty list.' : undefined;
  }
  if (Array.isArray(value)) return 'Must be a single value, not a list.';
  if (/^(not_)?regex$/.test(operator)) return faultOfPattern(textOf(value), isRegex);
  if (/^[gl]te?$/.test(operator)) return Number.isFinite(boundOf(value)) ? undefined : 'Must be a number.';
  if (operator.startsWith('is_date_')) {
    return parseRelativeDate(value) || parseDate(value)
      ? undefined
      : 'Must be a date such as 2026-01-31, or a time ago such as -7d.';
  }
  if (/^semver_(tilde|caret|wildcard)$/.test(operator)) {
    return parseRange(operator.slice(7), value)
      ? undefined
      : `Must be a version such as ${operator === 'semver_wildcard' ? '1.2.*' : '1.2.3'}.`;
  }
  if (operator.startsWith('semver_')) return parseVersion(value) ? undefined : 'Must be a version such as 1.2.3.';
  return undefined;
}

function faultOfPattern(pattern: string, isRegex: (pattern: string) => boolean): string | undefined {
  if (pattern.length > MOST_CHARACTERS) return `Must not be longer than ${MOST_CHARACTERS} characters.`;
  return isRegex(pattern) ? undefined : 'Must be a valid regular expression.';
}

function isJavaScriptRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== null;
  } catch {
    return false;
  }
}
