import { expect } from 'vitest';
import { createIntervalParts, createPartsCache, type IntervalParts } from '../analytics/cache/interval-parts.js';
import { querySchema } from '../analytics/query.js';
import { prepareQuery, runQuery } from '../analytics/run.js';
import { createCaches } from '../caches/index.js';
import { validate } from '../http/validate.js';
import type { EventsStore } from '../ports/events.js';
import { eventRow, type TestEvents } from './events.js';

const DAY = 86_400_000;
export const NOW = Date.UTC(2024, 3, 2, 15);
export const PEOPLE = 6;
const personId = (person: number) => `00000000-0000-4000-8000-0000000000f${person}`;

let lastProject = 0;
let lastRow = 0;

/** A project with a cache of intervals. `atOnce`: how many intervals each statement reads; null: as many as it takes. */
export function partsProject(events: TestEvents, atOnce: number | null = null, clock = { now: () => NOW }) {
  const projectId = ++lastProject;
  const ordinary = createPartsCache(createCaches(clock));
  const paced = {
    next: (_: string, _project: number, { length }: { length: number }) => Math.min(atOnce ?? 1, length),
    took() {},
  };
  const cache = atOnce === null ? ordinary : { ...ordinary, paces: paced };
  /** The days that its queries read, from the first to the last, as days before today. */
  const daysRead: [number, number][] = [];
  // of each project its own: a property that reaches its time limit leaves its last run going beside the next test
  const store: EventsStore = {
    ...events.store,
    query: (statement) => {
      const instants = Object.values(statement.params ?? {}).filter((value) => typeof value === 'number' && value > DAY);
      const daysAgo = (instant: number) => Math.ceil((NOW - instant) / DAY) || 0;
      daysRead.push([daysAgo(Math.min(...instants.map(Number))), daysAgo(Math.max(...instants.map(Number)))]);
      return events.store.query(statement);
    },
  };
  const parsed = (query: object) => validate(querySchema, query);
  const created = new Map<number, number>();
  const context = (timezone: string) => ({ projectId, timezone, now: NOW, hasDenseEvents: async () => projectId % 2 === 0 });
  return {
    projectId,
    cache,
    store,
    /** The days read since the last call. */
    daysRead: () => daysRead.splice(0),
    capture: (rows: { person: number; at: number; amount?: number; event?: string; isPropertyless?: boolean }[]) =>
      events.put(
        'events',
        rows.map(({ person, at, amount = 1, event = 'bought', isPropertyless = false }) =>
          eventRow(++lastRow, {
            project_id: projectId,
            event,
            distinct_id: `d${person}`,
            person_id: personId(person),
            person_mode: isPropertyless ? 'propertyless' : 'full',
            timestamp: at,
            properties: { amount },
            group_0: `g${person % 2}`,
          }),
        ),
      ),
    merge: (from: number, into: number, version: number) =>
      events.put('person_overrides', [{ project_id: projectId, distinct_id: `d${from}`, person_id: personId(into), version }]),
    /** A new version of a person. A copy that is late does not say when the person had been created by the version before. */
    profile: (person: number, plan: string, version: number, { at = 0, isLate = false, isDeleted = false } = {}) => {
      const before = created.get(person) ?? null;
      // once created, a person can only turn out to be older
      const created_at = Math.min(at, before ?? at);
      if (isDeleted) created.delete(person);
      else created.set(person, created_at);
      return events.put('persons', [
        {
          project_id: projectId,
          person_id: personId(person),
          properties: { plan },
          is_identified: true,
          is_deleted: isDeleted,
          created_at,
          ...(isLate ? {} : { previous_created_at: before, first_distinct_ids: [`d${person}`] }),
          version,
        },
      ]);
    },
    remove: (person: number) =>
      expect
        .poll(() => events.store.deleteEvents(projectId, [{ distinctIds: [`d${person}`], until: NOW + DAY }]), { interval: 50 })
        .toBe(true),
    /** Deletes events that are more than some days old. */
    retain: (days: number) =>
      expect
        .poll(() => events.store.deleteEventsBefore([{ projectId, before: Math.floor(NOW / DAY - days) * DAY }]), {
          interval: 50,
        })
        .toBe(true),
    /** The result with the cache of intervals. */
    cached: async (query: object, timezone = 'UTC', given?: IntervalParts) => {
      const parts =
        given ??
        createIntervalParts(cache, {
          projectId,
          version: await events.store.dataVersion(projectId),
          now: NOW,
          workload: 'interactive',
        });
      return (await prepareQuery(parsed(query), context(timezone))).compute(store, undefined, parts);
    },
    whole: (query: object, timezone = 'UTC') => runQuery(events.store, parsed(query), context(timezone)),
  };
}
