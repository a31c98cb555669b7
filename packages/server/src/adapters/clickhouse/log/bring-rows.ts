import { appendFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { isolate } from '../../../kernel/isolate.js';
import { isObject } from '../../../kernel/json.js';
import { EventsRejected, type EventTables } from '../../../ports/events.js';
import type { Piece } from '../engine/protocol.js';
import type { LogRecord } from './record.js';

/** Events whose like may already be in the table. */
const REPLAY = 'events_replay';

export interface RowsTarget {
  insert(table: string, rows: Buffer): Promise<void>;
  /** The same, of rows that the engine reads by itself: they need not go through a pipe. */
  insertFrom(table: string, pieces: readonly Piece[]): Promise<void>;
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
    const insert = (parts: readonly Buffer[]) =>
      target.insert(into, parts.length === 1 ? (parts[0] ?? EMPTY) : Buffer.concat(parts));
    const rows = records.map((record) => record.rows);
    const pieces = records.flatMap(({ place, rows: { length } }) => (place ? [{ ...place, length }] : []));
    try {
      await (pieces.length === records.length ? target.insertFrom(into, pieces) : insert(rows));
    } catch (error) {
      if (!isRejection(error)) throw error;
      const { refused } = await isolate(rows.flatMap(linesOf), insert, isRejection);
      const { refused: hopeless } = await isolate(refused.map(asText), insert, isRejection);
      if (hopeless.length === 0) return;
      log.error(
        { table, rows: hopeless.length, file: refusedFile },
        'the event store refuses rows in any form; they are kept in a file',
      );
      await appendFile(refusedFile, Buffer.concat(hopeless));
    }
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

const EMPTY = Buffer.alloc(0);
const NEWLINE = 10;

const isRejection = (error: unknown): boolean => error instanceof EventsRejected;

/** The lines of a buffer, each with its newline. */
function linesOf(rows: Buffer): Buffer[] {
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
