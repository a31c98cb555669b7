import { type DataVersion, type EventsStore, EventsUnavailable, QueryFailed } from '../../ports/events.js';

/*
 * Versions for a server that several services write to: the table `changes` counts the rows that were ever inserted, by project and UTC
 * day. Materialized views fill it in the insert of the rows, after them, so a new version implies that the rows are visible. Its sums only
 * grow: a repeated insert may count twice.
 */

/** `events` by UTC day; the others on day 0. A merge touches all days of its project. */
type ChangeKind = 'events' | 'profiles' | 'merges' | 'deletions';

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

/** Records that events of a project were deleted. */
export const deletionStatement = (projectId: number): string =>
  `INSERT INTO changes (project_id, kind, day, rows) VALUES (${Math.trunc(projectId)}, 'deletions', 0, 1)`;

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
  const sums: Record<ChangeKind, number> = { events: 0, profiles: 0, merges: 0, deletions: 0 };
  const days = new Map<number, number>();
  for (const { kind, day, count } of rows) {
    sums[kind] += count;
    if (kind === 'events') days.set(day, count);
  }
  const ofAllDays = `${sums.merges}.${sums.deletions}`;
  const whole = `${sums.events}.${sums.profiles}.${ofAllDays}`;
  return {
    whole,
    profiles: String(sums.profiles),
    days: async () => ({ day: (day) => `${days.get(day) ?? 0}.${ofAllDays}` }),
    // the table does not know which of the changed profiles are new
    births: async () => ({ day: () => whole }),
  };
}
