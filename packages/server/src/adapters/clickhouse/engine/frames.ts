import type { Duplex } from 'node:stream';

/** Bytes before the header: two 32-bit lengths, of the header and of the body. */
const PREFIX = 8;
const EMPTY = Buffer.alloc(0);

/** Writes `[u32 header length][u32 body length][header as JSON][body]`. The body is not copied. */
export function writeFrame(stream: Duplex, header: object, body: Buffer = EMPTY): void {
  const json = Buffer.from(JSON.stringify(header));
  const head = Buffer.allocUnsafe(PREFIX + json.length);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(body.length, 4);
  json.copy(head, PREFIX);
  stream.cork();
  stream.write(head);
  if (body.length > 0) stream.write(body);
  stream.uncork();
}

/** Calls `onFrame` with each complete frame of the stream. Each body is a separate buffer, which is written once. */
export function readFrames<Header>(stream: Duplex, onFrame: (header: Header, body: Buffer) => void): void {
  let target = Buffer.allocUnsafe(PREFIX);
  let filled = 0;
  let headerLength = -1;

  stream.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      const taken = chunk.copy(target, filled, at);
      at += taken;
      filled += taken;
      if (filled === target.length) take();
    }
  });

  function take(): void {
    if (headerLength < 0) {
      headerLength = target.readUInt32LE(0);
      // sized to the frame, so that a body of megabytes is copied from the socket's chunks only once
      target = Buffer.allocUnsafeSlow(headerLength + target.readUInt32LE(4));
      filled = 0;
      return;
    }
    const frame = target;
    const length = headerLength;
    target = Buffer.allocUnsafe(PREFIX);
    filled = 0;
    headerLength = -1;
    onFrame(JSON.parse(frame.toString('utf8', 0, length)), frame.subarray(length));
  }
}
