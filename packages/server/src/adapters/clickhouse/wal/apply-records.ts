import { appendFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { EventTables } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import type { FileRange, InsertTarget, RowsFormat } from '../engine/protocol.js';
import { insertAroundRefused, isRejection } from '../errors.js';
import { readEvents } from '../row-binary/index.js';
import { decodeLines, encodeLines, type Row } from '../rows.js';
import type { WalRecord } from './record.js';

/** The staging table of a replay: events of which some may be in `events` already. */
const REPLAY = 'events_replay';

/** The engine as the write-ahead log needs it. */
export interface ApplyTarget {
  insert(into: InsertTarget, rows: Buffer): Promise<void>;
  /** As {@link insert}, of rows that the engine process reads from files: they need not go through a pipe. */
  insertRanges(into: InsertTarget, ranges: readonly FileRange[]): Promise<void>;
  write(sql: string): Promise<void>;
}

export interface ApplyRecordsOptions {
  target: ApplyTarget;
  /** Receives the rows that the tables refuse in any form, as JSON lines. */
  refusedFile: string;
  log: Logger;
  scheduler: Scheduler;
}

/** Creates the function that applies records of the log to their tables. `isReplay`: an earlier try may have stored some of their rows. */
export function createApplyRecords({ target, refusedFile, log, scheduler }: ApplyRecordsOptions) {
  return async (records: readonly WalRecord[], isReplay: boolean): Promise<void> => {
    const tables = new Set(records.map(({ table }) => table));
    for (const table of tables) {
      const own = records.filter((record) => record.table === table);
      // rows of the other tables replace each other by key and version, so a repetition changes nothing
      if (isReplay && table === 'events') await insertMissing(own);
      else await insertAll(table, table, own);
    }
  };

  async function insertAll(into: string, table: keyof EventTables, records: readonly WalRecord[]): Promise<void> {
    for (const format of FORMATS) {
      const own = records.filter((record) => record.format === format);
      if (own.length === 0) continue;
      try {
        await insertEncoded({ table: into, format }, own);
      } catch (error) {
        if (!isRejection(error)) throw error;
        await insertDecoded(into, table, own);
      }
    }
  }

  function insertEncoded(into: InsertTarget, records: readonly WalRecord[]): Promise<void> {
    const ranges = records.flatMap(({ position, rows: { length } }) => (position ? [{ ...position, length }] : []));
    if (ranges.length === records.length) return target.insertRanges(into, ranges);
    return target.insert(into, joined(records.map(({ rows }) => rows)));
  }

  /** Inserts rows of which the table refuses at least one; the caller of the service has its answer already. */
  async function insertDecoded(into: string, table: keyof EventTables, records: readonly WalRecord[]): Promise<void> {
    const refused = await insertAroundRefused(records.flatMap(decode), async (rows) =>
      target.insert({ table: into, format: 'lines' }, await encodeLines(rows, scheduler)),
    );
    if (refused.length === 0) return;
    log.error(
      { table, rows: refused.length, file: refusedFile },
      'the event store refuses rows in any form; they are kept in a file',
    );
    await appendFile(
      refusedFile,
      await encodeLines(
        refused.map(({ asText }) => asText),
        scheduler,
      ),
    );
  }

  /** Inserts the events that are not in `events` yet: nobody knows which of them had arrived before a crash. */
  async function insertMissing(records: readonly WalRecord[]): Promise<void> {
    await target.write(`DROP TABLE IF EXISTS ${REPLAY} SYNC`);
    await target.write(`CREATE TABLE ${REPLAY} ENGINE = MergeTree ORDER BY uuid EMPTY AS SELECT * FROM events`);
    await insertAll(REPLAY, 'events', records);
    await target.write(`INSERT INTO events SELECT * FROM ${REPLAY}
      WHERE (project_id, uuid) NOT IN (
        SELECT project_id, uuid FROM events WHERE (project_id, toDate(timestamp), event, cityHash64(distinct_id)) IN (
          SELECT project_id, toDate(timestamp), event, cityHash64(distinct_id) FROM ${REPLAY}))
      LIMIT 1 BY project_id, uuid
      SETTINGS max_partitions_per_insert_block = 0, max_execution_time = 60`);
    await target.write(`DROP TABLE ${REPLAY} SYNC`);
  }
}

const FORMATS: readonly RowsFormat[] = ['binary', 'lines'];

const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));

const decode = ({ format, rows }: WalRecord): Row[] => (format === 'binary' ? readEvents(rows) : decodeLines(rows));
