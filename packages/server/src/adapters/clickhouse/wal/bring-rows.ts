import { appendFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { isolate } from '../../../kernel/bisect.js';
import { isObject } from '../../../kernel/json.js';
import { shortIntegers } from '../../../kernel/short-integers.js';
import { readEvents } from '../../../ports/event-rows/index.js';
import { EventsRejected, type EventTables, type RowsFormat } from '../../../ports/events.js';
import type { InsertInto, Piece } from '../engine/protocol.js';
import type { LogRecord } from './record.js';

/** Events whose like may already be in the table. */
const REPLAY = 'events_replay';

export interface RowsTarget {
  insert(into: InsertInto, rows: Buffer): Promise<void>;
  /** The same, of rows that the engine reads by itself: they need not go through a pipe. */
  insertFrom(into: InsertInto, pieces: readonly Piece[]): Promise<void>;
  write(sql: string): Promise<void>;
}

export interface BringRowsOptions {
  target: RowsTarget;
  /** Takes the lines that the tables refuse in any form, so that they are not lost. */
  refusedFile: string;
  log: Logger;
}

/** Makes what brings records of the log into their tables. */
export function createBringRows({ target, refusedFile, log }: BringRowsOptions) {
  return async (records: readonly LogRecord[], again: boolean): Promise<void> => {
    const tables = new Set(records.map(({ table }) => table));
    for (const table of tables) {
      const own = records.filter((record) => record.table === table);
      // of the other tables each row stands for its key, however often it is there
      if (again && table === 'events') await insertMissing(own);
      else await insertAll(table, table, own);
    }
  };

  /** Inserts rows; one that the table cannot take holds up none of the others. */
  async function insertAll(into: string, table: keyof EventTables, records: readonly LogRecord[]): Promise<void> {
    for (const format of FORMATS) {
      const own = records.filter((record) => record.format === format);
      if (own.length === 0) continue;
      try {
        await insertAsTheyStand({ table: into, format }, own);
      } catch (error) {
        if (!isRejection(error)) throw error;
        await insertEachLine(into, table, own);
      }
    }
  }

  function insertAsTheyStand(into: InsertInto, records: readonly LogRecord[]): Promise<void> {
    const pieces = records.flatMap(({ place, rows: { length } }) => (place ? [{ ...place, length }] : []));
    if (pieces.length === records.length) return target.insertFrom(into, pieces);
    return target.insert(into, joined(records.map(({ rows }) => rows)));
  }

  /** Inserts rows of which at least one is refused. */
  async function insertEachLine(into: string, table: keyof EventTables, records: readonly LogRecord[]): Promise<void> {
    const insert = (lines: readonly Buffer[]) => target.insert({ table: into, format: 'lines' }, joined(lines));
    const { refused } = await isolate(records.flatMap(linesOf), insert, isRejection);
    const { refused: hopeless } = await isolate(refused.map(asText), insert, isRejection);
    if (hopeless.length === 0) return;
    log.error(
      { table, rows: hopeless.length, file: refusedFile },
      'the event store refuses rows in any form; they are kept in a file',
    );
    await appendFile(refusedFile, Buffer.concat(hopeless));
  }

  /** Inserts the events that are not there yet: after a crash nobody knows which of them had arrived. */
  async function insertMissing(records: readonly LogRecord[]): Promise<void> {
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
const NEWLINE = 10;

const isRejection = (error: unknown): boolean => error instanceof EventsRejected;

const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));

/** The rows of a record as JSON lines, each with its newline. */
function linesOf({ format, rows }: LogRecord): Buffer[] {
  if (format === 'binary') return readEvents(rows).map((row) => Buffer.from(`${shortIntegers(JSON.stringify(row))}\n`));
  const lines: Buffer[] = [];
  for (let at = 0; at < rows.length; ) {
    const newline = rows.indexOf(NEWLINE, at);
    const end = newline < 0 ? rows.length : newline + 1;
    lines.push(rows.subarray(at, end));
    at = end;
  }
  return lines;
}

/** The line with its properties as text under one name, which any table takes and people can still read; else the line. */
function asText(line: Buffer): Buffer {
  try {
    const row: unknown = JSON.parse(line.toString('utf8'));
    if (!isObject(row) || row['properties'] === undefined) return line;
    const properties = { $raw_properties: JSON.stringify(row['properties']) };
    return Buffer.from(`${JSON.stringify({ ...row, properties })}\n`);
  } catch {
    return line;
  }
}
