import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decoding } from '../../../testing/decoding.js';
import { KEY, type RecordingCapture, startRecordingCapture } from '../../../testing/recording-capture.js';
import { ZSTD_BODIES, zstdBomb, zstdRaw, zstdText, zstdToil } from '../../../testing/zstd-bodies.js';
import { readPayload } from './read-payload.js';

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());
beforeEach(() => {
  service.captures.length = 0;
});

const stored = () => service.captures.flatMap((capture) => capture.events);

const post = (url: string, payload: Buffer | string, headers: Record<string, string>) =>
  service.app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, payload });

const ENCODERS = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', (text: string) => zstdRaw(Buffer.from(text))],
] as const;

describe('bodies in every encoding', () => {
  const TEXT = zstdText(KEY);

  test.each(ENCODERS)('%s by header and by query, on paths of v0', async (encoding, encode) => {
    const body = encode(TEXT);
    const expected = JSON.parse(TEXT).map(({ event }: { event: string }) => event);
    for (const [url, headers] of [
      ['/batch/', { 'content-encoding': encoding }],
      ['/i/v0/e/', { 'content-encoding': ` ${encoding.toUpperCase()}` }],
      [`/e/?compression=${encoding}`, { 'content-type': 'text/plain' }],
    ] as const) {
      service.captures.length = 0;
      const answer = await post(url, body, headers);
      expect([answer.statusCode, answer.body]).toEqual([200, '{"status":"Ok"}']);
      expect(stored().map(({ event }) => event)).toEqual(expected);
    }
  });

  test.each(ENCODERS)('%s to /flags', async (encoding, encode) => {
    const answer = await post('/flags/?v=2', encode(JSON.stringify({ token: KEY, distinct_id: 'ann' })), {
      'content-encoding': encoding,
    });
    expect([answer.statusCode, answer.json().flags]).toEqual([200, {}]);
  });

  test('the output of a real encoder is decoded, also two frames with a skippable one between', async () => {
    const read = (body: Buffer) =>
      readPayload(
        {
          body,
          data: undefined,
          compression: undefined,
          contentType: undefined,
          contentEncoding: 'zstd',
          legacy: false,
          cap: 1e6,
        },
        decoding,
      );
    const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    for (const body of ZSTD_BODIES) {
      expect((await read(body)).toString()).toBe(zstdText());
      expect((await read(Buffer.concat([body, skipped, body]))).toString()).toBe(zstdText().repeat(2));
      expect((await read(zstdRaw(Buffer.from('x'.repeat(300_000))))).toString()).toBe('x'.repeat(300_000));
    }
  });

  test.each([
    ['zstd', zstdBomb(2_000), 413],
    ['zstd', zstdBomb(1, 31), 413],
    ['zstd', ZSTD_BODIES[0]?.subarray(0, -20), 400],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 400],
    ['zstd', Buffer.from('{"event":"a"}'), 400],
    ['br', Buffer.from('{"event":"a"}'), 400],
    ['deflate', Buffer.from('{"event":"a"}'), 400],
    ['deflate', deflateSync(TEXT).subarray(0, -20), 400],
    ['deflate', deflateSync(Buffer.alloc(101 * 1024 * 1024, ' ')), 413],
  ])('an invalid or truncated %s and a decompression bomb are refused', async (encoding, body, status) => {
    const before = process.memoryUsage.rss();
    const answer = await post('/batch/', body ?? '', { 'content-encoding': encoding });
    expect([answer.statusCode, answer.body]).toEqual([
      status,
      status === 413 ? 'The payload is too large.' : `The payload could not be decompressed as ${encoding}.`,
    ]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(500 * 1024 * 1024);
    expect(stored()).toEqual([]);
  });

  test('bodies with changed bytes are refused or decoded, and do not delay others', async () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 200; round++) {
      const body = Buffer.from(ZSTD_BODIES[round % 2] ?? '');
      for (let i = 0; i <= round % 4; i++) body[random(body.length)] = random(256);
      const { statusCode } = await post('/batch/', body, { 'content-encoding': 'zstd' });
      expect([200, 400, 401, 413, 503]).toContain(statusCode);
    }
  });

  test('decoding has a time limit, and other requests are served meanwhile and afterwards', async () => {
    let isDone = false;
    const toil = post('/batch/', zstdToil(200), { 'content-encoding': 'zstd' }).finally(() => {
      isDone = true;
    });
    let latest = 0;
    while (!isDone) {
      const startedAt = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
      latest = Math.max(latest, performance.now() - startedAt - 5);
    }
    expect([400, 503]).toContain((await toil).statusCode);
    // a block of this takes seconds
    expect(latest).toBeLessThan(1_000);
    expect((await post('/batch/', zstdRaw(Buffer.from(TEXT)), {})).statusCode).toBe(200);
  }, 60_000);

  test('the refusal of an unknown encoding has its name', async () => {
    const body = Buffer.from([0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59, 0xfe]);
    const sentence = (name: string) => `The encoding "${name}" is not taken here: use gzip, deflate, br or zstd, or none.`;
    for (const [url, headers, name] of [
      ['/batch/', { 'content-encoding': 'snappy' }, 'snappy'],
      ['/e/?compression=lzma', {}, 'lzma'],
      ['/flags/', { 'content-encoding': 'gzip, br' }, 'gzip, br'],
      ['/s/', { 'content-encoding': 'compress' }, 'compress'],
    ] as const) {
      const answer = await post(url, body, headers);
      expect([answer.statusCode, answer.body]).toEqual([400, sentence(name)]);
    }
    // and what a proxy has decoded and not renamed is taken
    expect((await post('/batch/', TEXT, { 'content-encoding': 'snappy' })).statusCode).toBe(200);
  });
});

describe('JSON lines', () => {
  const events = [
    { event: 'a', distinct_id: 'ann', token: KEY, properties: { text: 'one\ntwo, "three"' } },
    { event: 'b', distinct_id: 'bob', token: KEY },
  ];
  const lines = events.map((one) => JSON.stringify(one));

  test.each([
    ['', '\n', ''],
    ['', '\n', '\n'],
    ['\n\n', '\r\n \t\r\n', '\n\n'],
  ])('with %j before, %j between and %j after the values', async (before, between, behind) => {
    const body = `${before}${lines.join(between)}${behind}`;
    for (const type of ['application/x-ndjson', 'application/ndjson; charset=utf-8', 'application/jsonl']) {
      service.captures.length = 0;
      const answer = await post('/batch/', gzipSync(body), { 'content-type': type });
      expect([answer.statusCode, answer.body]).toEqual([200, '{"status":"Ok"}']);
      expect(stored().map(({ event, properties }) => [event, properties])).toEqual([
        ['a', { text: 'one\ntwo, "three"' }],
        ['b', {}],
      ]);
    }
  });

  test('many lines are parsed in slices', async () => {
    const line = `${JSON.stringify({ ...events[1], properties: { text: 'x'.repeat(900) } })}\n`;
    const answer = await post('/batch/', line.repeat(10_000), { 'content-type': 'application/x-ndjson' });
    expect([answer.statusCode, stored().length]).toEqual([200, 10_000]);
  });

  test.each([
    ['a value on two lines', '{"event":\n"a"}', 'The payload is not valid JSON.'],
    ['nothing but blank lines', '\n \n', 'The batch holds no events.'],
    ['a line that is no object', `${lines[0]}\n7`, 'An event is not a JSON object.'],
  ])('%s is refused', async (_name, body, sentence) => {
    const answer = await post('/batch/', body, { 'content-type': 'application/x-ndjson' });
    expect([answer.statusCode, answer.body]).toEqual([400, sentence]);
  });
});
