import { randomBytes } from 'node:crypto';
import type { DataVersion, DayVersions, EventsStore, PersonToInsert, RowsToInsert } from '../../ports/events.js';
import type { DaysOfIds } from './days-of-ids.js';
import type { DeletionKind, DeletionMarks } from './delete-events.js';

const DAY = 86_400_000;
/** Days of a project that have versions of their own; with more of them, one change touches all days. */
const MAX_DAYS = 5_000;
/** Merged distinct ids, and as many of new persons, whose days are looked up together; with more of them, they touch all days. */
const MAX_IDS = 10_000;

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
  /** The oldest day whose version somebody wanted; Infinity: nobody wanted any. */
  oldest: number;
  /** Last merge: it may have touched any day before `oldest`, where nobody looks up its days. */
  before: number;
  /** Distinct ids that were merged; the days of their events are not looked up yet. */
  merged: Set<string>;
  /**
   * Distinct ids of new persons who may have had events without a profile before; their days are not looked up yet. Null until versions of births
   * are first read: until then new persons touch all days of births.
   */
  fresh: Set<string> | null;
  /** Merges and new persons until now, and those whose days are known. */
  wanted: number;
  lookedUp: number;
  /** The look-up that runs; it never rejects. */
  lookup: Promise<void> | null;
  births: Births;
  /** The days from which events are being deleted. */
  deleting: Record<DeletionKind, Set<number>>;
}

/**
 * The last changes of when persons came to be: when their profile was created, or without a profile with their first event. Such an event may be the
 * first one from its day on, so it touches the later days, too.
 */
interface Births {
  /** Last change of profiles that may have touched any day. */
  allDays: number;
  /** Last change of profiles that were created on a day. */
  days: Map<number, number>;
  /** The project has events of persons without a profile. Null: not looked up yet. */
  areByEvents: boolean | null;
  /** Which rows of persons are stored is unknown, so each change of the project may touch any day. */
  areUnknown: boolean;
}

/**
 * Versions for a store with a single writer, in its memory. Every process has versions of its own, so none of them outlives a crash.
 * A merge of persons touches the days on which its distinct id has events, which are looked up when a version of days is wanted.
 */
export function createChanges(query: EventsStore['query'], daysOfIds: DaysOfIds): Changes {
  const epoch = randomBytes(6).toString('base64url');
  const projects = new Map<number, ProjectChanges>();
  let last = 0;

  function changesOf(projectId: number): ProjectChanges {
    let found = projects.get(projectId);
    if (!found) {
      const births: Births = { allDays: 0, days: new Map(), areByEvents: null, areUnknown: false };
      const deleting = { erasure: new Set<number>(), retention: new Set<number>() };
      found = {
        whole: 0,
        profiles: 0,
        allDays: 0,
        days: new Map(),
        oldest: Number.POSITIVE_INFINITY,
        before: 0,
        merged: new Set(),
        fresh: null,
        wanted: 0,
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

  /** Touches days from one until before another. */
  function touchBetween(changes: ProjectChanges, from: number, to: number, change: number): void {
    if (to - from > MAX_DAYS) changes.allDays = Math.max(changes.allDays, change);
    else for (let day = from; day < to; day++) changes.days.set(day, Math.max(change, changes.days.get(day) ?? 0));
  }

  /** Looks up the days of later merges from this one on. */
  function want(changes: ProjectChanges, day: number): void {
    if (day >= changes.oldest) return;
    touchBetween(changes, day, changes.oldest, changes.before);
    changes.oldest = day;
  }

  /** Touches the days on which merged distinct ids and those of new persons have events, of the days that anybody has wanted. */
  async function lookUp(projectId: number, changes: ProjectChanges): Promise<void> {
    const { merged, fresh, wanted, births } = changes;
    // an event of any day may be the first of somebody
    const from = births.areByEvents && fresh ? Number.NEGATIVE_INFINITY : changes.oldest;
    changes.merged = new Set();
    if (fresh) changes.fresh = new Set();
    try {
      // nobody wanted any day: all are older
      const isWanted = from < Number.POSITIVE_INFINITY;
      const days = isWanted ? await daysOfIds.find(projectId, [...merged, ...(fresh ?? [])], from) : [];
      last += 1;
      touch(changes, days);
      if (from > Number.NEGATIVE_INFINITY) {
        // somebody may have wanted an older day meanwhile
        touchBetween(changes, changes.oldest, from, last);
        changes.before = last;
      }
    } catch {
      changes.allDays = ++last;
    }
    changes.lookedUp = wanted;
  }

  /** Waits until the days of all merges and new persons until now are known. */
  async function lookUpAll(projectId: number, changes: ProjectChanges): Promise<void> {
    // what comes meanwhile is left to the next caller: while people merge all the time, there would be no end
    const { wanted } = changes;
    while (changes.lookedUp < wanted) {
      changes.lookup ??= lookUp(projectId, changes).finally(() => {
        changes.lookup = null;
      });
      await changes.lookup;
    }
  }

  async function daysOf(projectId: number): Promise<DayVersions> {
    const changes = changesOf(projectId);
    // new persons alone change no day of events
    if (changes.merged.size > 0 || changes.lookup) await lookUpAll(projectId, changes);
    // a copy: a day may change while the caller computes
    const { allDays, oldest, before } = changes;
    const days = new Map(changes.days);
    return {
      day: (day) => {
        want(changes, day);
        return `${epoch}.${Math.max(allDays, days.get(day) ?? 0, day < oldest ? before : 0)}`;
      },
    };
  }

  function touchBirths(changes: ProjectChanges, person: PersonToInsert): void {
    const { births, fresh } = changes;
    const { created_at, previous_created_at: before, first_distinct_ids: ids, is_deleted } = person;
    const isNew = before === null && !is_deleted;
    // with events from a time without a profile, somebody came to be on another day than that of the profile
    const mayHaveEvents = births.areByEvents !== false && (isNew || is_deleted);
    const canLookUp = isNew && ids !== undefined && fresh !== null && fresh.size < MAX_IDS;
    if (before === undefined || births.days.size > MAX_DAYS || (mayHaveEvents && !canLookUp)) {
      births.days.clear();
      births.allDays = last;
      return;
    }
    if (is_deleted || before !== created_at) {
      for (const at of [created_at, before ?? created_at]) births.days.set(Math.floor(at / DAY), last);
    }
    if (!mayHaveEvents) return;
    for (const id of ids ?? []) fresh?.add(id);
    changes.wanted += 1;
  }

  async function birthsOf(projectId: number): Promise<DayVersions> {
    const changes = changesOf(projectId);
    const { births } = changes;
    changes.fresh ??= new Set();
    if (births.areByEvents === null) {
      const found = await hasPersonsWithoutProfile(query, projectId);
      // meanwhile such an event may have come
      births.areByEvents ??= found;
    }
    if (births.areByEvents) await lookUpAll(projectId, changes);
    if (births.areUnknown || births.areByEvents === null) {
      const { whole } = changes;
      return { day: () => `${epoch}.${whole}` };
    }
    const [any, days] = [births.allDays, new Map(births.days)];
    const until = births.areByEvents ? untilDay(changes) : () => 0;
    return { day: (day) => `${epoch}.${Math.max(any, days.get(day) ?? 0, until(day))}` };
  }

  return {
    inserted: (table, rows) => {
      last += 1;
      // the rows are those of the table
      if (table === 'events') daysOfIds.inserted(rows as readonly RowsToInsert['events'][]);
      for (const row of rows) {
        const changes = changesOf(row.project_id);
        changes.whole = last;
        if ('is_deleted' in row) touchBirths(changes, row);
        if ('uuid' in row) {
          changes.days.set(Math.floor(row.timestamp / DAY), last);
          if (row.person_mode === 'propertyless') changes.births.areByEvents = true;
        } else if (table === 'person_overrides' && 'distinct_id' in row) {
          if (changes.merged.size < MAX_IDS) changes.merged.add(row.distinct_id);
          else {
            changes.merged.clear();
            changes.allDays = last;
          }
          changes.wanted += 1;
        } else changes.profiles = last;
        if (changes.days.size > MAX_DAYS) touch(changes, []);
      }
    },
    failed: (rows) => {
      daysOfIds.failed(rows);
      // a later version of a person then says nothing of what the store has of the person
      for (const { project_id } of rows) changesOf(project_id).births.areUnknown = true;
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

/** A function that returns the last change of any day until a day. */
function untilDay({ allDays, before, days }: ProjectChanges): (day: number) => number {
  const any = Math.max(allDays, before);
  let newest = any;
  const rising = [...days]
    .sort(([a], [b]) => a - b)
    .map(([day, changed]) => {
      newest = Math.max(newest, changed);
      return { day, newest };
    });
  return (until) => rising.findLast(({ day }) => day <= until)?.newest ?? any;
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
