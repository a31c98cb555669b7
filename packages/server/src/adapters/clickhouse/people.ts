import {
  type CachedTable,
  type EventsStore,
  type People,
  QueryFailed,
  type ReadStatement,
  type RowsToInsert,
  type TableCache,
} from '../../ports/events.js';
import type { CacheStatement } from './table-cache.js';

/** Distinct ids that wait to be written into the table of a project; beyond, as with large imports, the project is no longer followed. */
const MAX_WAITING = 100_000;
/** Projects that are followed; beyond, the one that was not needed for the longest time is left. */
const MAX_PROJECTS = 20;
/** Additions to the table of a project after which it is written anew. */
const MAX_ADDITIONS = 200;
/** People of a project with more distinct ids are not followed. */
const MAX_PEOPLE = 5_000_000;

const DAY = 86_400_000;

interface Options extends Pick<TableCache, 'drop'> {
  create(statement: Pick<ReadStatement, 'sql' | 'params'>, isLong?: boolean): Promise<CachedTable>;
  append: CacheStatement;
  query: EventsStore['query'];
  /** Bytes of the tables of all projects. */
  maxBytes: number;
}

/** Days since 1970. */
export interface DayRange {
  first: number;
  /** The day after the last one. */
  end: number;
}

/** Follows whose events of a project change, from when somebody asks. */
export interface FollowedPeople {
  of(projectId: number): Promise<People>;
  inserted<Table extends keyof RowsToInsert>(table: Table, rows: readonly RowsToInsert[Table][]): void;
  touchedAnybody(projects: Iterable<number>): void;
  /** The UTC days between which distinct ids have events, by distinct id; those without events are left out. Null: the project is not followed. */
  daysOf(projectId: number, distinctIds: readonly string[]): Promise<ReadonlyMap<string, DayRange> | null>;
}

/** A distinct id, and a person to whom it belongs. */
interface Pair {
  distinctId: string;
  personId: string;
  at: number;
  /** The days of its events. */
  days: DayRange;
}

interface Project {
  id: number;
  table: CachedTable | null;
  /** The table before it was written anew, which a statement may still name. */
  former: string | null;
  anybody: number;
  waiting: Map<string, Pair>;
  additions: { at: number; rows: number }[];
  /** The end of what is being written; it never rejects. */
  idle: Promise<unknown>;
}

export function createPeople({ create, drop, append, query, maxBytes }: Options): FollowedPeople {
  /** The one that was needed last is the last. */
  const projects = new Map<number, Project>();
  /** Projects that were left because too many people were touched. */
  const lost = new Set<number>();
  let last = 0;

  function leave({ id, table, former }: Project): void {
    projects.delete(id);
    for (const name of [table?.name, former]) if (name) drop(name);
  }

  function follow(projectId: number): Project {
    const known = projects.get(projectId);
    const project: Project = known ?? {
      id: projectId,
      table: null,
      former: null,
      // nobody knows what changed before
      anybody: ++last,
      waiting: new Map(),
      additions: [],
      idle: Promise.resolve(),
    };
    projects.delete(projectId);
    projects.set(projectId, project);
    leaveSome(project);
    return project;
  }

  function leaveSome(needed: Project): void {
    const bytes = () => [...projects.values()].reduce((sum, { table }) => sum + (table?.bytes ?? 0), 0);
    for (const project of projects.values()) {
      if (project === needed || (projects.size <= MAX_PROJECTS && bytes() <= maxBytes)) return;
      leave(project);
    }
  }

  async function write(project: Project): Promise<People> {
    if (project.table && project.additions.length >= MAX_ADDITIONS) await writeAnew(project, project.table);
    project.table ??= await create({ sql: EVERYBODY, params: { project: project.id } });
    if (project.table.bytes > maxBytes) throw new QueryFailed(0, 'The project has too many people.');
    const [now, pairs] = [last, [...project.waiting.values()]];
    project.waiting.clear();
    if (pairs.length > 0) {
      await append(`INSERT INTO ${project.table.name} ${PAIRS}`, {
        ids: pairs.map(({ distinctId }) => distinctId),
        persons: pairs.map(({ personId }) => personId),
        changes: pairs.map(({ at }) => at),
        firsts: pairs.map(({ days }) => days.first),
        ends: pairs.map(({ days }) => days.end),
      });
      project.additions.push({ at: now, rows: pairs.length });
    }
    const additions = [...project.additions];
    return {
      table: project.table.name,
      last: now,
      anybody: project.anybody,
      touchedSince: (change) => additions.reduce((sum, { at, rows }) => (at > change ? sum + rows : sum), 0),
    };
  }

  /** Writes the last change of each row alone. */
  async function writeAnew(project: Project, { name, rows }: CachedTable): Promise<void> {
    const table = await create(
      {
        sql: `select p.hash as hash, p.number as number, max(p.at) as at, min(p.first_day) as first_day, max(p.end_day) as end_day
        from ${name} as p group by p.hash, p.number`,
      },
      false,
    );
    if (project.former) drop(project.former);
    project.former = name;
    project.table = table;
    const touched = project.additions.reduce((sum, one) => sum + one.rows, 0);
    project.additions = [{ at: last, rows: Math.min(touched, Math.max(rows, table.rows)) }];
  }

  async function of(projectId: number): Promise<People> {
    // the caller does without it for a while; the next call follows the project again
    if (lost.delete(projectId)) throw new QueryFailed(0, 'Too many people were touched at a time.');
    const project = follow(projectId);
    const result = project.idle.then(async () => {
      try {
        return await write(project);
      } catch (error) {
        // the engine and its tables may have ended, or pairs may be lost
        if (projects.get(projectId) === project) leave(project);
        throw error;
      }
    });
    project.idle = result.catch(() => {});
    return result;
  }

  return {
    of,
    daysOf: async (projectId, distinctIds) => {
      if (!projects.get(projectId)?.table) return null;
      const { table } = await of(projectId);
      const { rows } = await query<{ id: string } & DayRange>({
        sql: `select i.id as id, min(p.first_day) as first, max(p.end_day) as \`end\` from ${table} as p
          inner join (select arrayJoin({ids:Array(String)}) as id, cityHash64(id) as hash) as i on i.hash = p.hash
          where p.end_day > 0 group by i.id`,
        params: { ids: distinctIds },
        maxSeconds: 10,
      });
      return new Map(rows.map(({ id, first, end }) => [id, { first, end }]));
    },
    inserted: (table, rows) => {
      last += 1;
      if (projects.size === 0 || (table !== 'events' && table !== 'person_overrides')) return;
      for (const row of rows) {
        const project = projects.get(row.project_id);
        if (!project || !('distinct_id' in row)) continue;
        const { distinct_id: distinctId, person_id: personId } = row;
        const key = `${personId} ${distinctId}`;
        const known = project.waiting.get(key)?.days ?? NO_DAYS;
        const day = 'timestamp' in row ? Math.min(LAST_DAY, Math.max(0, Math.floor(row.timestamp / DAY))) : null;
        const days = day === null ? known : { first: Math.min(known.first, day), end: Math.max(known.end, day + 1) };
        project.waiting.set(key, { distinctId, personId, at: last, days });
        if (project.waiting.size <= MAX_WAITING) continue;
        leave(project);
        lost.add(project.id);
      }
    },
    touchedAnybody: (touched) => {
      last += 1;
      for (const id of touched) {
        const project = projects.get(id);
        if (project) project.anybody = last;
      }
    },
  };
}

/** The last day that a date of the engine can be; earlier and later times have the first and the last. */
const LAST_DAY = 65_535;
const NO_DAYS: DayRange = { first: LAST_DAY, end: 0 };

const NUMBER = 'cityHash64(person_id) as number, toUInt64(0) as at';

/** Everybody who has events, and everybody who was merged. A merge after this is an addition, so each person of a distinct id is there. */
const EVERYBODY = `select hash, number, at, first_day, toUInt32(end_day) as end_day from (
    select distinct_hash as hash, ${NUMBER}, toUInt32(toDate(min(timestamp))) as first_day, toUInt32(toDate(max(timestamp))) + 1 as end_day
    from events where project_id = {project:Int32} group by distinct_hash, person_id
    union all select cityHash64(distinct_id) as hash, ${NUMBER}, toUInt32(${NO_DAYS.first}) as first_day, ${NO_DAYS.end} as end_day
    from person_overrides where project_id = {project:Int32}
  ) settings max_rows_to_group_by = ${MAX_PEOPLE}, group_by_overflow_mode = 'throw'`;

const PAIRS = `select cityHash64(pair.1) as hash, cityHash64(pair.2) as number, pair.3 as at, pair.4 as first_day, pair.5 as end_day
  from (select arrayJoin(arrayZip({ids:Array(String)}, {persons:Array(UUID)}, {changes:Array(UInt64)}, {firsts:Array(UInt32)},
    {ends:Array(UInt32)})) as pair)`;
