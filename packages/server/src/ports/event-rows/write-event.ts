import type { EventRow } from '../events.js';
import { BytesWriter } from './bytes-writer.js';
import { PERSON_MODES } from './columns.js';
import { writeJson } from './write-json.js';

/** Writes a row of `events`; `properties` as `writeJson` wrote them. */
export function writeEvent(to: BytesWriter, row: Omit<EventRow, 'properties'>, properties: Buffer): void {
  to.uint32(row.project_id);
  to.uuid(row.uuid);
  to.text(row.event);
  to.text(row.distinct_id);
  to.uuid(row.person_id);
  to.byte(PERSON_MODES[row.person_mode]);
  to.int64(row.timestamp);
  to.int64(row.inserted_at);
  to.text(row.elements_chain);
  to.text(row.group_0);
  to.text(row.group_1);
  to.text(row.group_2);
  to.text(row.group_3);
  to.text(row.group_4);
  to.bytes(properties);
}

/** Whole rows, as `readEvents` reads them. */
export function writeEvents(rows: readonly EventRow[]): Buffer {
  const writer = new BytesWriter();
  const parts = rows.map((row) => {
    writeJson(writer, row.properties);
    writeEvent(writer, row, writer.take());
    return writer.take();
  });
  return Buffer.concat(parts);
}
