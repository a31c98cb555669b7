import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { EventsStore } from '../ports/events.js';
import { eventRow } from './events-contract/index.js';

export const HOUR = 3_600_000;
/** Persons. */
export const [A, B, C] = ['a', 'b', 'c'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
];

/** A store that applies merges, also one of another process, whose uptime a test moves. */
export interface MergingStore {
  insert: EventsStore['insert'];
  query: EventsStore['query'];
  /** As the step of `merges`, after so many hours. */
  advance(project: number, hours: number): Promise<void>;
  uptime(): number | Promise<number>;
}

/** Writes events and merges, and reads the persons of events. */
export function mergedPeople(store: () => MergingStore) {
  const rowsOf = async <Row>(sql: string) => (await store().query<Row>({ sql })).rows;
  const options = async (readAt: number | undefined) => ({ token: randomUUID(), readAt: readAt ?? (await store().uptime()) });
  /** Waits for the mutations that run. */
  const settled = () =>
    expect
      .poll(() => rowsOf('SELECT command FROM system.mutations WHERE database = currentDatabase() AND NOT is_done'), {
        timeout: 60_000,
      })
      .toEqual([]);
  const people = {
    put: async (project_id: number, distinct_id: string, person_id: string, readAt?: number, timestamp?: number) =>
      store().insert(
        'events',
        [eventRow({ project_id, distinct_id, person_id, ...(timestamp === undefined ? {} : { timestamp }) })],
        await options(readAt),
      ),
    merge: async (project_id: number, distinct_id: string, person_id: string, version: number, readAt?: number) =>
      store().insert('person_overrides', [{ project_id, distinct_id, person_id, version }], await options(readAt)),
    /** The persons of each distinct id as queries see them. */
    answer: (project: number) =>
      rowsOf<{ id: string; person: string; n: number }>(
        `SELECT e.distinct_id AS id, if(o.is_known, o.person, e.person_id) AS person, count() AS n FROM events AS e
         ANY LEFT JOIN (SELECT cityHash64(distinct_id) AS hash, argMax(person_id, version) AS person, true AS is_known
           FROM person_overrides WHERE project_id = ${project} GROUP BY hash) AS o ON o.hash = e.distinct_hash
         WHERE e.project_id = ${project} GROUP BY id, person ORDER BY id, person`,
      ),
    overrides: (project: number) =>
      rowsOf<object>(
        `SELECT distinct_id, version FROM person_overrides FINAL WHERE project_id = ${project} ORDER BY distinct_id`,
      ),
    /** The persons that events name, whatever overrides say. */
    raw: async (project: number) =>
      (
        await rowsOf<{ person_id: string }>(
          `SELECT DISTINCT person_id FROM events WHERE project_id = ${project} ORDER BY person_id`,
        )
      ).map(({ person_id }) => person_id),
    settled,
    advance: (project: number, hours: number) => store().advance(project, hours),
    /** Takes a step, and waits for what it began. */
    step: async (project: number, hours = 0) => {
      await store().advance(project, hours);
      await settled();
    },
    /** A whole round. */
    round: async (project: number) => {
      for (const hours of ROUND) await people.step(project, hours);
    },
    rowsOf,
  };
  return people;
}

/** Hours before each step of a round: change, look, check, delete older ones, delete, end. */
export const ROUND = [25, 0, 1, 1, 0, 0];
