import { type DateRange, rangeLabel } from '../address/date-range.js';
import type { Question, Series } from './question.js';

const DAY = 86_400_000;
/** The ranges that are offered instead of one without events, the shortest first. */
const LONGER: readonly [days: number, range: DateRange][] = [
  [7, { from: '-7d', to: null }],
  [30, { from: '-30d', to: null }],
  [90, { from: '-90d', to: null }],
  [180, { from: '-180d', to: null }],
  [Number.POSITIVE_INFINITY, { from: 'all', to: null }],
];
/** Days that units of relative ranges have at least. */
const DAYS: Record<string, number> = { h: 1 / 24, d: 1, w: 7, m: 28, q: 90, y: 365 };

/** An event that a question counts; null: any. */
export type CountedEvent = string | null;

/** The events without which a question has nothing to show. An empty list: it is not known, as with actions. */
export function neededEvents(question: Question): CountedEvent[] {
  switch (question.kind) {
    case 'TrendsQuery':
    case 'StickinessQuery':
    case 'LifecycleQuery':
      return eventsOf(question.series ?? []);
    case 'FunnelsQuery':
      return eventsOf((question.series ?? []).slice(0, 1));
    case 'RetentionQuery': {
      const { id, type } = (question.retentionFilter?.['targetEntity'] ?? {}) as { id?: unknown; type?: unknown };
      return typeof id === 'string' && type !== 'actions' ? [id] : [];
    }
    case 'PathsQuery':
    case 'HogQLQuery':
      return [];
  }
}

function eventsOf(series: readonly Series[]): CountedEvent[] {
  if (series.some(({ kind }) => kind !== 'EventsNode')) return [];
  return [...new Set(series.map(({ event }) => event ?? null))];
}

/** Why a question has nothing to show, and dates with which it would. */
export interface Absence {
  cause: string;
  /** Dates with an event, and the words of their link; null: other dates would not help. */
  longer: { range: DateRange; label: string } | null;
}

/**
 * Says when the events of a question were last received.
 * @param range the dates of the question; null: not known
 * @param seen when the last of its events was received, epoch milliseconds
 * @param day that day in words
 */
export function absenceOf(range: DateRange | null, seen: number, day: string, now: number): Absence {
  const days = range && daysOf(range);
  const age = (now - seen) / DAY;
  if (days !== null && age < days) return { cause: `The last one was on ${day}, but not with these filters.`, longer: null };
  const [, longer] = LONGER.find(([most]) => age < most - 1) ?? [0, { from: 'all', to: null }];
  const words = rangeLabel(longer);
  return {
    cause: `The last one was on ${day}.`,
    longer: { range: longer, label: `Show ${words[0]?.toLowerCase()}${words.slice(1)}` },
  };
}

/** The days until now that a range surely has; null: it ends before now, or begins on a date. */
function daysOf({ from, to }: DateRange): number | null {
  if (to !== null) return null;
  if (from === 'all') return Number.POSITIVE_INFINITY;
  const [, count, unit = ''] = /^-(\d+)([hdwmqy])$/.exec(from) ?? [];
  const days = DAYS[unit];
  return count === undefined || days === undefined ? null : Number(count) * days;
}
