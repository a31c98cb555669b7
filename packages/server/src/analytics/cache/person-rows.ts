import type { Caches } from '../../caches/index.js';
import type { Ports } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { type PersonTables, QueryFailed, type TableInMemory, type Workload } from '../../ports/events.js';
import { ownStatement } from '../execute.js';
import { bound, type Fragment, fragmentsIn, own, render, replaced, sql } from '../sql/fragment.js';
import { amongPersons } from '../sql/source.js';
import { identityOf } from './identity.js';

/** Runs a statement in the engine. */
export type RunStatement = <Row>(statement: Fragment) => Promise<Row[]>;

/** Rows by person in the memory of the event store: only those of persons with changed events are computed again. */
export interface PersonRows {
  /**
   * The rows of a statement over a select that is marked `byPerson`.
   * @param computeWhole computes the rows from events
   */
  rowsOf<Row>(statement: Fragment, request: PersonRowsRequest, computeWhole: () => Promise<Row[]>): Promise<Row[]>;
}

interface PersonRowsRequest {
  projectId: number;
  /** Who waits for the rows. Rows are cached by those of the background alone: that takes longer than computing the result. */
  workload: Workload;
  /** Runs a statement that reads cached rows. */
  run: RunStatement;
}

/** What is known about a select by person. */
interface Known {
  /** What the last computation from events took, milliseconds. */
  whole: number;
  /** Its rows; null: they are not cached. */
  table: TableInMemory | null;
  /** The change after which they were read. */
  at: number;
  /** The uptime at which they were used last. */
  usedAt: number;
  /** How many times in a row the cached rows saved nearly nothing. */
  vain: number;
  /** The uptime before which its rows are not cached. */
  pausedUntil: number;
}

interface Limits {
  /** Results that take less are computed from events, milliseconds. */
  worthwhile: number;
  /** Persons with changed events from which on the rows are cached anew. */
  renewAt: number;
  /** With more of them the result is computed from events. */
  most: number;
  /** Computations in a row that saved nearly nothing, after which the rows are dropped. */
  vain: number;
}

const LIMITS: Limits = { worthwhile: 150, renewAt: 10_000, most: 30_000, vain: 3 };
/** With more persons with changed events for each cached row, the result is computed from events, too. */
const MOST_SHARE = 0.25;
/** A computation that takes this part of one from events is in vain. */
const VAIN_SHARE = 0.8;
/** Rows that nobody has used for so long are dropped, and rows that could not be cached are not for so long; milliseconds. */
const PAUSE_MS = 600_000;
const MAX_KNOWN = 1_000;

/** Null: the store has no such tables. */
export function createPersonRows(
  { events, scheduler, log }: Pick<Ports, 'events' | 'scheduler' | 'log'>,
  caches: Caches,
  limits = LIMITS,
): PersonRows | null {
  const { personTables: tables } = events;
  return tables ? createRows(tables, { scheduler, log }, caches, limits) : null;
}

function createRows(
  tables: PersonTables,
  { scheduler, log }: Pick<Ports, 'scheduler' | 'log'>,
  caches: Caches,
  { worthwhile, renewAt, most, vain: mostVain }: Limits,
): PersonRows {
  /** By the identity of the select; the one that was used last is the last. */
  const all = new Map<string, Known>();
  /** Those whose rows are being cached. */
  const busy = new Set<string>();
  let [hits, misses] = [0, 0];
  const bytes = (): number => [...all.values()].reduce((sum, { table }) => sum + (table?.bytes ?? 0), 0);
  caches.add(() => ({
    name: 'person_rows',
    entries: [...all.values()].filter(({ table }) => table !== null).length,
    bytes: bytes(),
    hits,
    misses,
  }));

  function drop(known: Known): void {
    if (known.table) tables.drop(known.table.name);
    known.table = null;
  }

  function pause(known: Known): void {
    drop(known);
    known.pausedUntil = scheduler.uptime() + PAUSE_MS;
  }

  function knownOf(key: string): Known {
    const known = all.get(key) ?? { whole: 0, table: null, at: 0, usedAt: 0, vain: 0, pausedUntil: Number.NEGATIVE_INFINITY };
    known.usedAt = scheduler.uptime();
    all.delete(key);
    all.set(key, known);
    for (const [other, one] of all) {
      if (one === known || busy.has(other)) continue;
      const isIdle = known.usedAt - one.usedAt > PAUSE_MS;
      if (isIdle || bytes() > tables.maxBytes) drop(one);
      if (isIdle || all.size > MAX_KNOWN) all.delete(other);
    }
    return known;
  }

  /** Caches rows that a statement selects. Returns false if they are too many, or nobody knows whose events change. */
  async function cacheRows(key: string, known: Known, projectId: number, rows: Fragment): Promise<boolean> {
    const at = tables.lastChange(projectId);
    if (tables.changedSince(projectId, at) === null) return false;
    busy.add(key);
    try {
      const table = await tables.create(ownStatement(render(sql`select * from (${rows})`)));
      drop(known);
      known.table = table;
      known.at = at;
      if (table.bytes <= tables.maxBytes / 2) return true;
      pause(known);
      return false;
    } finally {
      busy.delete(key);
    }
  }

  /** Selects the rows from those that are cached, which are cached first where that is due. Null: they have to be computed from events. */
  async function sourceOf(
    key: string,
    known: Known,
    select: Fragment,
    { projectId, workload }: PersonRowsRequest,
  ): Promise<Fragment | null> {
    const mayCache = workload === 'background' && !busy.has(key);
    const persons = known.table && tables.changedSince(projectId, known.at);
    const isUsable = persons && persons.length <= Math.min(most, renewAt + (known.table?.rows ?? 0) * MOST_SHARE);
    if (known.table && isUsable) {
      const current = currentRows(known.table, select, projectId, persons);
      if (persons.length < renewAt || !mayCache) return current;
      return (await cacheRows(key, known, projectId, current)) ? rowsIn(known.table) : null;
    }
    const begun = scheduler.uptime();
    if (!mayCache || known.whole < worthwhile || begun < known.pausedUntil) return null;
    if (!(await cacheRows(key, known, projectId, select))) return null;
    known.whole = scheduler.uptime() - begun;
    return rowsIn(known.table);
  }

  return {
    rowsOf: async (statement, request, computeWhole) => {
      const [select, ...others] = fragmentsIn(statement, ({ isByPerson }) => isByPerson === true);
      const identity = select && others.length === 0 ? identityOf(statement) && identityOf(select) : null;
      if (!select || !identity || identity.readsProfiles) return computeWhole();
      const known = knownOf(identity.key);
      const { table } = known;
      const begun = scheduler.uptime();
      try {
        const source = await sourceOf(identity.key, known, select, request);
        if (source) {
          const rows: Awaited<ReturnType<typeof computeWhole>> = await request.run(replaced(statement, select, source));
          hits += 1;
          known.vain = scheduler.uptime() - begun > known.whole * VAIN_SHARE ? known.vain + 1 : 0;
          if (known.vain >= mostVain) pause(known);
          return rows;
        }
      } catch (error) {
        if (!(error instanceof QueryFailed || (error instanceof ApiError && error.code === 'invalid_input'))) throw error;
        // another caller may have cached the rows anew and dropped these
        if (known.table === table) drop(known);
        // tables end with their engine; any other failure would come again
        if (!(error instanceof QueryFailed && error.code === UNKNOWN_TABLE)) {
          pause(known);
          log.warn(
            { err: error, project: request.projectId },
            'rows by person cannot be used; the result is computed from events',
          );
        }
      }
      misses += 1;
      const from = scheduler.uptime();
      const rows = await computeWhole();
      known.whole = scheduler.uptime() - from;
      return rows;
    },
  };
}

/** ClickHouse's number for a table that does not exist. */
const UNKNOWN_TABLE = 60;

const rowsIn = (table: TableInMemory | null): Fragment => sql`select * from ${own(table?.name ?? '')}`;

/** The cached rows of all other persons, and new ones of those whose events have changed. */
function currentRows(table: TableInMemory, select: Fragment, projectId: number, persons: readonly string[]): Fragment {
  if (persons.length === 0) return rowsIn(table);
  const numbers = sql`select number from changed`;
  return sql`with changed as (select cityHash64(arrayJoin(${bound('Array(UUID)', persons)})) as number)
    select * from ${own(table.name)} where actor not in (${numbers})
    union all select * from (${amongPersons(select, projectId, numbers)})`;
}
