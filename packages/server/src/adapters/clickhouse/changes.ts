import { randomBytes } from 'node:crypto';
import type { DataVersion, DayVersions, EventsStore, PersonToInsert, RowsToInsert } from '../../ports/events.js';
import type { DeletionKind, DeletionMarks } from './delete-events.js';

const DAY = 86_400_000;
/** Days of a project that have versions of their own; with more of them, one change touches all days. */
const MAX_DAYS = 5_000;
/** Merged distinct ids whose days are looked up together; with more of them, they touch all days. */
const MAX_MERGED = 10_000;

/** What the only writer of an event store knows about the changes that it made. */
export interface Changes {
  /** Records that rows were inserted, or may have been. Call it before the caller of the insert learns of its end. */
  inserted<Table extends keyof RowsToInsert>(table: Table, rows: readonly RowsToInsert[Table][]): void;
  /** Records that rows may be stored later than they were inserted, or not at all. */
  failed(rows: readonly RowsToInsert[keyof RowsToInsert][]): void;
  /** Records which days lose events. */
  deletions: DeletionMarks;
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
  /** Merges until now, and those whose days are known. */
  merges: number;
  lookedUp: number;
  /** The look-up that runs; it never rejects. */
  lookup: Promise<void> | null;
  births: Births;
  /** The days from which events are being deleted. */
  deleting: Record<DeletionKind, Set<number>>;
}

/** The last changes of when persons were created. */
interface Births {
  /** Last change that may have touched any day. */
  allDays: number;
  days: Map<number, number>;
  /** More than the created persons decides who came to be when, so each change of the project may touch any day. Null: not looked up yet. */
  areVague: boolean | null;
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
      const births: Births = { allDays: 0, days: new Map(), areVague: null };
      const deleting = { erasure: new Set<number>(), retention: new Set<number>() };
      found = {
        whole: 0,
        profiles: 0,
        allDays: 0,
        days: new Map(),
        merged: new Set(),
        merges: 0,
        lookedUp: 0,
        lookup: null,
        births,
        deleting,
      };
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
    const [ids, { merges }] = [[...changes.merged], changes];
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
    changes.lookedUp = merges;
  }

  async function daysOf(projectId: number): Promise<DayVersions> {
    const changes = changesOf(projectId);
    // merges that come meanwhile are left to the next caller: while people merge all the time, there would be no end
    const { merges } = changes;
    while (changes.lookedUp < merges) {
      changes.lookup ??= lookUpMerged(projectId, changes).finally(() => {
        changes.lookup = null;
      });
      await changes.lookup;
    }
    // a copy: a day may change while the caller computes
    const [allDays, days] = [changes.allDays, new Map(changes.days)];
    return { day: (day) => `${epoch}.${Math.max(allDays, days.get(day) ?? 0)}` };
  }

  function touchBirths({ births }: ProjectChanges, person: PersonToInsert): void {
    const { created_at, previous_created_at: before, is_deleted } = person;
    if (before === undefined || births.days.size > MAX_DAYS) {
      births.days.clear();
      births.allDays = last;
    } else if (is_deleted || before !== created_at) {
      for (const at of [created_at, before ?? created_at]) births.days.set(Math.floor(at / DAY), last);
    }
  }

  async function birthsOf(projectId: number): Promise<DayVersions> {
    const changes = changesOf(projectId);
    const { births } = changes;
    if (births.areVague === null) {
      const found = await hasPersonsWithoutProfile(query, projectId);
      // meanwhile such an event may have come
      births.areVague ??= found;
    }
    const [any, days] = [births.areVague === false ? births.allDays : changes.whole, new Map(births.days)];
    return { day: (day) => `${epoch}.${Math.max(any, days.get(day) ?? 0)}` };
  }

  return {
    inserted: (table, rows) => {
      last += 1;
      for (const row of rows) {
        const changes = changesOf(row.project_id);
        changes.whole = last;
        if ('is_deleted' in row) touchBirths(changes, row);
        if ('uuid' in row) {
          changes.days.set(Math.floor(row.timestamp / DAY), last);
          if (row.person_mode === 'propertyless') changes.births.areVague = true;
        } else if (table === 'person_overrides' && 'distinct_id' in row) {
          changes.merged.add(row.distinct_id);
          changes.merges += 1;
        } else changes.profiles = last;
        if (changes.days.size > MAX_DAYS) touch(changes, []);
      }
    },
    failed: (rows) => {
      // a later version of a person then says nothing of what the store has of the person
      for (const { project_id } of rows) changesOf(project_id).births.areVague = true;
    },
    deletions: {
      begun: async (kind, days) => {
        last += 1;
        for (const { project, day } of days) {
          const changes = changesOf(project);
          if (changes.deleting[kind].has(day)) continue;
          changes.deleting[kind].add(day);
          changes.whole = last;
          touch(changes, [day]);
        }
      },
      ended: async (kind, projects) => {
        last += 1;
        for (const project of projects) {
          const changes = changesOf(project);
          if (changes.deleting[kind].size === 0) continue;
          changes.whole = last;
          touch(changes, changes.deleting[kind]);
          changes.deleting[kind].clear();
        }
      },
    },
    versionOf: (projectId) => {
      const { whole, profiles } = changesOf(projectId);
      return {
        whole: `${epoch}.${whole}`,
        profiles: `${epoch}.${profiles}`,
        days: () => daysOf(projectId),
        births: () => birthsOf(projectId),
      };
    },
  };
}

/** Whether a project has events of persons without a profile, who came to be with the first of them; null: unknown now. */
async function hasPersonsWithoutProfile(query: EventsStore['query'], projectId: number): Promise<boolean | null> {
  try {
    const { rows } = await query({
      sql: "select 1 from events where project_id = {project:Int32} and person_mode = 'propertyless' limit 1",
      params: { project: projectId },
      maxSeconds: 10,
    });
    return rows.length > 0;
  } catch {
    return null;
  }
}
