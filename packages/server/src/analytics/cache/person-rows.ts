import type { Caches } from '../../caches/index.js';
import type { Ports } from '../../deps.js';
import { type CachedTable, type EventsStore, type People, QueryFailed, type TableCache } from '../../ports/events.js';
import { ownStatement } from '../execute.js';
import { bound, type Fragment, own, render, sql } from '../sql/fragment.js';
import { PERSON_NUMBER } from '../sql/property.js';
import { identityOf } from './identity.js';

/** A statement over rows of which each depends on the events of one person. */
export interface PersonQuestion {
  /**
   * Selects these rows: `actor`, the number of the person, and further columns.
   * @param only conditions on the people whose rows are selected; absent: of all
   */
  rows(only?: { among: readonly Fragment[] }): Fragment;
  /** Selects from such rows, whatever their order is. */
  over(rows: Fragment): Fragment;
}

/** Rows by person of costly results, in the memory of the event store: only those of people with new events are computed again. */
export interface PersonRows {
  /**
   * The rows of a statement.
   * @param run runs a statement in the engine
   * @param isWorthwhile caches the rows by person, if they are not cached
   * @param isAwaited somebody waits: nothing is cached now, which takes longer
   */
  rowsOf<Row extends object>(
    question: PersonQuestion,
    run: (statement: Fragment) => Promise<Row[]>,
    options: PersonOptions,
  ): Promise<Row[]>;
}

interface PersonOptions {
  projectId: number;
  isWorthwhile: boolean;
  isAwaited: boolean;
}

/** Rows that are cached. */
interface Base {
  /** Null: they are too many. */
  table: CachedTable | null;
  /** The change after which they were read. */
  at: number;
  /** When they were used last, epoch milliseconds. */
  usedAt: number;
}

interface Limits {
  /** Bytes of all cached rows. */
  bytes: number;
  /** Touched distinct ids from which on the rows are cached anew. */
  touched: number;
}

/** The limits for an engine with so many bytes of memory. */
export const personRowLimits = (memory: number): Limits => ({ bytes: Math.floor(memory / 8), touched: 10_000 });
/** Rows that nobody has used for so long are dropped, milliseconds. */
const IDLE_MS = 600_000;
/** With more touched distinct ids for each row of the base, all rows are computed instead. */
const MOST_TOUCHED = 0.25;

/** ClickHouse's number for a table that does not exist. */
const UNKNOWN_TABLE = 60;

/** Null: the store has no cache of tables. */
export function createPersonRows(
  { events: { tableCache }, clock, log }: Pick<Ports, 'clock' | 'log'> & { events: Pick<EventsStore, 'tableCache'> },
  caches: Caches,
  limits: Limits,
): PersonRows | null {
  if (!tableCache) return null;
  /** By their statement; the one that was used last is the last. */
  const bases = new Map<string, Base>();
  /** Statements whose base is being used or made. */
  const busy = new Set<string>();
  let [hits, misses] = [0, 0];
  const bytes = (): number => [...bases.values()].reduce((sum, { table }) => sum + (table?.bytes ?? 0), 0);
  caches.add(() => ({ name: 'person_rows', entries: bases.size, bytes: bytes(), hits, misses }));

  function forget(key: string): void {
    const table = bases.get(key)?.table;
    bases.delete(key);
    if (table) tableCache?.drop(table.name);
  }

  function remember(key: string, base: Base): void {
    const former = bases.get(key)?.table;
    bases.delete(key);
    bases.set(key, base);
    if (former && former !== base.table) tableCache?.drop(former.name);
    for (const [other, { usedAt }] of bases) {
      if (Math.abs(base.usedAt - usedAt) > IDLE_MS || (other !== key && bytes() > limits.bytes)) forget(other);
    }
  }

  /** Reads the rows from the base, after it was made or made anew where that is due. Null: there is no base. */
  async function currentRows(
    tables: TableCache,
    key: string,
    { rows }: PersonQuestion,
    { projectId, isAwaited }: PersonOptions,
  ): Promise<Fragment | null> {
    const people = await tables.people(projectId);
    const base = bases.get(key);
    const touched = base ? people.touchedSince(base.at) : 0;
    const isUsable = base?.table && base.at >= people.anybody && touched <= base.table.rows * MOST_TOUCHED + limits.touched;
    const { numbers, among } = touchedSince(people, base?.at ?? 0);
    const wanted =
      base?.table && isUsable
        ? sql`select * from ${own(base.table.name)} where actor not in (${numbers})
            union all select * from (${rows({ among })})`
        : sql`select * from (${rows()})`;
    if (base && isUsable && (isAwaited || touched <= limits.touched)) {
      hits += 1;
      remember(key, { ...base, usedAt: clock.now() });
      return wanted;
    }
    misses += 1;
    if (isAwaited) return null;
    const table = await tables.create(ownStatement(render(wanted)));
    const isSmall = table.bytes <= limits.bytes / 2;
    if (!isSmall) tables.drop(table.name);
    remember(key, { table: isSmall ? table : null, at: people.last, usedAt: clock.now() });
    return isSmall ? sql`select * from ${own(table.name)}` : null;
  }

  return {
    rowsOf: async (question, run, options) => {
      const { rows, over } = question;
      const identity = identityOf(rows());
      const key = identity === null || identity.readsProfiles ? null : identity.key;
      const base = key === null ? undefined : bases.get(key);
      const isCacheable = base ? base.table !== null : options.isWorthwhile && !options.isAwaited;
      if (key === null || busy.has(key) || !isCacheable) return run(over(rows()));
      busy.add(key);
      try {
        const current = await currentRows(tableCache, key, question, options);
        return await run(over(current ?? rows()));
      } catch (error) {
        if (!(error instanceof QueryFailed)) throw error;
        forget(key);
        // the tables end with their engine; any other failure would come again
        if (error.code !== UNKNOWN_TABLE) {
          log.warn(
            { err: error, project: options.projectId },
            'the rows of a result could not be cached; it is computed as a whole',
          );
          remember(key, { table: null, at: 0, usedAt: clock.now() });
        }
        return await run(over(rows()));
      } finally {
        busy.delete(key);
      }
    },
  };
}

/**
 * Everybody whose rows may have changed. Everybody to whom a touched distinct id ever belonged may have gained or lost events, and their rows
 * depend on all distinct ids that ever belonged to them.
 */
function touchedSince({ table }: People, change: number): { numbers: Fragment; among: readonly Fragment[] } {
  const everybody = own(table);
  const touched = sql`select hash from ${everybody} where at > ${bound('Int64', change)}`;
  const numbers = sql`select number from ${everybody} where hash in (${touched})`;
  const hashes = sql`select hash from ${everybody} where number in (${numbers})`;
  return { numbers, among: [sql`e.distinct_hash in (${hashes})`, sql`${PERSON_NUMBER} in (${numbers})`] };
}
