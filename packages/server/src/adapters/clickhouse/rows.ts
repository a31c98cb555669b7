import type { JsonObject } from '../../kernel/json.js';
import { createTurns } from '../../kernel/turns.js';
import type { EventTables, EventToInsert, ReadResult, RowsToInsert } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import type { RowsFormat } from './engine/protocol.js';
import { bytesOf, encodeEvents, isEncoded, readProperties } from './row-binary/index.js';

/** Rows in the form in which the engine reads them. */
export interface EncodedRows {
  format: RowsFormat;
  bytes: Buffer;
}

/** Events make nearly all of the rows, and RowBinary costs the engine half as much as JSON (decision 0011). */
const ENCODERS: {
  [Table in keyof RowsToInsert]: (rows: readonly RowsToInsert[Table][], scheduler: Scheduler) => Promise<EncodedRows>;
} = {
  events: async (rows, scheduler) => ({ format: 'binary', bytes: await encodeEvents(rows, scheduler) }),
  persons: async (rows, scheduler) => ({ format: 'lines', bytes: await encodeLines(rows.map(plainRow), scheduler) }),
  person_overrides: async (rows, scheduler) => ({ format: 'lines', bytes: await encodeLines(rows.map(plainRow), scheduler) }),
  groups: async (rows, scheduler) => ({ format: 'lines', bytes: await encodeLines(rows, scheduler) }),
};

/** Encodes rows of a table, with pauses for the event loop. */
export const encodeRows = <Table extends keyof RowsToInsert>(
  table: Table,
  rows: readonly RowsToInsert[Table][],
  scheduler: Scheduler,
): Promise<EncodedRows> => ENCODERS[table](rows, scheduler);

/** The row as it is stored, with its properties as an object, where they were encoded before. */
export function plainRow(row: RowsToInsert[keyof RowsToInsert]): Row {
  if ('event' in row) return { ...row, properties: plainProperties(row.properties) };
  if ('is_deleted' in row) {
    const { previous_created_at: _, first_distinct_ids: __, ...stored } = row;
    return stored;
  }
  if (!('person_id' in row)) return row;
  const { former_person_ids: _, ...stored } = row;
  return stored;
}

const plainProperties = (properties: EventToInsert['properties']): JsonObject =>
  isEncoded(properties) ? readProperties(bytesOf(properties)) : properties;

/** Characters of JSON that are encoded between two turns of the event loop: about 5 ms. */
const CHARACTERS_PER_TURN = 256 * 1024;
const NEWLINE = 10;

/** A row of any table. */
export type Row = EventTables[keyof EventTables];

/** Encodes rows as JSONEachRow: one JSON object a line. */
export async function encodeLines(rows: readonly Row[], scheduler: Scheduler): Promise<Buffer> {
  const turns = createTurns(scheduler, CHARACTERS_PER_TURN);
  const texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = `${shortIntegers(JSON.stringify(row))}\n`;
    texts.push(text);
    length += Buffer.byteLength(text);
    if (turns.isOver(text.length)) await turns.next();
  }
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const text of texts) {
    // one by one: a single wide character in a joined text would double the memory of all
    at += bytes.write(text, at, 'utf8');
    if (turns.isOver(text.length / 4)) await turns.next();
  }
  return bytes;
}

/** The rows that `encodeLines` encoded. @throws SyntaxError when a line is not JSON */
export function decodeLines(bytes: Buffer): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    if (end > at) rows.push(JSON.parse(bytes.toString('utf8', at, end)));
    at = end + 1;
  }
  return rows;
}

const STRING_FLOAT_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d+\.\d+|-?\d{19,}/g;

/** The same JSON text with integers that may not fit 64 bits in exponent form: ClickHouse refuses longer ones. */
export function shortIntegers(json: string): string {
  if (!/\d{19}/.test(json)) return json;
  return json.replace(STRING_FLOAT_OR_LONG, (token) => (/^-?\d+$/.test(token) ? Number(token).toExponential() : token));
}

interface Compact {
  meta: { name: string; type: string }[];
  data: unknown[][];
}

/** Parses a JSONCompact result, which names each column once, into row objects. */
export function parseResult<Row>(bytes: Buffer): ReadResult<Row> {
  const { meta, data }: Compact = JSON.parse(bytes.toString('utf8'));
  const toRow = ([...values]: unknown[]) => Object.fromEntries(meta.map(({ name }, i) => [name, values[i]])) as Row;
  return { rows: data.map(toRow), columns: meta.map(({ name, type }) => ({ name, type })) };
}
