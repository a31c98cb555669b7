import type { Caches } from '../caches/index.js';
import type { Deps } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { withinTime } from '../kernel/scheduler.js';
import { findGroups, findPerson, type GroupRow, type PersonRow } from './store.js';

/**
 * Lifetime of cached persons and groups: any process may change them at any time, without a notification. Clients send properties that they have
 * just changed. Milliseconds.
 */
const TTL_MS = 10_000;
/** Lifetime of misses: an unknown person may be created at any moment. */
const UNKNOWN_TTL_MS = 1_000;
/** Limit of each cache in bytes of JSON; parsed objects take a few times as much. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Size of an entry besides its properties. */
const ENTRY_BYTES = 300;
/** Pause of reads after a failure; milliseconds. */
const BACKOFF_MS = 1_000;
/** Timeout of a read; milliseconds. */
const READ_TIMEOUT_MS = 1_000;

/** Stored persons and groups, up to some seconds old. */
export interface StoredSubjects {
  /**
   * null: there is no such person. undefined: unknown, because the database is unavailable.
   * @param now bypasses the cache, unless the database is unavailable
   */
  person(projectId: number, distinctId: string, now?: boolean): Promise<PersonRow | null | undefined>;
  /** The existing groups. undefined: the database is unavailable. */
  groups(projectId: number, wanted: readonly GroupKey[]): Promise<readonly GroupRow[] | undefined>;
  /** Invalidates a person. */
  invalidatePerson(projectId: number, distinctId: string): void;
}

export interface GroupKey {
  index: number;
  key: string;
}

export function createStoredSubjects(
  { db, clock, log, scheduler }: Pick<Deps, 'db' | 'clock' | 'log' | 'scheduler'>,
  caches: Caches,
): StoredSubjects {
  const options = {
    max: {
      bytes: MAX_BYTES,
      bytesOf: (row: PersonRow | GroupRow | null, key: string) =>
        ENTRY_BYTES + key.length + (row ? JSON.stringify(row).length : 0),
    },
    ttl: (row: PersonRow | GroupRow | null) => (row ? TTL_MS : UNKNOWN_TTL_MS),
  };
  const persons = caches.create<string, PersonRow | null>({ name: 'flag_persons', ...options });
  const groups = caches.create<string, GroupRow | null>({ name: 'flag_groups', ...options });
  const reading = new Map<string, Promise<PersonRow | null | undefined>>();
  let failedAt = Number.NEGATIVE_INFINITY;

  async function readOrGiveUp<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (Math.abs(clock.now() - failedAt) < BACKOFF_MS) return undefined;
    try {
      return await withinTime(scheduler, READ_TIMEOUT_MS, read(), () => {
        throw new ReadTimeout('the database did not answer in time');
      });
    } catch (error) {
      failedAt = clock.now();
      const isAway = error instanceof ReadTimeout || (error instanceof Error && isConnectionFault(error));
      if (!isAway) log.error({ err: error }, 'the subject of flags could not be read');
      return undefined;
    }
  }

  async function readPerson(key: string, projectId: number, distinctId: string): Promise<PersonRow | null | undefined> {
    const person = await readOrGiveUp(() => findPerson(db, projectId, distinctId));
    if (person !== undefined) persons.set(key, person);
    return person;
  }

  return {
    person(projectId, distinctId, now = false) {
      // PostgreSQL text cannot contain NUL
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
      const missing: GroupKey[] = [];
      for (const group of wanted) {
        const known = groups.get(groupKey(projectId, group));
        if (known) found.push(known);
        else if (known === undefined && !group.key.includes('\0')) missing.push(group);
      }
      if (missing.length === 0) return found;
      const rows = await readOrGiveUp(() =>
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
    invalidatePerson: (projectId, distinctId) => persons.delete(`${projectId}:${distinctId}`),
  };
}

const groupKey = (projectId: number, { index, key }: GroupKey) => `${projectId}:${index}:${key}`;

class ReadTimeout extends Error {
  override name = 'ReadTimeout';
}
