import pLimit from 'p-limit';
import type { AppliedMerges, EventsStore } from '../../ports/events.js';
import { mutatedTables } from './delete-events.js';
import type { Mutations } from './topology.js';

/*
 * Merges of persons are written into the events, and their overrides are then deleted: docs/decisions/0084-merges-are-applied.md.
 */

const HOUR = 3_600_000;
/** Least time between two mutations of a project: each rewrites every part with an event of a merged person; milliseconds. */
const BETWEEN = 24 * HOUR;
/** Overrides of a project that are deleted at once. */
const AT_ONCE = 100_000;
/** The tables of {@link MERGES_SCHEMA}. */
const NOTES = ['overrides_seen', 'overrides_applied'] as const;

/**
 * The overrides that were seen, with which a mutation of events goes on after a crash, and those whose events were found to need no change,
 * with which a deletion does.
 */
export const MERGES_SCHEMA: readonly string[] = NOTES.map(
  (table) =>
    `CREATE TABLE IF NOT EXISTS ${table} (project_id UInt32, distinct_hash UInt64, person_id UUID, version UInt64)
     ENGINE = MergeTree ORDER BY (project_id, distinct_hash)`,
);

/** The store as merges need it. */
export interface MergeTarget {
  /** Waits for all rows that were inserted before. */
  query: EventsStore['query'];
  write(sql: string): Promise<void>;
  mutations: Mutations;
  /** Milliseconds that only grow, as those of `readAt`. */
  uptime(): number;
  /**
   * Refuses, from now on, rows of a project that were read before this time. Resolves with whether all that came earlier are in the tables
   * and nowhere else.
   */
  refuseBefore(projectId: number, time: number): Promise<boolean>;
}

/** Where a project is. `seen`, `checked`: uptime. `rows`: distinct ids whose overrides are deleted. */
type State =
  | { step: 'changing' }
  | { step: 'seen'; seen: number }
  | { step: 'checked'; seen: number; checked: number; rows: number }
  | { step: 'deleting'; rows: number };

/** What a store with deletions needs besides. */
interface Merges extends AppliedMerges {
  /**
   * Deletes what was noted of the overrides of a project, or of these distinct ids of it. Resolves with false while a mutation reads that: the
   * caller repeats the call.
   */
  forget(projectId: number, distinctIds?: readonly string[]): Promise<boolean>;
}

/** Applies merges for a store that one process writes to. */
export function createMerges({ query, write, mutations, uptime, refuseBefore }: MergeTarget): Merges {
  const states = new Map<number, State>();
  const started = new Map<number, number>();
  // what was noted must not change while a mutation that reads it begins
  const alone = pLimit(1);

  const isRunning = async (table: 'events' | 'person_overrides'): Promise<boolean> =>
    (await mutatedTables({ query, mutations })).has(table);
  const countOf = async (sql: string): Promise<number> => (await query<{ n: number }>({ sql })).rows[0]?.n ?? 0;

  async function deleteNotes(condition: string): Promise<void> {
    for (const table of NOTES) await write(`ALTER TABLE ${table} DELETE WHERE ${condition} SETTINGS mutations_sync = 1`);
  }

  /** Notes the overrides that are stored. Who reads the person of their distinct ids later knows of them. */
  async function see(projectId: number): Promise<State> {
    await deleteNotes(ofProject(projectId));
    // the same distinct ids before the mutation and after it
    await write(`INSERT INTO overrides_seen ${newest(projectId)} ORDER BY distinct_hash LIMIT ${AT_ONCE}`);
    return { step: 'seen', seen: uptime() };
  }

  async function begin(projectId: number): Promise<State | null> {
    // what was begun before a crash still reads what was seen then
    const mutated = await mutatedTables({ query, mutations });
    if (mutated.has('events') || mutated.has('person_overrides')) return null;
    const last = started.get(projectId);
    if (last !== undefined && uptime() - last < BETWEEN) return null;
    started.set(projectId, uptime());
    const seen = await see(projectId);
    const left = await countOf(`SELECT count() AS n FROM (${different(projectId)} LIMIT 1)`);
    if (left === 0) return seen;
    await write(`ALTER TABLE events UPDATE person_id = ${seenPerson(projectId)}
      WHERE (${ofProject(projectId)}) AND (distinct_hash IN (SELECT distinct_hash FROM overrides_seen WHERE ${ofProject(projectId)}))
        AND (person_id != ${seenPerson(projectId)})`);
    return { step: 'changing' };
  }

  async function check(projectId: number, state: State & { step: 'seen' }): Promise<State | null> {
    // rows that were on their way have an hour before they are refused
    if (uptime() - state.seen < HOUR || !(await refuseBefore(projectId, state.seen))) return state;
    await write(
      `INSERT INTO overrides_applied SELECT * FROM overrides_seen
       WHERE ${ofProject(projectId)} AND distinct_hash NOT IN (${different(projectId)})`,
    );
    const rows = await countOf(`SELECT count() AS n FROM overrides_applied WHERE ${ofProject(projectId)}`);
    return rows === 0 ? null : { step: 'checked', seen: state.seen, checked: uptime(), rows };
  }

  async function remove(projectId: number, state: State & { step: 'checked' }): Promise<State> {
    // no query lives for an hour: one that began before might read events as they were, and overrides as they are
    if (uptime() - state.checked < HOUR || (await isRunning('person_overrides'))) return state;
    // once more: until the log was empty a second time, its former file was there
    if (!(await refuseBefore(projectId, state.seen))) return state;
    // older ones first: the mutation ends with one part after the other, and while the newest is gone, an older one would count
    const older = await countOf(`SELECT count() AS n FROM (${applied(projectId, '<')} LIMIT 1)`);
    await write(`ALTER TABLE person_overrides DELETE
      WHERE (${ofProject(projectId)}) AND ((cityHash64(distinct_id), version) IN (${applied(projectId, older > 0 ? '<' : '=')}))`);
    return older > 0 ? state : { step: 'deleting', rows: state.rows };
  }

  async function advance(projectId: number): Promise<void> {
    const state = states.get(projectId);
    let next: State | null = state ?? null;
    if (!state) next = await begin(projectId);
    else if (state.step === 'changing') next = (await isRunning('events')) ? state : await see(projectId);
    else if (state.step === 'seen') next = await check(projectId, state);
    else if (state.step === 'checked') next = await remove(projectId, state);
    else if (!(await isRunning('person_overrides'))) {
      total += state.rows;
      next = null;
    }
    if (next) states.set(projectId, next);
    else states.delete(projectId);
  }

  async function forget(projectId: number, distinctIds?: readonly string[]): Promise<boolean> {
    let condition = ofProject(projectId);
    if (distinctIds) {
      const { rows } = await query<{ hash: string }>({
        sql: 'SELECT toString(cityHash64(arrayJoin({ids:Array(String)}))) AS hash',
        params: { ids: distinctIds },
      });
      condition = `(${condition}) AND (distinct_hash IN (${rows.map(({ hash }) => hash).join()}))`;
    }
    const left = NOTES.map((table) => `(SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1)`).join(' UNION ALL ');
    if ((await countOf(`SELECT count() AS n FROM (${left})`)) === 0) return true;
    const mutated = await mutatedTables({ query, mutations });
    if (mutated.has('events') || mutated.has('person_overrides')) return false;
    await deleteNotes(condition);
    return true;
  }

  let [stored, total] = [0, 0];
  return {
    projects: async (least) => {
      const { rows } = await query<{ project: number; overrides: number }>({
        sql: 'SELECT project_id AS project, uniqExact(distinct_id) AS overrides FROM person_overrides GROUP BY project',
      });
      stored = rows.reduce((sum, { overrides }) => sum + overrides, 0);
      const due = rows.flatMap(({ project, overrides }) => (overrides >= least ? [project] : []));
      // a round that has begun goes on, however few are left
      return [...new Set([...due, ...states.keys()])];
    },
    advance: (projectId) => alone(() => advance(projectId)),
    forget: async (projectId, distinctIds) => distinctIds?.length === 0 || alone(() => forget(projectId, distinctIds)),
    counts: () => ({ stored, applied: total }),
  };
}

const ofProject = (projectId: number): string => `project_id = ${Math.trunc(projectId)}`;

/** The newest override of each distinct id. */
const newest = (projectId: number): string =>
  `SELECT ${Math.trunc(projectId)} AS project_id, cityHash64(distinct_id) AS distinct_hash, argMax(o.person_id, o.version) AS person,
     max(o.version) AS newest
   FROM person_overrides AS o WHERE o.${ofProject(projectId)} GROUP BY distinct_hash`;

/** The person of an event by the overrides that were seen. They do not change while a mutation runs, so both lists belong together. */
function seenPerson(projectId: number): string {
  const list = (column: string) =>
    `(SELECT groupArray(${column}) FROM (SELECT ${column} FROM overrides_seen WHERE ${ofProject(projectId)} ORDER BY distinct_hash))`;
  const hashes = list('distinct_hash');
  // `transform` takes no uuids
  return `${list('person_id')}[transform(distinct_hash, ${hashes}, arrayEnumerate(${hashes}), 0::UInt32)]`;
}

/** The distinct ids with an event that names another person than their newest override. */
const different = (projectId: number): string =>
  `SELECT DISTINCT e.distinct_hash FROM events AS e INNER JOIN (${newest(projectId)}) AS o ON o.distinct_hash = e.distinct_hash
   WHERE e.${ofProject(projectId)} AND e.person_id != o.person`;

/** The overrides whose events were found to need no change, `=`, or older ones of their distinct ids, `<`. */
const applied = (projectId: number, compare: '=' | '<'): string =>
  `SELECT cityHash64(p.distinct_id), p.version FROM person_overrides AS p
   INNER JOIN overrides_applied AS a ON a.distinct_hash = cityHash64(p.distinct_id)
   WHERE (p.${ofProject(projectId)}) AND (a.${ofProject(projectId)}) AND (p.version ${compare} a.version)`;
