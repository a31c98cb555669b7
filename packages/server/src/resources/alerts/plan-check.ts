import { lastIntervals, type Moment, type Query, querySchema, spanOf } from '../../analytics/index.js';
import { rejectUnknownFields } from '../../http/unknown-fields.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import { unwrapQuery } from '../results/index.js';
import type { Line } from './judge.js';
import type { Condition } from './schema.js';
import type { AlertConfig } from './store.js';

type TrendsQuery = Extract<Query, { kind: 'TrendsQuery' }>;

/** What an alert asks, and where its numbers are in the result. */
interface CheckPlan {
  query: Query;
  /** The lines that are compared, from the result of the query. */
  linesOf(results: unknown): Line[];
}

interface PlannedAlert {
  condition: Condition;
  config: AlertConfig;
}

/** A moment, and the day on which weeks begin. */
export interface CheckMoment extends Moment {
  weekStart: 0 | 1;
}

/**
 * Derives the query of a check from that of the insight: over the last two periods, or over the range of the insight for one number.
 * Periods that are not over are left out, unless the alert says otherwise.
 * @throws ApiError invalid_input: the insight cannot have such an alert
 */
export function planCheck(insightQuery: JsonObject | null, alert: PlannedAlert, moment: CheckMoment): CheckPlan {
  const inner = insightQuery && unwrapQuery(insightQuery);
  if (inner?.['kind'] !== 'TrendsQuery') {
    throw new ApiError('invalid_input', 'Only an insight that is a trend can have alerts.', 'insight');
  }
  const query = parse(inner);
  const { series, trends } = query;
  const { series_index: index } = alert.config;
  const choices = trends.formulas.length || series.length;
  if (index >= choices) {
    const what = trends.formulas.length > 0 ? 'formula' : 'series';
    throw new ApiError(
      'invalid_input',
      `The insight has no ${what} ${index}: the last one is ${choices - 1}.`,
      'config__series_index',
    );
  }
  return trends.isTotal ? planTotal(inner, query, alert, moment) : planIntervals(inner, query, alert, moment);
}

/** @throws ApiError about the field `insight` */
function parse(inner: JsonObject): TrendsQuery {
  try {
    const query = validate(querySchema, inner);
    rejectUnknownFields(querySchema, inner);
    if (query.kind === 'TrendsQuery') return query;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { detail, attr } = error.body;
    const where = attr === null ? '' : ` (${attr.replaceAll('__', ' › ')})`;
    throw new ApiError('invalid_input', `The query of the insight is not valid: ${detail}${where}`, 'insight');
  }
  throw new ApiError('invalid_input', 'Only an insight that is a trend can have alerts.', 'insight');
}

/** An instant as a query writes it. */
const instantText = (instant: number): string => new Date(instant).toISOString();

/** The last instant before an exclusive end. */
const lastInstant = (end: number): string => instantText(end - 1);

/** Compares the last interval with the one before it. */
function planIntervals(
  inner: JsonObject,
  { interval, trends, dateFrom, dateTo, explicitDate }: TrendsQuery,
  { config }: PlannedAlert,
  moment: CheckMoment,
): CheckPlan {
  // a moving average needs the intervals before
  const count = trends.smoothing + 1;
  const last = lastIntervals(interval, count, moment, { weekStart: moment.weekStart, isOngoing: config.check_ongoing_interval });
  // running totals begin where the insight begins
  const own = trends.cumulative ? spanOf({ dateFrom, dateTo, explicitDate }, interval, moment, null).from : last.from;
  const isFromTheFirst = trends.cumulative && dateFrom === 'all';
  const dateRange = {
    date_from: isFromTheFirst ? 'all' : instantText(Math.min(own, last.from)),
    date_to: last.to === null ? null : lastInstant(last.to),
  };
  const query = parse({ ...inner, dateRange, compareFilter: null });
  const at = (data: unknown, place: number): number => Number((Array.isArray(data) ? data.at(place) : undefined) ?? 0);
  return {
    query,
    linesOf: (results) => {
      const lines = ofSeries(results, config.series_index);
      const found = lines.map(({ label, data, days }): Line => {
        const day = Array.isArray(days) ? String(days.at(-1) ?? '') : '';
        return { label: String(label ?? ''), current: at(data, -1), previous: at(data, -2), period: periodText(interval, day) };
      });
      return found.length > 0 ? found : [nothing('in the period')];
    },
  };
}

/** Compares one number with that of the range before. */
function planTotal(inner: JsonObject, query: TrendsQuery, { condition, config }: PlannedAlert, moment: CheckMoment): CheckPlan {
  const { interval, dateFrom, dateTo, explicitDate, trends } = query;
  const range = { dateFrom, dateTo, explicitDate };
  const { from, to } = spanOf(range, interval, moment, null);
  const unit = isByHours(query) ? 'hour' : 'day';
  const { to: over } = lastIntervals(unit, 1, moment, { weekStart: moment.weekStart, isOngoing: false });
  const isCut = !config.check_ongoing_interval && over !== null && to > over;
  if (isCut && over !== null && dateFrom !== 'all' && from >= over) {
    throw new ApiError(
      'invalid_input',
      `The range of the insight has no ${unit} that is over. Choose a longer range, or check the period that is not over, too.`,
      'config__check_ongoing_interval',
    );
  }
  const end = isCut && over !== null ? over : to;
  const own = inner['dateRange'];
  const dateRange = isCut && over !== null ? { ...(own as JsonObject | null), date_to: lastInstant(over) } : own;
  const settings = inner['trendsFilter'];
  const checkQuery = parse({
    ...inner,
    ...(dateRange === undefined ? {} : { dateRange }),
    compareFilter: { compare: condition.type !== 'absolute_value' },
    // a number tile shows the number of all events, and needs its sparkline not
    ...(trends.isNumber ? { breakdownFilter: null, trendsFilter: { ...(settings as JsonObject), display: 'ActionsTable' } } : {}),
  });
  const period = rangeText(dateFrom === 'all' ? null : from, end, moment);
  return {
    query: checkQuery,
    linesOf: (results) => {
      const lines = ofSeries(results, config.series_index);
      const before = ofSeries(results, config.series_index, 'previous');
      const same = (one: ResultLine) => before.find((other) => keyOf(other) === keyOf(one));
      const found = lines.map(
        (one): Line => ({
          label: String(one.label ?? ''),
          current: Number(one.aggregated_value ?? 0),
          previous: Number(same(one)?.aggregated_value ?? 0),
          period,
        }),
      );
      const isGone = (one: ResultLine) => !lines.some((other) => keyOf(other) === keyOf(one));
      const gone = before.filter(isGone).map((one): Line => {
        return { label: String(one.label ?? ''), current: 0, previous: Number(one.aggregated_value ?? 0), period };
      });
      const all = [...found, ...gone];
      return all.length > 0 ? all : [nothing(period)];
    },
  };
}

/** Whether the range of one number is meant by the hour: today's hours that are over count then. */
const isByHours = ({ interval, dateFrom }: TrendsQuery): boolean =>
  interval === 'hour' || interval === 'minute' || /^[-+]?\d+[hM]$/.test(dateFrom ?? '');

/** What a result without a line stands for: no breakdown value had an event. */
const nothing = (period: string): Line => ({ label: 'All values', current: 0, previous: 0, period });

/** A line of the result of a trend. */
interface ResultLine {
  label?: unknown;
  data?: unknown;
  days?: unknown;
  aggregated_value?: unknown;
  breakdown_value?: unknown;
}

const keyOf = ({ breakdown_value: value }: ResultLine): string => JSON.stringify(value ?? null);

/** The lines of one series or formula, of the range or of the one before. */
function ofSeries(results: unknown, index: number, compare: 'current' | 'previous' = 'current'): ResultLine[] {
  const lines = Array.isArray(results) ? (results as (ResultLine & { order?: unknown; compare_label?: unknown })[]) : [];
  return lines.filter(({ order, compare_label: label = 'current' }) => order === index && label === compare);
}

/** When an interval was, from its entry in `days`. */
function periodText(interval: TrendsQuery['interval'], day: string): string {
  switch (interval) {
    case 'minute':
    case 'hour':
      return `at ${day.slice(0, 16)}`;
    case 'day':
      return `on ${day}`;
    case 'week':
      return `in the week of ${day}`;
    case 'month':
      return `in ${day.slice(0, 7)}`;
  }
}

/** When a range was. @param from null: from the first event on */
function rangeText(from: number | null, end: number, { zone }: Moment): string {
  const text = (instant: number): string => {
    const iso = new Date(zone.toLocal(instant)).toISOString();
    return iso.slice(11, 16) === '00:00' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
  };
  const isWhole = (instant: number): boolean => zone.toLocal(instant) % 86_400_000 === 0;
  const last = isWhole(end) ? text(end - 86_400_000 / 2).slice(0, 10) : text(end);
  if (from === null) return `until ${last}`;
  const first = text(from);
  return first === last ? `on ${first}` : `from ${first} to ${last}`;
}
