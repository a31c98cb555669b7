import type { JsonObject } from '../../../kernel/json.js';
import type { EncodedProperties, PropertiesCodec } from '../../../ports/events.js';
import { BytesWriter, TooLong } from './bytes-writer.js';
import { appendTexts, writeJson } from './write-json.js';

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
