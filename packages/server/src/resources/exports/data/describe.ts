import { type createZone, resolveDate } from '../../../analytics/index.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { describeDateRange, unwrapQuery } from '../../results/index.js';

/** The time of an export, and the time zone of its project. */
export interface ExportTime {
  /** Epoch milliseconds. */
  now: number;
  zone: ReturnType<typeof createZone>;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Queries whose date range is the last 7 days by default. */
const DATED: ReadonlySet<unknown> = new Set(['TrendsQuery', 'FunnelsQuery', 'PathsQuery', 'StickinessQuery', 'LifecycleQuery']);

/**
 * The days of a query in words; empty: it has no date range.
 *
 * @example describeDays({ dateRange: { date_from: '-30d' } }, time) // '24 Oct to 23 Nov 2026'
 */
export function describeDays(query: JsonObject, time: ExportTime): string {
  const { dateRange, kind } = unwrapQuery(query);
  const { date_from: from = null, date_to: to = null } = isObject(dateRange) ? dateRange : {};
  if (from === null && to === null && !DATED.has(kind)) return '';
  const [first, last] = [dayOf(from ?? '-7d', time), to ? dayOf(to, time, true) : dayAt(time.now, time)];
  if (first === null || last === null) return describeDateRange(query);
  const [start, end] = [new Date(first), new Date(last)];
  if (first === last) return written(end, true);
  return `${written(start, start.getUTCFullYear() !== end.getUTCFullYear())} to ${written(end, true)}`;
}

/** The dates that more than half of the charts with dates share; empty: none. */
export function sharedDays(all: readonly string[]): string {
  const dated = all.filter(Boolean);
  return dated.find((days) => dated.filter((other) => other === days).length * 2 > dated.length) ?? '';
}

const DAY_MS = 86_400_000;

/** The local day of a date as UTC midnight; null: the date is a time of day, or no date. */
function dayOf(text: Json, time: ExportTime, isEnd = false): number | null {
  const date = typeof text === 'string' ? resolveDate(text, time) : null;
  if (!date || date.end === null) return null;
  return dayAt(isEnd ? date.end - 1 : date.instant, time);
}

const dayAt = (instant: number, { zone }: ExportTime): number => Math.floor(zone.toLocal(instant) / DAY_MS) * DAY_MS;

const written = (day: Date, hasYear: boolean): string =>
  `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}${hasYear ? ` ${day.getUTCFullYear()}` : ''}`;

/** The metric that the results of an experiment are of; empty: no experiment, one without a metric, or several whose names are in its table. */
export function describeMetric(query: JsonObject, results: unknown): string {
  const { kind, metric_uuids: several } = unwrapQuery(query);
  if (kind !== 'ExperimentQuery' || !isObject(results) || (Array.isArray(several) && several.length > 0)) return '';
  const { metrics, metrics_secondary: secondary } = results;
  const [metric] = [metrics ?? [], secondary ?? []].flat();
  return isObject(metric) && typeof metric['name'] === 'string' ? metric['name'] : '';
}

/** When something was made: `23 Nov 2026, 16:34, Copenhagen time`. */
export function describeTime({ now, zone }: ExportTime): string {
  const local = new Date(zone.toLocal(now));
  return `${written(local, true)}, ${local.toISOString().slice(11, 16)}, ${describeZone(zone.name)}`;
}

/** A time zone in words: `Copenhagen time`. */
export function describeZone(timezone: string): string {
  if (!timezone.includes('/')) return timezone;
  const place = timezone.slice(timezone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return timezone.startsWith('Etc/') ? place : `${place} time`;
}

const OPERATORS: Readonly<Record<string, string>> = {
  exact: 'is',
  is_not: 'is not',
  icontains: 'contains',
  not_icontains: 'does not contain',
  regex: 'matches',
  not_regex: 'does not match',
  gt: 'is over',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  is_date_before: 'is before',
  is_date_after: 'is after',
};

/** Filters of a dashboard in words, without its dates: `plan is not internal, country is any of 4`. */
export function describeFilters({ properties, breakdown_filter: breakdown }: JsonObject): string {
  const by = isObject(breakdown) && typeof breakdown['breakdown'] === 'string' ? [`by ${nameOf(breakdown['breakdown'])}`] : [];
  return [...conditionsOf(properties ?? null), ...by].join(', ');
}

function conditionsOf(properties: Json): string[] {
  if (Array.isArray(properties)) return properties.flatMap(conditionsOf);
  if (!isObject(properties)) return [];
  const { values, key, operator, value = null, type } = properties;
  if (Array.isArray(values)) return conditionsOf(values);
  if (type === 'cohort') return [`cohort ${wordsOf(value)}`];
  if (typeof key !== 'string') return [];
  const name = nameOf(key);
  const verb = typeof operator === 'string' ? (OPERATORS[operator] ?? operator.replaceAll('_', ' ')) : 'is';
  return [operator === 'is_set' || operator === 'is_not_set' ? `${name} ${verb}` : `${name} ${verb} ${wordsOf(value)}`];
}

/** The name of a property; those of SDKs without their signs. */
const nameOf = (key: string): string => (key.startsWith('$') ? key.replace(/^\$(geoip_)?/, '').replaceAll('_', ' ') : key);

function wordsOf(value: Json): string {
  if (!Array.isArray(value)) return String(value);
  return value.length > 2 ? `any of ${value.length}` : value.map(String).join(' or ');
}
