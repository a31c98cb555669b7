import type { EventRow } from '../events.js';
import type { BytesWriter } from './bytes-writer.js';
import { PERSON_MODES } from './columns.js';

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
