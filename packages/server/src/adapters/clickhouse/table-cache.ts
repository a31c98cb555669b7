import type { CachedTable, EventsStore, RowsToInsert, TableCache } from '../../ports/events.js';
import { CACHE_DATABASE } from './engine/protocol.js';
import { createPeople, type FollowedPeople } from './people.js';

/** Runs a statement that changes tables of {@link CACHE_DATABASE}, after everything that was acknowledged is in the tables of events. */
export type CacheStatement = (sql: string, params?: Record<string, unknown>, isLong?: boolean) => Promise<void>;

/** A cache of tables, and what its store has to tell about its changes. */
export interface TrackedTables extends TableCache {
  /** As `Changes.inserted`. */
  inserted<Table extends keyof RowsToInsert>(table: Table, rows: readonly RowsToInsert[Table][]): void;
  /** Records that the events of anybody in these projects may change. */
  touchedAnybody(projects: Iterable<number>): void;
  daysOf: FollowedPeople['daysOf'];
}

/**
 * Stores the rows of statements in tables of the engine's memory, for a store with a single writer.
 * @param memory bytes that the engine may use
 */
export function createTableCache(change: CacheStatement, query: EventsStore['query'], memory: number): TrackedTables {
  let tables = 0;
  // of each table its own name: the statement of a table that ended with its engine must not find a later one
  const newName = (): string => `${CACHE_DATABASE}.rows_${++tables}`;

  const drop = (name: string): void => {
    // the engine may have ended, and its tables with it
    change(`DROP TABLE IF EXISTS ${name} SYNC`).catch(() => {});
  };

  async function create({ sql, params }: Parameters<TableCache['create']>[0], isLong = true): Promise<CachedTable> {
    const name = newName();
    await change(`CREATE TABLE ${name} ENGINE = Memory EMPTY AS ${sql}`, params);
    try {
      await change(`INSERT INTO ${name} ${sql}`, params, isLong);
      const { rows } = await query<{ rows: number; bytes: number }>({
        sql: `select total_rows as rows, total_bytes as bytes from system.tables
          where database = '${CACHE_DATABASE}' and name = {name:String}`,
        params: { name: name.slice(CACHE_DATABASE.length + 1) },
        allowStale: true,
      });
      return { name, rows: rows[0]?.rows ?? 0, bytes: rows[0]?.bytes ?? 0 };
    } catch (error) {
      drop(name);
      throw error;
    }
  }

  const people = createPeople({ create, drop, append: change, query, maxBytes: Math.floor(memory / 8) });
  return {
    create: (statement) => create(statement),
    drop,
    people: people.of,
    inserted: people.inserted,
    touchedAnybody: people.touchedAnybody,
    daysOf: people.daysOf,
  };
}
