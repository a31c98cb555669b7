import { randomBytes } from 'node:crypto';
import type { DataVersion, DayVersions, EventsStore, RowsToInsert } from '../../ports/events.js';

const DAY = 86_400_000;
/** Days of a project that have versions of their own; with more of them, one change touches all days. */
const MAX_DAYS = 5_000;
/** Merged distinct ids whose days are looked up together; with more of them, they touch all days. */
const MAX_MERGED = 10_000;

/** What the only writer of an event store knows about the changes that it made. */
export interface Changes {
  /** Records that rows were inserted, or may have been. Call it before the caller of the insert learns of its end. */
  inserted<Table extends keyof RowsToInsert>(table: Table, rows: readonly RowsToInsert[Table][]): void;
  /** Records that events of a project were deleted. */
  deleted(projectId: number): void;
  versionOf(projectId: number): DataVersion;
}

/** The last changes of a project, as numbers that grow. */
interface ProjectChanges {
  whole: number;
  profiles: number;
  /** Last change that may have touched any day. */
  allDays: number;
  /** Last change of each UTC day since 1970. */
  days: Map<number, number>;
  /** Distinct ids that were merged; the days of their events are not looked up yet. */
  merged: Set<string>;
  /** The look-up that runs; it never rejects. */
  lookup: Promise<void> | null;
}

/**
 * Versions for a store with a single writer, in its memory. Every process has versions of its own, so none of them outlives a crash.
 * A merge of persons touches the days on which its distinct id has events: `query` looks them up when a version of days is wanted.
 */
export function createChanges(query: EventsStore['query']): Changes {
  const epoch = randomBytes(6).toString('base64url');
  const projects = new Map<number, ProjectChanges>();
  let last = 0;

  function changesOf(projectId: number): ProjectChanges {
    let found = projects.get(projectId);
    if (!found) {
      found = { whole: 0, profiles: 0, allDays: 0, days: new Map(), merged: new Set(), lookup: null };
      projects.set(projectId, found);
    }
    return found;
  }

  function touch(changes: ProjectChanges, days: Iterable<number>): void {
    for (const day of days) changes.days.set(day, last);
    if (changes.days.size <= MAX_DAYS) return;
    changes.days.clear();
    changes.allDays = last;
  }

  async function lookUpMerged(projectId: number, changes: ProjectChanges): Promise<void> {
    const ids = [...changes.merged];
    changes.merged.clear();
    try {
      if (ids.length > MAX_MERGED) throw new Error('too many');
      const { rows } = await query<{ day: number }>({
        sql: `select distinct toInt32(toDate(timestamp)) as day from events
          where project_id = {project:Int32} and distinct_hash in (select cityHash64(arrayJoin({ids:Array(String)})))`,
        params: { project: projectId, ids },
        maxSeconds: 10,
      });
      last += 1;
      touch(
        changes,
        rows.map(({ day }) => day),
      );
    } catch {
      changes.allDays = ++last;
    }
  }

  async function daysOf(projectId: number): Promise<DayVersions> {
    const changes = changesOf(projectId);
    while (changes.lookup || changes.merged.size > 0) {
      changes.lookup ??= lookUpMerged(projectId, changes).finally(() => {
        changes.lookup = null;
      });
      await changes.lookup;
    }
    // a copy: a day may change while the caller computes
    const [allDays, days] = [changes.allDays, new Map(changes.days)];
    return { day: (day) => `${epoch}.${Math.max(allDays, days.get(day) ?? 0)}` };
  }

  return {
    inserted: (table, rows) => {
      last += 1;
      for (const row of rows) {
        const changes = changesOf(row.project_id);
        changes.whole = last;
        if ('uuid' in row) changes.days.set(Math.floor(row.timestamp / DAY), last);
        else if (table === 'person_overrides' && 'distinct_id' in row) changes.merged.add(row.distinct_id);
        else changes.profiles = last;
        if (changes.days.size > MAX_DAYS) touch(changes, []);
      }
    },
    deleted: (projectId) => {
      const changes = changesOf(projectId);
      changes.whole = changes.allDays = ++last;
      changes.days.clear();
    },
    versionOf: (projectId) => {
      const { whole, profiles } = changesOf(projectId);
      return { whole: `${epoch}.${whole}`, profiles: `${epoch}.${profiles}`, days: () => daysOf(projectId) };
    },
  };
}
