import type { JsonObject } from '../../../kernel/json.js';
import type { EncodedProperties, EventToInsert, PropertiesCodec } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { BytesWriter, TooLong } from './bytes.js';
import { PERSON_MODES } from './columns.js';
import { JsonReader } from './read-json.js';
import { appendTexts, writeJson } from './write-json.js';

/** Rows that are written between two turns of the event loop: about 1 ms. */
const ROWS_PER_TURN = 500;
/** Bytes of a row beside its properties, about; and of properties that are not encoded yet. */
const HEAD_BYTES = 200;
const PROPERTIES_BYTES = 1_000;

/** Encodes rows of `events`, as `readEvents` reads them. Properties that are encoded already are copied. */
export async function encodeEvents(rows: readonly EventToInsert[], scheduler: Scheduler): Promise<Buffer> {
  let size = 0;
  for (const { properties } of rows) size += HEAD_BYTES + (isEncoded(properties) ? properties.length : PROPERTIES_BYTES);
  const writer = new BytesWriter(size);
  for (const [i, row] of rows.entries()) {
    if (i > 0 && i % ROWS_PER_TURN === 0) await scheduler.yield();
    writeEvent(writer, row);
  }
  return writer.take();
}

/** Writes one row, its columns in the order of `EVENT_COLUMNS`. */
function writeEvent(to: BytesWriter, row: EventToInsert): void {
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
  if (isEncoded(row.properties)) to.bytes(bytesOf(row.properties));
  else writeJson(to, row.properties);
}

/** The codec of both ClickHouse stores. All calls share its buffers: none of them waits for anything. */
export function createPropertiesCodec(): PropertiesCodec {
  const writer = new BytesWriter();
  const extended = new BytesWriter();
  return {
    encode: (properties, maxBytes) => {
      writer.isUnclean = false;
      writer.limit = maxBytes;
      try {
        writeJson(writer, properties);
        const encoded = writer.take();
        // the writer checks its limit only when its buffer grows
        return encoded.length > maxBytes ? null : { encoded, isClean: !writer.isUnclean };
      } catch (error) {
        if (!(error instanceof TooLong)) throw error;
        writer.drop();
        return null;
      }
    },
    reader: (selected) => {
      const reader = new JsonReader(new BytesWriter(), new Set(selected));
      return (bytes, at) => reader.read(bytes, at);
    },
    withTexts: (encoded, texts) => {
      appendTexts(extended, bytesOf(encoded), texts);
      return extended.take();
    },
  };
}

/** Whether properties are encoded: the codec's own form is a Buffer. */
export const isEncoded = (properties: JsonObject | EncodedProperties): properties is EncodedProperties =>
  Buffer.isBuffer(properties);

/** @throws TypeError when another store encoded them */
export function bytesOf(encoded: EncodedProperties): Buffer {
  if (Buffer.isBuffer(encoded)) return encoded;
  throw new TypeError('These properties were not encoded by this store.');
}
