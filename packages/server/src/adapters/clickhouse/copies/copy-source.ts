import { sleep } from '../../../kernel/scheduler.js';
import type { CopyUnit, EventCopySource, EventSnapshot, MeasuredUnit } from '../../../ports/event-copies.js';
import { COPIED_TABLES } from '../../../ports/event-copies.js';
import type { EventsStore } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { mutatedTables } from '../delete-events.js';
import { migrationsOf, mutationsOf, type Topology } from '../topology.js';
import { COLUMNS, measureStatement, type NameOf, rowsSql, unitsStatement } from './copy-sql.js';

/** How an engine gives the rows of a `SELECT`, in Native with Zstandard. */
export type ReadRows = (select: string) => ReturnType<EventCopySource['read']>;

/** Snapshots that keep their rows until `close`. */
export const snapshotOf = (source: EventCopySource, close: () => Promise<void>): EventSnapshot => ({
  units: source.units,
  columns: source.columns,
  take: async (unit) => ({ unit, content: await source.read(unit) }),
  close,
});

/** Reads units of the tables that `nameOf` names. */
export function copySource(query: EventsStore['query'], readRows: ReadRows, nameOf: NameOf): EventCopySource {
  return {
    units: async () => {
      const units: MeasuredUnit[] = [];
      for (const table of COPIED_TABLES) units.push(...(await query<MeasuredUnit>(unitsStatement(table, nameOf))).rows);
      return units;
    },
    measure: async (unit: CopyUnit) => {
      const { rows } = await query<Pick<MeasuredUnit, 'rows' | 'checksum'>>(measureStatement(unit, nameOf));
      return { ...unit, rows: 0, checksum: '0', ...rows[0] };
    },
    columns: (table) => COLUMNS[table],
    read: (unit) => readRows(rowsSql(unit, nameOf)),
  };
}

/** Pause between two looks at the mutations that run; milliseconds. */
const LOOK_EVERY = 500;

/** Waits until no mutation runs. */
export async function mutationsEnd(query: EventsStore['query'], topology: Topology | null, scheduler: Scheduler): Promise<void> {
  const mutations = mutationsOf(topology);
  while ((await mutatedTables({ query, mutations })).size > 0) await sleep(scheduler, LOOK_EVERY);
}

/**
 * Reads the names of the applied migrations, once: the store was migrated when it was opened, and every probe of the health asks for
 * them. After a failure the next call reads again.
 */
export function appliedMigrations(query: EventsStore['query'], topology: Topology | null): () => Promise<string[]> {
  const { from, settings } = migrationsOf(topology);
  let names: Promise<string[]> | null = null;
  return () => {
    names ??= query<{ name: string }>({ sql: `SELECT DISTINCT name FROM ${from} ORDER BY name${settings}` }).then(
      ({ rows }) => rows.map(({ name }) => name),
      (error) => {
        names = null;
        throw error;
      },
    );
    return names;
  };
}
