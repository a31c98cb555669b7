import fc from 'fast-check';
import type { EventRow } from '../ports/events.js';
import { eventRow, type TestEvents } from './events.js';

const HOUR = 3_600_000;
/** When histories begin: a day and a half before the clocks of Berlin are put forward. */
export const HISTORY_START = Date.UTC(2024, 2, 29, 12);
const DAYS = 12;
const PROJECTS = 400;

export const people = Array.from({ length: 9 }, (_, index) => `00000000-0000-4000-8000-0000000000e${index}`);
/** What was captured as d1 and d2 belongs to the person of d0 by now. */
export const personOf = (row: EventRow): string => (['d1', 'd2'].includes(row.distinct_id) ? (people[0] ?? '') : row.person_id);

/** Random events of few people in few hours: many fall on the same millisecond, or exactly on the end of a day or window. */
export const histories = fc.array(
  fc.record({
    event: fc.constantFrom('a', 'a', 'b', 'b', 'c', 'd'),
    person: fc.nat(people.length - 1),
    time: fc.oneof(
      fc.nat(DAYS * 24).map((hour) => hour * HOUR),
      fc.nat(DAYS * 24 * 4).map((quarter) => (quarter * HOUR) / 4 + 1),
      fc.nat(12).map((hour) => 4 * 24 * HOUR + hour * HOUR),
    ),
    properties: fc.record(
      { plan: fc.constantFrom('free', 'pro', ''), path: fc.constantFrom('/', '/a', '/a/', '/b/1', '/b/2') },
      {
        requiredKeys: [],
      },
    ),
    group: fc.constantFrom('', 'x', 'y', 'z'),
  }),
  { minLength: 40, maxLength: 400 },
);

interface HistoryEvent {
  event: string;
  /** Position in `people`. */
  person: number;
  /** Milliseconds after the start. */
  time: number;
  properties: EventRow['properties'];
  group: string;
}

/** The events of a history as rows of a project. */
export const rowsOf = (history: readonly HistoryEvent[], projectId: number): EventRow[] =>
  history.map(({ event, person, time, properties, group }, index) =>
    eventRow(projectId * 1000 + ((index * 7919) % 1000), {
      project_id: projectId,
      event,
      timestamp: HISTORY_START + time,
      distinct_id: `d${person}`,
      person_id: people[person] ?? '',
      group_1: group,
      properties,
    }),
  );

/** Stores the events of a project, and the same for another one: nothing of that may count. */
export const putRows = (events: TestEvents, rows: EventRow[]): Promise<unknown> =>
  events.put('events', [...rows, ...rows.map((row) => ({ ...row, project_id: row.project_id + PROJECTS }))]);

/** Merges the people of d0, d1 and d2, in the projects from 1 on. */
export const putMerges = (events: TestEvents): Promise<unknown> =>
  events.put(
    'person_overrides',
    Array.from({ length: PROJECTS }, (_, index) => [
      { project_id: index + 1, distinct_id: 'd1', person_id: people[5] ?? '', version: 1 },
      { project_id: index + 1, distinct_id: 'd1', person_id: people[0] ?? '', version: 2 },
      { project_id: index + 1, distinct_id: 'd2', person_id: people[0] ?? '', version: 1 },
    ]).flat(),
  );

/** What each person (or group) did; what is of nobody is left out. */
export const byActor = (rows: readonly EventRow[], of: (row: EventRow) => string): Map<string, EventRow[]> =>
  groupedBy(
    rows.filter((row) => of(row) !== ''),
    of,
  );

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The number of the hour, day, week (from Sunday) or month that a calendar in the zone shows at an instant. */
export function ordinalOf(instant: number, interval: 'hour' | 'day' | 'week' | 'month', timeZone: string): number {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(timeZone, clock);
  const [date = '', time = ''] = clock.format(instant).split(' ');
  if (interval === 'hour') {
    // hours of some zones begin at half past those of others
    const minutes = Number(time.slice(3)) - new Date(instant).getUTCMinutes();
    return Math.floor((instant + ((minutes + 60) % 60) * 60_000) / HOUR);
  }
  const day = Date.parse(`${date}T00:00:00Z`) / (24 * HOUR);
  if (interval === 'day') return day;
  // the 1st of January 1970 was a Thursday
  return interval === 'week' ? Math.floor((day + 4) / 7) : Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
}

/** Things by what a function says of each. */
export function groupedBy<T>(things: Iterable<T>, of: (thing: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const thing of things) {
    const own = found.get(of(thing));
    if (own) own.push(thing);
    else found.set(of(thing), [thing]);
  }
  return found;
}
