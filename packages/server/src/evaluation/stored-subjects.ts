import type { Caches } from '../caches/index.js';
import type { Deps } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { withinTime } from '../kernel/scheduler.js';
import { findGroups, findPerson, type GroupRow, type PersonRow } from './store.js';

/**
 * Persons and groups change with every other event, by any process, and nobody tells: so what was read is used for this long.
 * Clients that have just changed a property send it along. Milliseconds.
 */
const KEPT_MS = 10_000;
/** Whoever is not known yet may be so at any moment. */
const UNKNOWN_KEPT_MS = 1_000;
/** Bytes of JSON that are kept; parsed they take a few times as much. */
const MOST_BYTES = 16 * 1024 * 1024;
/** What an entry takes beside its properties. */
const ENTRY_BYTES = 300;
/** After the database did not answer, how long it is not asked; milliseconds. */
const PAUSE_MS = 1_000;
/** How long it is waited for; milliseconds. */
const PATIENCE_MS = 1_000;

/** Persons and groups as they are stored, or as they were some seconds ago. */
export interface StoredSubjects {
  /**
   * null: there is no such person. undefined: the database is away, so nobody knows.
   * @param now as it is at this moment, unless the database is away
   */
  person(projectId: number, distinctId: string, now?: boolean): Promise<PersonRow | null | undefined>;
  /** Those that there are. undefined: the database is away. */
  groups(projectId: number, wanted: readonly WantedGroup[]): Promise<readonly GroupRow[] | undefined>;
  /** Has a person read anew. */
  forget(projectId: number, distinctId: string): void;
}

export interface WantedGroup {
  index: number;
  key: string;
}

export function createStoredSubjects(
  { db, clock, log, scheduler }: Pick<Deps, 'db' | 'clock' | 'log' | 'scheduler'>,
  caches: Caches,
): StoredSubjects {
  const options = {
    max: {
      bytes: MOST_BYTES,
      bytesOf: (row: PersonRow | GroupRow | null, key: string) =>
        ENTRY_BYTES + key.length + (row ? JSON.stringify(row).length : 0),
    },
    ttl: (row: PersonRow | GroupRow | null) => (row ? KEPT_MS : UNKNOWN_KEPT_MS),
  };
  const persons = caches.create<string, PersonRow | null>({ name: 'flag_persons', ...options });
  const groups = caches.create<string, GroupRow | null>({ name: 'flag_groups', ...options });
  const reading = new Map<string, Promise<PersonRow | null | undefined>>();
  let failedAt = Number.NEGATIVE_INFINITY;

  async function ask<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (Math.abs(clock.now() - failedAt) < PAUSE_MS) return undefined;
    try {
      return await withinTime(scheduler, PATIENCE_MS, read(), () => {
        throw new TooSlow('the database did not answer in time');
      });
    } catch (error) {
      failedAt = clock.now();
      const isAway = error instanceof TooSlow || (error instanceof Error && isConnectionFault(error));
      if (!isAway) log.error({ err: error }, 'the subject of flags could not be read');
      return undefined;
    }
  }

  async function readPerson(key: string, projectId: number, distinctId: string): Promise<PersonRow | null | undefined> {
    const person = await ask(() => findPerson(db, projectId, distinctId));
    if (person !== undefined) persons.set(key, person);
    return person;
  }

  return {
    person(projectId, distinctId, now = false) {
      // PostgreSQL's texts hold no NUL
      if (distinctId.includes('\0')) return Promise.resolve(null);
      const key = `${projectId}:${distinctId}`;
      const known = persons.get(key);
      if (known !== undefined && !now) return Promise.resolve(known);
      const under = reading.get(key);
      const own = under ?? readPerson(key, projectId, distinctId).finally(() => reading.delete(key));
      if (!under) reading.set(key, own);
      return own.then((person) => (person === undefined ? known : person));
    },
    async groups(projectId, wanted) {
      const found: GroupRow[] = [];
      const missing: WantedGroup[] = [];
      for (const group of wanted) {
        const known = groups.get(groupKey(projectId, group));
        if (known) found.push(known);
        else if (known === undefined && !group.key.includes('\0')) missing.push(group);
      }
      if (missing.length === 0) return found;
      const rows = await ask(() =>
        findGroups(
          db,
          projectId,
          missing.map(({ index }) => index),
          missing.map(({ key }) => key),
        ),
      );
      if (!rows) return undefined;
      for (const group of missing) {
        const row = rows.find((r) => r.group_type_index === group.index && r.group_key === group.key) ?? null;
        groups.set(groupKey(projectId, group), row);
      }
      return [...found, ...rows];
    },
    forget: (projectId, distinctId) => persons.delete(`${projectId}:${distinctId}`),
  };
}

const groupKey = (projectId: number, { index, key }: WantedGroup) => `${projectId}:${index}:${key}`;

class TooSlow extends Error {
  override name = 'TooSlow';
}
