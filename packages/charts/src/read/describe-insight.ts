import { bucketText, endOf, momentOf, UNITS, unitOf } from '../axes/calendar-ticks.js';
import type { Insight, Series } from '../insight.js';
import { readInsight, withCountryNames } from './read-insight.js';
import { withReadableNames } from './readable-names.js';

/** When the numbers were computed. */
export interface ComputedAt {
  /** Epoch milliseconds. */
  now: number;
  /** IANA time zone of the project. */
  timezone: string;
}

/**
 * Reads a query and its response for people: what pages, pictures and documents show. Names and dates are words, and periods that were
 * not over when the numbers were computed are marked.
 *
 * @example describeInsight(query, { results }, { now: Date.now(), timezone: 'Europe/Berlin' })
 */
export function describeInsight(query: unknown, answer: unknown, computed: ComputedAt): Insight {
  const insight = withReadableNames(withCountryNames(readInsight(query, answer, computed.now), query));
  if (insight.kind !== 'series') return insight;
  const now = wallClock(computed);
  const withPoints = (one: Series): Series => ({
    ...withSparkline(one, now),
    ...(one.whole ? { whole: withSparkline(one.whole, now) } : {}),
  });
  return withDates({ ...insight, series: insight.series.map(withPoints) }, now);
}

/** Leaves out the points of a sparkline that have not begun, and counts those that are not over. */
function withSparkline<One extends Pick<Series, 'sparkline'>>(one: One, now: number): One {
  if (!one.sparkline) return one;
  const { days, data } = one.sparkline;
  const moments = days.map(momentOf);
  if (moments.some((moment) => moment === null)) return one;
  const all = moments.filter((moment) => moment !== null);
  const unit = unitOf(all);
  const begun = all.filter(({ at }) => at <= now);
  const unfinished = begun.filter((moment) => endOf(moment, unit) > now).length;
  return { ...one, sparkline: { days: days.slice(0, begun.length), data: data.slice(0, begun.length), unfinished } };
}

/** The time that clocks in the zone show; milliseconds, as if the zone were UTC. */
export function wallClock({ now, timezone }: ComputedAt): number {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' }).format(now);
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Writes the dates of buckets in words, and counts the buckets at the end that are not over, and those that have not begun. */
function withDates(insight: SeriesInsight, now: number): Insight {
  const { days, over } = insight;
  const moments = days.map(momentOf).filter((moment) => moment !== null);
  if (over !== undefined || moments.length === 0 || moments.length < days.length) return insight;
  const unit = (moments.length === 1 && UNITS.find((one) => one === insight.interval)) || unitOf(moments);
  const unfinished = moments.filter((moment) => endOf(moment, unit) > now).length;
  const upcoming = moments.filter(({ at }) => at > now).length;
  const isSoFar = (i: number) => i >= moments.length - unfinished && i < moments.length - upcoming;
  const labels = moments.map((moment, i) => `${bucketText(moment, unit)}${isSoFar(i) ? ', so far' : ''}`);
  return { ...insight, labels, ...(unfinished > 0 ? { unfinished } : {}), ...(upcoming > 0 ? { upcoming } : {}) };
}
