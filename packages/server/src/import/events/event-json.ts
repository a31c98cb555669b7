import { hasBrokenProperties, type ImportedEvent } from './event.js';

/** An event as JSON for `/batch/`. */
export interface EventJson {
  uuid: string;
  /** The event up to its properties. */
  head: string;
  /** The properties and what follows them. */
  properties: string | Uint8Array;
  /** Whether the service cannot read the properties, which nobody has parsed. */
  isBroken: () => boolean;
  /** Bytes of both, if every character is ASCII. */
  length: number;
}

const END = '}';

/** Encodes an event. The properties stand last, and bytes of a source are not copied. */
export function encodeEvent(source: ImportedEvent): EventJson {
  const { event, distinct_id, timestamp, uuid, properties, propertiesJson } = source;
  const head = `${JSON.stringify({ event, distinct_id, timestamp, uuid }).slice(0, -1)},"properties":`;
  const json = propertiesJson ?? JSON.stringify(properties);
  const isBroken = () => hasBrokenProperties(source);
  return { uuid, head, properties: json, isBroken, length: head.length + json.length + END.length };
}

/** A request with these events. @param head what stands before the first one */
export function batchBody(head: string, events: readonly EventJson[]): Buffer {
  let size = 3 * head.length + 2;
  for (const event of events)
    size += 3 * event.head.length + (typeof event.properties === 'string' ? 3 : 1) * event.properties.length + 2;
  // no UTF-16 unit takes more than three bytes
  const body = Buffer.allocUnsafe(size);
  let at = body.write(head);
  for (const [index, { head, properties }] of events.entries()) {
    if (index > 0) at += body.write(',', at);
    at += body.write(head, at);
    if (typeof properties === 'string') at += body.write(properties, at);
    else {
      body.set(properties, at);
      at += properties.length;
    }
    at += body.write(END, at);
  }
  at += body.write(']}', at);
  return body.subarray(0, at);
}
