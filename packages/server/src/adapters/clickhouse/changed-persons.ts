import type { RowsToInsert } from '../../ports/events.js';

/** Persons of a project after which the older half of the record is dropped. */
const MAX_PERSONS = 50_000;
/** Merged distinct ids of a project that are remembered for events whose persons were read before. */
const MAX_MERGED = 50_000;
/** How long rows whose insert failed may still come into the tables, milliseconds. */
const FAILED_MS = 600_000;
/** A record that nobody has wanted for so long is dropped, milliseconds. */
const IDLE_MS = 900_000;

/** Records the persons whose events the only writer of a store changes, in projects where somebody needs that. */
export interface ChangedPersons {
  /** The last change of a project. Later ones are recorded from now on. */
  lastChange(projectId: number): number;
  /** The persons whose events later changes may have added, moved or removed; null: they may be anybody's. */
  changedSince(projectId: number, change: number): readonly string[] | null;
  /**
   * Records that rows were inserted, or may have been. Call it once reads find them.
   * @param readAt uptime before the persons of the rows were read, milliseconds; undefined: just now
   */
  inserted<Table extends keyof RowsToInsert>(table: Table, rows: readonly RowsToInsert[Table][], readAt?: number): void;
  /** Records that rows may be stored later, or not at all. */
  failed(rows: readonly { project_id: number }[]): void;
  /** Records that events of anybody in these projects may change. */
  anybody(projects: Iterable<number>): void;
}

interface Project {
  /** The last change of each person, by uuid: of the persons since the last drop, and of those before. */
  persons: Map<string, number>;
  older: Map<string, number>;
  /** The last change in `older`. */
  olderUntil: number;
  /** The last change that may have been one of anybody's events. */
  anybody: number;
  /** The newest person of each distinct id that was merged. */
  merged: Map<string, { person: string; version: number }>;
  /** Merges before this uptime are not in `merged`. */
  mergesSince: number;
  /** The uptime at which somebody wanted it last. */
  usedAt: number;
}

/** @param uptime milliseconds that only grow */
export function createChangedPersons(uptime: () => number): ChangedPersons {
  const projects = new Map<number, Project>();
  /** The uptime until which nothing is recorded for a project: rows of it may come late. */
  const failedUntil = new Map<number, number>();
  let last = 0;

  function touch(project: Project, person: string): void {
    project.persons.set(person, last);
    if (project.persons.size <= MAX_PERSONS) return;
    // those that are dropped may have been anybody
    project.anybody = Math.max(project.anybody, project.olderUntil);
    project.older = project.persons;
    project.olderUntil = last;
    project.persons = new Map();
  }

  /** The record of a project, which begins with the first call. */
  function use(projectId: number): Project {
    const now = uptime();
    for (const [id, { usedAt }] of projects) if (now - usedAt > IDLE_MS) projects.delete(id);
    const known = projects.get(projectId);
    const project = known ?? {
      persons: new Map(),
      older: new Map(),
      olderUntil: last,
      // nobody knows what changed before
      anybody: last,
      merged: new Map(),
      mergesSince: now,
      usedAt: now,
    };
    project.usedAt = now;
    projects.set(projectId, project);
    return project;
  }

  function insertedEvents(rows: readonly RowsToInsert['events'][], readAt: number): void {
    for (const { project_id, person_id, distinct_id } of rows) {
      const project = projects.get(project_id);
      if (!project) continue;
      // it may belong to somebody of a merge that nobody remembers
      if (readAt < project.mergesSince) project.anybody = last;
      const merged = project.merged.get(distinct_id);
      touch(project, person_id);
      if (merged) touch(project, merged.person);
    }
  }

  function insertedOverrides(rows: readonly RowsToInsert['person_overrides'][]): void {
    for (const { project_id, person_id, distinct_id, version, former_person_ids: former } of rows) {
      const project = projects.get(project_id);
      if (!project) continue;
      if (former === undefined) project.anybody = last;
      for (const person of [person_id, ...(former ?? [])]) touch(project, person);
      const newest = project.merged.get(distinct_id);
      if (!newest || newest.version <= version) project.merged.set(distinct_id, { person: person_id, version });
      if (project.merged.size <= MAX_MERGED) continue;
      project.merged.clear();
      project.mergesSince = uptime();
    }
  }

  return {
    lastChange: (projectId) => {
      const mayBeLate = uptime() < (failedUntil.get(projectId) ?? Number.NEGATIVE_INFINITY);
      if (!mayBeLate) use(projectId);
      return last;
    },
    changedSince: (projectId, change) => {
      const project = projects.get(projectId);
      if (!project || project.anybody > change) return null;
      project.usedAt = uptime();
      const persons = new Set<string>();
      for (const record of project.olderUntil > change ? [project.older, project.persons] : [project.persons]) {
        for (const [person, at] of record) if (at > change) persons.add(person);
      }
      return [...persons];
    },
    inserted: (table, rows, readAt = uptime()) => {
      last += 1;
      if (projects.size === 0) return;
      // the rows are those of the table
      if (table === 'events') insertedEvents(rows as readonly RowsToInsert['events'][], readAt);
      else if (table === 'person_overrides') insertedOverrides(rows as readonly RowsToInsert['person_overrides'][]);
    },
    failed: (rows) => {
      for (const { project_id } of rows) {
        projects.delete(project_id);
        failedUntil.set(project_id, uptime() + FAILED_MS);
      }
    },
    anybody: (touched) => {
      last += 1;
      for (const id of touched) {
        const project = projects.get(id);
        if (project) project.anybody = last;
      }
    },
  };
}
