import type { ErasedIds, EventsStore, EventTables } from '../../ports/events.js';
import type { Mutations } from './topology.js';

/** The store as deletions need it. */
export interface MutationTarget {
  query: EventsStore['query'];
  /** Runs a statement on the tables with the rows. */
  write(sql: string): Promise<void>;
  /** Where their mutations are listed. */
  mutations: Mutations;
}

/** The tables in which a deletion of the project's rows is running. */
async function mutatedTables({ query, mutations: { from, settings } }: MutationTarget, projectId: number): Promise<Set<string>> {
  const { rows } = await query<{ name: string }>({
    sql: `SELECT DISTINCT table AS name FROM ${from} AND NOT is_done AND match(command, {pattern:String})${settings}`,
    params: { pattern: `project_id = ${projectId}\\b` },
  });
  return new Set(rows.map(({ name }) => name));
}

/** Starts a deletion of the events, unless one runs or none are left. It goes on in the background, as with projects. */
export async function deleteEvents(target: MutationTarget, projectId: number, erased: readonly ErasedIds[]): Promise<boolean> {
  const until = await untilOf(target, erased);
  if (until.size === 0) return true;
  // numbers only: an ALTER takes no parameters, and a client's text must never be part of a statement
  const [hashes, times] = [[...until.keys()].join(), [...until.values()].join()];
  const deadline = `transform(distinct_hash, [${hashes}]::Array(UInt64), [${times}]::Array(Int64), -1::Int64)`;
  const condition = `(project_id = ${projectId}) AND (toUnixTimestamp64Milli(inserted_at) <= ${deadline})`;
  const { rows } = await target.query({ sql: `SELECT 1 FROM events WHERE ${condition} LIMIT 1` });
  if (rows.length === 0) return true;
  if (!(await mutatedTables(target, projectId)).has('events')) await target.write(`ALTER TABLE events DELETE WHERE ${condition}`);
  return false;
}

/** The latest `until` of each distinct id, by the hash of the id. */
async function untilOf({ query }: MutationTarget, erased: readonly ErasedIds[]): Promise<Map<string, number>> {
  const byId = new Map<string, number>();
  for (const { distinctIds, until } of erased) {
    for (const id of distinctIds) byId.set(id, Math.max(until, byId.get(id) ?? 0));
  }
  const { rows } = await query<{ id: string; hash: string }>({
    sql: 'SELECT arrayJoin({ids:Array(String)}) AS id, toString(cityHash64(id)) AS hash',
    params: { ids: [...byId.keys()] },
  });
  return new Map(rows.map(({ id, hash }) => [hash, byId.get(id) ?? 0]));
}

const TABLES = ['events', 'persons', 'person_overrides', 'groups'] as const satisfies (keyof EventTables)[];

/**
 * Starts to delete the rows of a project in each table that has some and is not being cleared yet. The engine rewrites the affected
 * parts of a table in the background, which may take long.
 * @returns whether no rows are left
 */
export async function deleteProject(target: MutationTarget, projectId: number): Promise<boolean> {
  const selects = TABLES.map((table) => `(SELECT '${table}' AS name FROM ${table} WHERE project_id = {project:UInt32} LIMIT 1)`);
  const { rows: left } = await target.query<{ name: string }>({
    sql: selects.join(' UNION ALL '),
    params: { project: projectId },
  });
  if (left.length === 0) return true;
  const running = await mutatedTables(target, projectId);
  for (const { name } of left) {
    if (!running.has(name)) await target.write(`ALTER TABLE ${name} DELETE WHERE (project_id = ${projectId})`);
  }
  return false;
}
