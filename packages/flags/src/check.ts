import { checkProperty } from './check-property.js';
import { isRecord } from './value.js';

/** What filters may reference. */
export interface KnownThings {
  /** Keys of flags, and their ids as text. */
  readonly flagKeys: ReadonlySet<string>;
  readonly cohortIds: ReadonlySet<number>;
  /** Group type indexes. */
  readonly groupTypes: ReadonlySet<number>;
  /** Whether the evaluating engine accepts the pattern; default: whether JavaScript does. */
  isRegex?(pattern: string): boolean;
}

/** One problem. `path` is relative to the filters: `groups[0].properties[1].value`. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Tolerance of the sum of variants: three thirds of 33.33 make 99.99. */
const ROUNDING = 0.05;

/** Whether percentages of variants sum to 100. */
export const isWhole = (sum: number): boolean => Math.abs(sum - 100) <= ROUNDING;

type Report = (path: string, message: string) => void;

/** Discards reports of a second walk over a list, which the first walk has made already. */
const reported: Report = () => {};

/** Validates a flag's filters. Returns all problems in the order of the filters; empty: the filters are valid. */
export function checkFilters(filters: unknown, known: KnownThings): Fault[] {
  const faults: Fault[] = [];
  const report: Report = (path, message) => faults.push({ path, message });
  if (!isRecord(filters)) {
    report('filters', 'Must be an object.');
    return faults;
  }
  for (const name of ['groups', 'super_groups', 'holdout_groups']) {
    each(filters[name], name, report, (condition, path) => checkCondition(condition, path, known, report));
  }
  each(filters['super_groups'], 'super_groups', reported, ({ properties }, path) =>
    each(properties, `${path}.properties`, reported, ({ type }, at) => {
      if (type === 'flag') report(`${at}.type`, 'People choose about early access, other flags do not.');
    }),
  );
  const variants = checkVariants(filters['multivariate'], report);
  each(filters['groups'], 'groups', reported, ({ variant }, path) => {
    if (variant === undefined || variant === null || variants.has(variant)) return;
    report(`${path}.variant`, 'There is no such variant.');
  });
  checkPayloads(filters['payloads'], variants, report);
  checkGroupType(filters['aggregation_group_type_index'], 'aggregation_group_type_index', known, report);
  for (const name of ['early_exit', 'feature_enrollment']) {
    const value = filters[name];
    if (value !== undefined && value !== null && typeof value !== 'boolean') report(name, 'Must be true or false.');
  }
  checkHoldout(filters['holdout'], report);
  return faults;
}

/** Yields the objects of a list and reports other items. Absent and null lists count as empty. */
function each(list: unknown, path: string, report: Report, visit: (item: Record<string, unknown>, path: string) => void): void {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list)) {
    report(path, 'Must be a list.');
    return;
  }
  for (const [index, item] of list.entries()) {
    if (isRecord(item)) visit(item, `${path}[${index}]`);
    else report(`${path}[${index}]`, 'Must be an object.');
  }
}

function checkCondition(condition: Record<string, unknown>, path: string, known: KnownThings, report: Report): void {
  each(condition['properties'], `${path}.properties`, report, (property, at) => checkProperty(property, at, known, report));
  const { rollout_percentage: percentage, aggregation_group_type_index: group, variant } = condition;
  if (percentage !== undefined && percentage !== null) checkPercentage(percentage, `${path}.rollout_percentage`, report);
  checkGroupType(group, `${path}.aggregation_group_type_index`, known, report);
  if (variant !== undefined && variant !== null && typeof variant !== 'string') report(`${path}.variant`, 'Must be text.');
}

function checkPercentage(value: unknown, path: string, report: Report): value is number {
  if (typeof value === 'number' && value >= 0 && value <= 100) return true;
  report(path, 'Must be a number from 0 to 100.');
  return false;
}

function checkGroupType(index: unknown, path: string, { groupTypes }: KnownThings, report: Report): void {
  if (index === undefined || index === null) return;
  if (typeof index !== 'number' || !groupTypes.has(index)) report(path, 'There is no such group type.');
}

/** Checks the variants and returns their keys. */
function checkVariants(multivariate: unknown, report: Report): ReadonlySet<unknown> {
  const keys = new Set<unknown>();
  if (multivariate === undefined || multivariate === null) return keys;
  if (!isRecord(multivariate)) {
    report('multivariate', 'Must be an object.');
    return keys;
  }
  let sum = 0;
  let sound = true;
  each(multivariate['variants'], 'multivariate.variants', report, ({ key, rollout_percentage: percentage }, path) => {
    if (typeof key !== 'string' || key === '') report(`${path}.key`, 'Must be text that is not empty.');
    else if (keys.has(key)) report(`${path}.key`, 'Another variant has this key.');
    keys.add(key);
    if (checkPercentage(percentage, `${path}.rollout_percentage`, report)) sum += percentage;
    else sound = false;
  });
  if (sound && keys.size > 0 && !isWhole(sum)) {
    report(
      'multivariate.variants',
      `The percentages of all variants must sum to 100, and they sum to ${Number(sum.toFixed(4))}.`,
    );
  }
  return keys;
}

function checkPayloads(payloads: unknown, variants: ReadonlySet<unknown>, report: Report): void {
  if (payloads === undefined || payloads === null) return;
  if (!isRecord(payloads)) {
    report('payloads', 'Must be an object.');
    return;
  }
  for (const [key, payload] of Object.entries(payloads)) {
    // some SDKs return invalid JSON as text, others nothing
    if (typeof payload === 'string' && !isJson(payload)) report(`payloads.${key}`, 'Must be JSON.');
    if (variants.has(key) || (key === 'true' && variants.size === 0)) continue;
    report(
      `payloads.${key}`,
      variants.size ? 'There is no such variant.' : 'A flag without variants has one payload, named true.',
    );
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkHoldout(holdout: unknown, report: Report): void {
  if (holdout === undefined || holdout === null) return;
  if (!isRecord(holdout)) {
    report('holdout', 'Must be an object.');
    return;
  }
  const { id, exclusion_percentage: percentage } = holdout;
  if (typeof id !== 'number' && typeof id !== 'string') report('holdout.id', 'Must be a number or text.');
  checkPercentage(percentage, 'holdout.exclusion_percentage', report);
}
