import type { JsonObject } from '../../kernel/json.js';
import type { EventToInsert, RowsToInsert } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import type { RowsFormat } from './engine/protocol.js';
import { encodeLines, type Row } from './json-lines.js';
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
  persons: async (rows, scheduler) => ({ format: 'lines', bytes: await encodeLines(rows, scheduler) }),
  person_overrides: async (rows, scheduler) => ({ format: 'lines', bytes: await encodeLines(rows, scheduler) }),
  groups: async (rows, scheduler) => ({ format: 'lines', bytes: await encodeLines(rows, scheduler) }),
};

/** Encodes rows of a table, with pauses for the event loop. */
export const encodeRows = <Table extends keyof RowsToInsert>(
  table: Table,
  rows: readonly RowsToInsert[Table][],
  scheduler: Scheduler,
): Promise<EncodedRows> => ENCODERS[table](rows, scheduler);

/** The row with its properties as an object, where they were encoded before. */
export const plainRow = (row: RowsToInsert[keyof RowsToInsert]): Row =>
  'event' in row ? { ...row, properties: plainProperties(row.properties) } : row;

const plainProperties = (properties: EventToInsert['properties']): JsonObject =>
  isEncoded(properties) ? readProperties(bytesOf(properties)) : properties;
