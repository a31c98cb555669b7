import type { ErasedIds, ErasedProfiles, EventsStore, EventTables, RetentionLimit } from '../../ports/events.js';
import type { Mutations } from './topology.js';

/** Why events are deleted: somebody is erased, or their retention is over. */
export type DeletionKind = 'erasure' | 'retention';

/** A UTC day of a project, in days since 1970-01-01. */
export interface ProjectDay {
  project: number;
  day: number;
}

/** Versions of days that change with deletions (decision 0055). */
export interface DeletionMarks {
  /** Changes the versions of days on which events are about to be deleted, unless that is known of them. */
  begun(kind: DeletionKind, days: readonly ProjectDay[]): Promise<void>;
  /** Changes the versions of those days once more: until now, a result may have been computed while some of the events were left. */
  ended(kind: DeletionKind, projects: readonly number[]): Promise<void>;
}

/** The store as deletions need it. */
export interface MutationTarget {
  query: EventsStore['query'];
  /** Runs a statement on the tables with the rows. */
  write(sql: string): Promise<void>;
  /** Where their mutations are listed. */
  mutations: Mutations;
  marks: DeletionMarks;
}

/** The tables in which a mutation runs whose command matches the pattern; by default any command. */
export async function mutatedTables(
  { query, mutations: { from, settings } }: Pick<MutationTarget, 'query' | 'mutations'>,
  pattern = '',
): Promise<Set<string>> {
  const { rows } = await query<{ name: string }>({
    sql: `SELECT DISTINCT table AS name FROM ${from} AND NOT is_done AND match(command, {pattern:String})${settings}`,
    params: { pattern },
  });
  return new Set(rows.map(({ name }) => name));
}

const ofProject = (projectId: number): string => `project_id = ${projectId}\\b`;

interface Deletion {
  kind: DeletionKind;
  projects: readonly number[];
  /** SQL of numbers only: an ALTER takes no parameters, and a client's text must never be part of a statement. */
  condition: string;
  /** What the commands of such deletions match. */
  pattern: string;
}

/** Starts a deletion of events, unless one runs or none are left. It goes on in the background, as with projects. */
async function deleteWhere(target: MutationTarget, { kind, projects, condition, pattern }: Deletion): Promise<boolean> {
  const { rows: left } = await target.query<ProjectDay>({
    sql: `SELECT DISTINCT project_id AS project, toInt32(toDate32(timestamp)) AS day FROM events WHERE ${condition}`,
  });
  const isRunning = (await mutatedTables(target, pattern)).has('events');
  if (left.length > 0) {
    await target.marks.begun(kind, left);
    if (!isRunning) await target.write(`ALTER TABLE events DELETE WHERE ${condition}`);
    return false;
  }
  if (isRunning) return false;
  await target.marks.ended(kind, projects);
  return true;
}

/** Starts a deletion of the events of distinct ids. */
export async function deleteEvents(target: MutationTarget, projectId: number, erased: readonly ErasedIds[]): Promise<boolean> {
  const until = await untilOf(
    target,
    'id',
    erased.map(({ distinctIds, until }) => ({ ids: distinctIds, until })),
  );
  if (until.size === 0) return true;
  const [hashes, times] = [[...until.keys()].join(), [...until.values()].join()];
  const deadline = `transform(distinct_hash, [${hashes}]::Array(UInt64), [${times}]::Array(Int64), -1::Int64)`;
  const condition = `(project_id = ${projectId}) AND (toUnixTimestamp64Milli(inserted_at) <= ${deadline})`;
  return deleteWhere(target, { kind: 'erasure', projects: [projectId], condition, pattern: ofProject(projectId) });
}

/** Earlier than any event; milliseconds. */
const NEVER = '-9000000000000000::Int64';

/** Starts a deletion of the events whose retention is over, of all projects at once: each mutation rewrites the parts that it touches. */
export async function deleteEventsBefore(target: MutationTarget, limits: readonly RetentionLimit[]): Promise<boolean> {
  if (limits.length === 0) return true;
  const projects = limits.map(({ projectId }) => Math.trunc(projectId));
  const times = limits.map(({ before }) => Math.trunc(before));
  const [ids, befores] = [projects.join(), times.join()];
  const before = `transform(project_id, [${ids}]::Array(UInt32), [${befores}]::Array(Int64), ${NEVER})`;
  // the first two conditions spare parts and granules
  const condition = `(project_id IN (${ids})) AND (timestamp < fromUnixTimestamp64Milli(${Math.max(...times)}::Int64)) AND (toUnixTimestamp64Milli(timestamp) < ${before})`;
  return deleteWhere(target, { kind: 'retention', projects, condition, pattern: 'transform\\(project_id' });
}

/** The latest `until` of each id, by the hash of the id. `of`: SQL of the hashed value. */
async function untilOf(
  { query }: MutationTarget,
  of: 'id' | 'toUUID(id)',
  erased: readonly { ids: readonly string[]; until: number }[],
): Promise<Map<string, number>> {
  const byId = new Map<string, number>();
  for (const { ids, until } of erased) {
    for (const id of ids) byId.set(id, Math.max(until, byId.get(id) ?? 0));
  }
  if (byId.size === 0) return new Map();
  const { rows } = await query<{ id: string; hash: string }>({
    sql: `SELECT arrayJoin({ids:Array(String)}) AS id, toString(cityHash64(${of})) AS hash`,
    params: { ids: [...byId.keys()] },
  });
  return new Map(rows.map(({ id, hash }) => [hash, byId.get(id) ?? 0]));
}

/** Versions of persons and of their distinct ids begin with the time in microseconds. */
const versionAfter = (ms: number): number => (ms + 1) * 1_000;

/**
 * Starts a deletion of old versions of persons, and of overrides of distinct ids. They say nothing that counts any more, but a merge that would
 * drop them may never come.
 */
export async function deleteProfiles(
  target: MutationTarget,
  projectId: number,
  erased: readonly ErasedProfiles[],
): Promise<boolean> {
  const idsBefore = (name: 'personIds' | 'distinctIds') => erased.map((of) => ({ ids: of[name], until: versionAfter(of.until) }));
  const tables = [
    ['persons', '(NOT is_deleted) AND ', 'person_id', await untilOf(target, 'toUUID(id)', idsBefore('personIds'))],
    ['person_overrides', '', 'distinct_id', await untilOf(target, 'id', idsBefore('distinctIds'))],
  ] as const;
  const running = await mutatedTables(target, ofProject(projectId));
  let areGone = true;
  for (const [table, more, id, until] of tables) {
    if (until.size === 0) continue;
    const [hashes, versions] = [[...until.keys()].join(), [...until.values()].join()];
    const before = `transform(cityHash64(${id}), [${hashes}]::Array(UInt64), [${versions}]::Array(UInt64), 0::UInt64)`;
    const condition = `(project_id = ${projectId}) AND ${more}(version < ${before})`;
    const { rows } = await target.query({ sql: `SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1` });
    if (rows.length > 0 || running.has(table)) areGone = false;
    if (rows.length > 0 && !running.has(table)) await target.write(`ALTER TABLE ${table} DELETE WHERE ${condition}`);
  }
  return areGone;
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
  const running = await mutatedTables(target, ofProject(projectId));
  if (left.length === 0) return running.size === 0;
  for (const { name } of left) {
    if (!running.has(name)) await target.write(`ALTER TABLE ${name} DELETE WHERE (project_id = ${projectId})`);
  }
  return false;
}
