/** Rows of `events` as RowBinary: the engine reads them for half of what text costs it. */
export { BytesWriter, TooLong } from './bytes-writer.js';
export { EVENT_COLUMNS, EVENT_STRUCTURE } from './columns.js';
export { readEvents, readProperties } from './read-events.js';
export { writeEvent, writeEvents } from './write-event.js';
export { withTexts, writeJson } from './write-json.js';
