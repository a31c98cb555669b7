/** Rows of `events` as RowBinary: the engine reads them for half of what JSON costs it (decision 0011). */

export { EVENT_COLUMNS, EVENT_STRUCTURE } from './columns.js';
export { readEvents, readProperties } from './read-events.js';
export { bytesOf, createPropertiesCodec, encodeEvents, isEncoded } from './write-events.js';
