import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { COPIED_TABLES, type EventCopies } from '../../../ports/event-copies.js';
import type { EventsStore } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { COPIES, ENGINE_COPIES } from '../engine/copy-files.js';
import { quoteText } from '../sql-literals.js';
import { appliedMigrations, copySource, mutationsEnd, snapshotOf } from './copy-source.js';
import { clearSql, createSnapshot, dropSnapshot, LOAD_SETTINGS, READ_SETTINGS, settingsOf, snapshotName } from './copy-sql.js';
import type { InsertGate } from './insert-gate.js';

/** The embedded engine as copies need it. */
export interface CopyTarget {
  /** The engine's directory. */
  directory: string;
  query: EventsStore['query'];
  write(sql: string): Promise<void>;
  /** Runs a statement that copies rows from or to a file, for as long as it takes. */
  copy(sql: string): Promise<void>;
  gate: InsertGate;
  scheduler: Scheduler;
  /** Resolves when the tables have all rows of the log. @throws EventsFull when the disk is too full for them */
  applied(): Promise<void>;
}

/** Copies of the embedded engine, which writes and reads files of its own directory: one at a time, and one on the disk. */
export async function createEmbeddedCopies({
  directory,
  query,
  write,
  copy,
  gate,
  scheduler,
  applied,
}: CopyTarget): Promise<EventCopies> {
  let files = 0;
  const nextFile = () => {
    const name = `${++files}.native.zst`;
    return { path: join(directory, COPIES, name), name };
  };

  async function readRows(select: string): Promise<Readable> {
    const { path, name } = nextFile();
    try {
      await copy(`${select} INTO OUTFILE ${quoteText(`${COPIES}/${name}`)} FORMAT Native${settingsOf(READ_SETTINGS)}`);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    const stream = createReadStream(path, { highWaterMark: 1024 * 1024 });
    stream.once('close', () => void rm(path, { force: true }).catch(() => {}));
    return stream;
  }

  // what a process that was killed has left
  for (const table of COPIED_TABLES) await write(dropSnapshot(table));

  return {
    ...copySource(query, readRows, (table) => table),
    snapshot: async (between) => {
      const take = async (table: string) => {
        for (const sql of createSnapshot(table)) await write(sql);
      };
      await gate.closedFor(async () => {
        await applied();
        for (const table of COPIED_TABLES) {
          await take(table);
          if (table === 'events') await between();
        }
      });
      return snapshotOf(copySource(query, readRows, snapshotName), async () => {
        for (const table of COPIED_TABLES) await write(dropSnapshot(table));
      });
    },
    settled: () => mutationsEnd(query, null, scheduler),
    load: async ({ table }, columns, content) => {
      const { path, name } = nextFile();
      const names = columns.join();
      try {
        await pipeline(content, createWriteStream(path, { flags: 'wx' }));
        await copy(
          `INSERT INTO ${table} (${names}) SELECT ${names} FROM file(${quoteText(`${ENGINE_COPIES}/${name}`)}, 'Native')${settingsOf(LOAD_SETTINGS)}`,
        );
      } finally {
        await rm(path, { force: true });
      }
    },
    clear: (unit) => copy(`${clearSql(unit)} SETTINGS mutations_sync = 2`),
    schema: appliedMigrations(query, null),
  };
}
