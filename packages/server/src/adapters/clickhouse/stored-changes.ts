import { type DataVersion, type EventsStore, EventsUnavailable, QueryFailed } from '../../ports/events.js';
import type { DeletionKind, DeletionMarks } from './delete-events.js';

/*
 * Versions for a server that several services write to: the table `changes` counts the rows that were ever inserted, by project and UTC
 * day. Materialized views fill it in the insert of the rows, after them, so a new version implies that the rows are visible. Its sums only
 * grow: a repeated insert may count twice.
 */

/**
 * `events` by UTC day, and deletions that have begun or ended on a day; the others on day 0. A merge touches all days of its project, and
 * so did `deletions` of older versions.
 */
type ChangeKind = 'events' | 'profiles' | 'merges' | 'deletions' | DeletionKind | `${DeletionKind}-ended`;

const viewOf = (table: string, kind: ChangeKind, day: string): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS changes_of_${table} TO changes AS
   SELECT project_id, '${kind}' AS kind, toInt32(${day}) AS day, count() AS rows FROM ${table} GROUP BY project_id, kind, day`;

/** The statements that create the table and its views; each can be run again. */
export const CHANGES_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS changes (project_id UInt32, kind LowCardinality(String), day Int32, rows UInt64)
   ENGINE = SummingMergeTree(rows) ORDER BY (project_id, kind, day)`,
  viewOf('events', 'events', 'toDate32(timestamp)'),
  viewOf('persons', 'profiles', '0'),
  viewOf('groups', 'profiles', '0'),
  viewOf('person_overrides', 'merges', '0'),
];

/** Rows of one statement. */
const AT_ONCE = 10_000;

/**
 * Records deletions for all servers. A day is being deleted from while more deletions have begun than ended on it, so the server that ends
 * one need not be the one that began it.
 */
export function storedDeletions({
  query,
  write,
}: {
  query: EventsStore['query'];
  write(sql: string): Promise<void>;
}): DeletionMarks {
  const open = async (kind: DeletionKind, projects: readonly number[]) => {
    const { rows } = await query<{ project: number; day: number; open: number }>({
      sql: `select project_id as project, day, toInt64(sumIf(rows, kind = '${kind}')) - toInt64(sumIf(rows, kind = '${kind}-ended')) as open
        from changes where kind in ('${kind}', '${kind}-ended') and project_id in ({projects:Array(UInt32)}) group by project, day`,
      params: { projects },
    });
    return rows;
  };
  const add = async (kind: ChangeKind, rows: readonly (readonly [project: number, day: number, rows: number])[]) => {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const values = rows.slice(at, at + AT_ONCE).map(([project, day, rows]) => `(${project}, '${kind}', ${day}, ${rows})`);
      // replicas would take the same row for a repetition
      await write(
        `INSERT INTO changes (project_id, kind, day, rows) SETTINGS insert_deduplicate = 0 VALUES ${values.join(', ')}`,
      );
    }
  };
  return {
    begun: async (kind, days) => {
      const known = await open(kind, [...new Set(days.map(({ project }) => project))]);
      const openOf = new Map(known.map(({ project, day, open }) => [`${project} ${day}`, open]));
      const missing = days.flatMap(({ project, day }) => {
        const now = openOf.get(`${project} ${day}`) ?? 0;
        return now > 0 ? [] : [[project, day, 1 - now] as const];
      });
      await add(kind, missing);
    },
    ended: async (kind, projects) => {
      const known = await open(kind, projects);
      const left = known.filter(({ open }) => open > 0).map(({ project, day, open }) => [project, day, open] as const);
      await add(`${kind}-ended`, left);
    },
  };
}

/** The settings with which an insert counts a block that the table dropped as a repetition: its first try may not have been counted. */
export const COUNTED = { deduplicate_blocks_in_dependent_materialized_views: 1 } as const;

/** Reads the versions of a project. @throws EventsUnavailable */
export async function readStoredChanges(query: EventsStore['query'], projectId: number): Promise<DataVersion> {
  const reading = query<{ kind: ChangeKind; day: number; count: number }>({
    sql: 'select kind, day, sum(rows) as count from changes where project_id = {project:UInt32} group by kind, day',
    params: { project: projectId },
    maxSeconds: 5,
  });
  const { rows } = await reading.catch((error: unknown) => {
    // this statement is not the caller's, so its failure must not look like one of the caller's query
    throw error instanceof QueryFailed ? new EventsUnavailable(`The event store cannot answer now (${error.code}).`) : error;
  });
  const sums = { events: 0, profiles: 0, merges: 0, deletions: 0, ofDays: 0 };
  const days = new Map<number, number>();
  for (const { kind, day, count } of rows) {
    if (kind === 'profiles' || kind === 'merges' || kind === 'deletions') {
      sums[kind] += count;
      continue;
    }
    sums[kind === 'events' ? kind : 'ofDays'] += count;
    days.set(day, (days.get(day) ?? 0) + count);
  }
  const ofAllDays = `${sums.merges}.${sums.deletions}`;
  const whole = `${sums.events}.${sums.profiles}.${ofAllDays}.${sums.ofDays}`;
  return {
    whole,
    profiles: String(sums.profiles),
    days: async () => ({ day: (day) => `${days.get(day) ?? 0}.${ofAllDays}` }),
    // the table does not know which of the changed profiles are new
    births: async () => ({ day: () => whole }),
  };
}
