import type { EventsStore, PersonTables, ReadStatement, TableInMemory } from '../../ports/events.js';
import type { ChangedPersons } from './changed-persons.js';
import { MEMORY_DATABASE } from './engine/protocol.js';

/** Part of the engine's memory that the tables may take. */
const MEMORY_SHARE = 1 / 8;

interface Options {
  /** Runs a statement that changes tables of {@link MEMORY_DATABASE}, after everything that was acknowledged is in the tables of events. */
  change(statement: Pick<ReadStatement, 'sql' | 'params'>): Promise<void>;
  query: EventsStore['query'];
  persons: ChangedPersons;
  /** Bytes that the engine may use. */
  memory: number;
}

export function createPersonTables({ change, query, persons, memory }: Options): PersonTables {
  let tables = 0;

  const drop = (name: string): void => {
    // the engine may have ended, and its tables with it
    change({ sql: `DROP TABLE IF EXISTS ${name} SYNC` }).catch(() => {});
  };

  return {
    maxBytes: Math.floor(memory * MEMORY_SHARE),
    lastChange: persons.lastChange,
    changedSince: persons.changedSince,
    create: async ({ sql, params = {} }): Promise<TableInMemory> => {
      // each table has a name of its own: the statement of one that ended with its engine must not find a later one
      const own = `rows_${++tables}`;
      const name = `${MEMORY_DATABASE}.${own}`;
      await change({ sql: `CREATE TABLE ${name} ENGINE = Memory EMPTY AS ${sql}`, params });
      try {
        await change({ sql: `INSERT INTO ${name} ${sql}`, params });
        const { rows } = await query<{ rows: number; bytes: number }>({
          sql: `select total_rows as rows, total_bytes as bytes from system.tables
            where database = '${MEMORY_DATABASE}' and name = {name:String}`,
          params: { name: own },
          allowStale: true,
        });
        return { name, rows: rows[0]?.rows ?? 0, bytes: rows[0]?.bytes ?? 0 };
      } catch (error) {
        drop(name);
        throw error;
      }
    },
    drop,
  };
}
