import { CLOSE_OBJECT, COMMA } from '../../kernel/json-bytes.js';
import type { ImportedEvent } from './event.js';

/** An event as JSON for `/batch/`. */
export interface EventJson {
  source: ImportedEvent;
  /** The event up to its properties. */
  head: string;
  /** The properties, which stand last. */
  properties: string | Uint8Array;
  /** Bytes of both with a brace, if every character is ASCII. */
  length: number;
}

/** Encodes an event. Bytes of a source are not copied. */
export function encodeEvent(source: ImportedEvent): EventJson {
  const { event, distinct_id, timestamp, uuid, properties, propertiesJson } = source;
  const head = `{"event":${JSON.stringify(event)},"distinct_id":${JSON.stringify(distinct_id)},"timestamp":"${timestamp}","uuid":"${uuid}","properties":`;
  const json = propertiesJson ?? JSON.stringify(properties);
  return { source, head, properties: json, length: head.length + json.length + 1 };
}

/** A request with these events. @param head what stands before the first one */
export function batchBody(head: string, events: readonly EventJson[]): Buffer {
  let size = 3 * head.length + 2;
  for (const event of events)
    size += 3 * event.head.length + (typeof event.properties === 'string' ? 3 : 1) * event.properties.length + 2;
  // no UTF-16 unit takes more than three bytes
  const body = Buffer.allocUnsafe(size);
  let at = body.write(head);
  let isFirst = true;
  for (const { head, properties } of events) {
    if (!isFirst) body[at++] = COMMA;
    isFirst = false;
    at += body.write(head, at);
    if (typeof properties === 'string') at += body.write(properties, at);
    else {
      body.set(properties, at);
      at += properties.length;
    }
    body[at++] = CLOSE_OBJECT;
  }
  at += body.write(']}', at);
  return body.subarray(0, at);
}
