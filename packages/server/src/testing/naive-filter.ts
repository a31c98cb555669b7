import type { Json } from '../kernel/json.js';
import type { Operator } from '../query/filter.js';

/** Property filters read as plainly as possible, in UTC: what the engine's answers are compared with. */
export function passes(operator: Operator, own: Json | undefined, asked: Json | undefined, now: number): boolean {
  const set = own !== undefined && own !== null && JSON.stringify(own) !== '{}';
  if (operator === 'is_set') return set;
  if (operator === 'is_not_set') return !set;
  const values = (Array.isArray(asked) ? asked : [asked ?? '']).map(textOf);
  const text = set && !(typeof own === 'object' && !Array.isArray(own)) ? textOf(own) : null;
  const positive = POSITIVE[operator];
  if (positive) return text !== null && values.some((value) => positive(text, value));
  if (operator.endsWith('regex')) return regex(text, values[0] ?? '', operator === 'regex');
  if (operator === 'not_between') return text === null || outside(numberOf(text), values);
  if (operator === 'between') return numberOf(text) !== null && !outside(numberOf(text), values);
  if (operator.startsWith('is_date')) return date(operator, own, values[0] ?? '', now);
  if (operator.startsWith('semver')) return semver(operator, text ?? '', values[0] ?? '');
  const opposite = POSITIVE[OPPOSITES[operator] ?? ''];
  if (opposite) return text === null || !values.some((value) => opposite(text, value));
  return compare(operator, numberOf(text), Number(values[0]));
}

const textOf = (value: Json): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value).replace('e+', 'e') : JSON.stringify(value);
};

const ascii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const contains = (text: string, value: string) => ascii(text).includes(ascii(value));

const POSITIVE: Record<string, (text: string, value: string) => boolean> = {
  exact: (text, value) => text.toLowerCase() === value.toLowerCase(),
  icontains: contains,
  icontains_multi: contains,
  starts_with: (text, value) => ascii(text).startsWith(ascii(value)),
  ends_with: (text, value) => ascii(text).endsWith(ascii(value)),
};
const OPPOSITES: Record<string, string> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
};

function regex(text: string | null, pattern: string, wanted: boolean): boolean {
  // what RE2 does not know is broken
  if (pattern === '(' || pattern.includes('(?=')) return false;
  const insensitive = pattern.startsWith('(?i)');
  const found = text !== null && new RegExp(pattern.replace('(?i)', ''), insensitive ? 'i' : '').test(text);
  return found === wanted;
}

function numberOf(text: string | null): number | null {
  return text !== null && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

const outside = (number: number | null, [low, high]: string[]): boolean =>
  number !== null && (number < Number(low) || number > Number(high));

function compare(operator: Operator, left: number | null, right: number): boolean {
  if (left === null) return false;
  if (operator === 'gt') return left > right;
  if (operator === 'gte') return left >= right;
  return operator === 'lt' ? left < right : left <= right;
}

function instantOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return Math.abs(value) < 1e11 ? value * 1000 : value;
  const match =
    typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)([T ](\d\d:\d\d:\d\d(\.\d+)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(value) : null;
  if (!match) return null;
  const day = Date.parse(`${match[1]}T00:00:00Z`);
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== match[1]) return null;
  return Date.parse(`${match[1]}T${match[3] ?? '00:00:00'}${match[5] ?? 'Z'}`);
}

const HOUR = 3_600_000;

function date(operator: Operator, own: Json | undefined, asked: string, now: number): boolean {
  const left = instantOf(own);
  const relative = /^-?(\d+)([hdwmy])$/.exec(asked);
  const right = relative ? ago(now, Number(relative[1]), relative[2] ?? '') : instantOf(asked);
  if (left === null || right === null) return false;
  if (operator === 'is_date_before') return left < right;
  if (operator === 'is_date_after') return left > right;
  return /^\d{4}-\d\d-\d\d$/.test(asked) ? left >= right && left < right + 24 * HOUR : left === right;
}

function ago(now: number, count: number, unit: string): number {
  if (unit === 'h') return now - count * HOUR;
  if (unit === 'd' || unit === 'w') return now - count * (unit === 'd' ? 24 : 168) * HOUR;
  const date = new Date(now);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() - count * (unit === 'y' ? 12 : 1);
  const last = new Date(Date.UTC(0, months + 1, 0)).getUTCDate();
  return Date.UTC(Math.floor(months / 12), months % 12, Math.min(date.getUTCDate(), last)) + (now % (24 * HOUR));
}

interface Version {
  numbers: number[];
  pre: string[];
}

function versionOf(text: string): Version | null {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?(?:\+.*)?$/.exec(text);
  if (!match) return null;
  return { numbers: [match[1], match[2], match[3]].map((part) => Number(part ?? 0)), pre: match[4] ? match[4].split('.') : [] };
}

function order(a: Version, b: Version): number {
  const numbers = a.numbers.map((number, index) => number - (b.numbers[index] ?? 0)).find((difference) => difference !== 0);
  if (numbers) return numbers;
  if (a.pre.length === 0 || b.pre.length === 0) return Number(a.pre.length === 0) - Number(b.pre.length === 0);
  for (const [index, left] of a.pre.entries()) {
    const right = b.pre[index];
    if (right === undefined) return 1;
    if (left === right) continue;
    const [leftNumber, rightNumber] = [left, right].map((part) => /^\d+$/.test(part));
    if (leftNumber && rightNumber) return Number(left) - Number(right);
    if (leftNumber !== rightNumber) return leftNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.pre.length - b.pre.length;
}

function semver(operator: Operator, own: string, asked: string): boolean {
  const left = versionOf(own);
  if (!left) return false;
  if (operator === 'semver_wildcard') {
    const wanted = asked.split('.').slice(0, -1).map(Number);
    const low = { numbers: [...wanted, 0, 0, 0].slice(0, 3), pre: [] };
    const high = { numbers: [...wanted.slice(0, -1), (wanted.at(-1) ?? 0) + 1, 0, 0, 0].slice(0, 3), pre: [] };
    return order(left, low) >= 0 && (wanted.length === 0 || order(left, high) < 0);
  }
  const right = versionOf(asked);
  if (!right) return false;
  const [major = 0, minor = 0, patch = 0] = right.numbers;
  const below = (numbers: number[]) => order(left, right) >= 0 && order(left, { numbers, pre: [] }) < 0;
  if (operator === 'semver_tilde') return below([major, minor + 1, 0]);
  if (operator === 'semver_caret') {
    if (major > 0) return below([major + 1, 0, 0]);
    return minor > 0 ? below([0, minor + 1, 0]) : below([0, 0, patch + 1]);
  }
  const sign = Math.sign(order(left, right));
  const wanted: Record<string, number[]> = { eq: [0], neq: [-1, 1], gt: [1], gte: [0, 1], lt: [-1], lte: [-1, 0] };
  return wanted[operator.replace('semver_', '')]?.includes(sign) ?? false;
}
