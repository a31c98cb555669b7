import { Duplex, PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFrames, writeFrame } from './protocol.js';

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const frames = fc.array(fc.record({ header: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), body: bytes }), {
  maxLength: 6,
});

/** Everything that is written, as one buffer. */
function written(list: { header: object; body: Buffer }[]): Buffer {
  const chunks: Buffer[] = [];
  const sink = new Duplex({
    read: () => {},
    write: (chunk, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  for (const { header, body } of list) writeFrame(sink, header, body);
  return Buffer.concat(chunks);
}

test('frames are decoded as encoded, for any chunks of the stream', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.infiniteStream(fc.integer({ min: 1, max: 50 })), async (list, sizes) => {
      const stream = new PassThrough();
      const received: { header: object; body: Buffer }[] = [];
      readFrames<object>(stream, (header, body) => received.push({ header, body }));
      let rest = written(list);
      for (const size of sizes) {
        if (rest.length === 0) break;
        stream.write(rest.subarray(0, size));
        rest = rest.subarray(size);
      }
      await new Promise((resolve) => stream.end(resolve).resume().once('end', resolve));
      expect(received.map(({ header, body }) => ({ header, body: body.toString('hex') }))).toEqual(
        list.map(({ header, body }) => ({ header: JSON.parse(JSON.stringify(header)), body: body.toString('hex') })),
      );
    }),
    { numRuns: 200 },
  );
});
