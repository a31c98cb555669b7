import { gzipSync } from 'node:zlib';
import {
  anything,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  stringify,
  uint8Array,
} from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, NOW, type RecordingCapture, startRecordingCapture } from '../../testing/recording-capture.js';

const DOCUMENTED = [200, 204, 400, 401, 405, 408, 413, 415];

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());

const url = constantFrom(
  '/e/',
  '/i/v0/e',
  '/batch/',
  '/engage',
  '/s/',
  '/flags/?v=2',
  '/decide/?v=3',
  '/e/?compression=gzip-js',
  '/track?compression=lz64',
  '/batch?compression=base64',
);
const contentType = constantFrom(
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=UTF-8',
  '',
  '/',
  'multipart/form-data',
);

async function expectDocumented(request: { url: string; body: Buffer; headers: Record<string, string> }): Promise<number> {
  service.captures.length = 0;
  const response = await service.app.inject({
    method: 'POST',
    url: request.url,
    headers: request.headers,
    payload: request.body,
  });
  expect(DOCUMENTED).toContain(response.statusCode);
  for (const event of service.captures.flatMap((capture) => capture.events)) {
    // whatever came in, what goes on can be written and read again
    expect(JSON.parse(Buffer.from(JSON.stringify(event)).toString())).toEqual(JSON.parse(JSON.stringify(event)));
    expect([event.event, event.distinctId].join()).not.toMatch(/\0/);
    expect(Number.isSafeInteger(event.timestamp)).toBe(true);
  }
  return response.statusCode;
}

test('random bytes get a documented response', async () => {
  await assert(
    asyncProperty(url, contentType, uint8Array({ maxLength: 400 }), async (path, type, bytes) => {
      await expectDocumented({ url: path, body: Buffer.from(bytes), headers: { 'content-type': type } });
    }),
    { numRuns: 250 },
  );
});

const valid = Buffer.from(
  JSON.stringify({
    api_key: KEY,
    sent_at: new Date(NOW).toISOString(),
    batch: [
      {
        event: 'e',
        distinct_id: 'a',
        uuid: '0190a0b0-0000-7000-8000-00000000000a',
        timestamp: new Date(NOW).toISOString(),
        properties: { $set: { a: 1 }, b: '\ud83d\ude00' },
      },
    ],
  }),
);
const wrappings: Record<string, (bytes: Buffer) => Buffer> = {
  plain: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  base64: (bytes) => Buffer.from(bytes.toString('base64')),
  form: (bytes) => Buffer.from(`data=${encodeURIComponent(bytes.toString('base64'))}`),
};
const wrapping = constantFrom(...Object.keys(wrappings));

test('valid bodies with bytes changed, before and after encoding', async () => {
  const change = record({ at: integer({ min: 0, max: 400 }), byte: integer({ min: 0, max: 255 }) });
  const apply = (bytes: Buffer, changes: { at: number; byte: number }[]) => {
    const out = Buffer.from(bytes);
    for (const { at, byte } of changes) out[at % out.length] = byte;
    return out;
  };
  await assert(
    asyncProperty(
      url,
      contentType,
      wrapping,
      array(change, { maxLength: 3 }),
      array(change, { maxLength: 3 }),
      async (path, type, name, inner, outer) => {
        const wrapped = wrappings[name]?.(apply(valid, inner)) ?? valid;
        await expectDocumented({ url: path, body: apply(wrapped, outer), headers: { 'content-type': type } });
      },
    ),
    { numRuns: 300 },
  );
});

test('truncated gzip is refused, complete gzip is accepted', async () => {
  const whole = gzipSync(valid);
  for (let length = 1; length <= whole.length; length++) {
    const status = await expectDocumented({ url: '/batch/', body: whole.subarray(0, length), headers: {} });
    expect([length, status]).toEqual([length, length === whole.length ? 200 : 400]);
  }
});

test('random JSON in each field', async () => {
  const value = oneof(
    jsonValue(),
    constantFrom<unknown>('__proto__', { __proto__: 1 }, 1e308, -0, '\ud83d', '\0', ''),
    string({ unit: 'binary' }),
  );
  const event = record(
    {
      event: oneof(constantFrom<unknown>('e', '$identify'), value),
      distinct_id: oneof(constantFrom<unknown>('a', 5), value),
      token: oneof(constantFrom<unknown>(KEY), value),
      uuid: oneof(constantFrom<unknown>('', '0190a0b0-0000-7000-8000-00000000000a'), value),
      timestamp: value,
      offset: value,
      properties: oneof(
        record({ $set: value, token: value, distinct_id: value, $ignore_sent_at: value }, { requiredKeys: [] }),
        value,
      ),
      $set: value,
      $set_once: value,
      sent_at: value,
    },
    { requiredKeys: [] },
  );
  const body = oneof(
    event,
    array(event),
    record({ api_key: oneof(constantFrom<unknown>(KEY), value), batch: oneof(array(event), value), sent_at: value }),
    value,
  );
  await assert(
    asyncProperty(url, body, async (path, content) => {
      await expectDocumented({
        url: path,
        body: Buffer.from(JSON.stringify(content)),
        headers: { 'content-type': 'application/json' },
      });
    }),
    { numRuns: 300 },
  );
});

test('random bodies of the v1 protocol', async () => {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'posthog-sdk-info': 'a/1',
    'posthog-attempt': '1',
    'posthog-request-id': '0190a0b0-0000-7000-8000-00000000000a',
    'posthog-request-timestamp': new Date(NOW).toISOString(),
  };
  const value = jsonValue();
  const event = record(
    {
      event: oneof(constantFrom<unknown>('e'), value),
      uuid: oneof(constantFrom<unknown>('0190a0b0-0000-7000-8000-00000000000a'), value),
      distinct_id: oneof(constantFrom<unknown>('a'), value),
      timestamp: oneof(constantFrom<unknown>(new Date(NOW).toISOString()), value),
      options: oneof(constantFrom<unknown>({}), value),
      properties: value,
    },
    { requiredKeys: ['uuid'] },
  );
  const body = oneof(
    record({ created_at: constantFrom(new Date(NOW).toISOString()), batch: array(event, { maxLength: 2 }) }),
    value,
    anything().map((thing) => stringify(thing)),
  );
  await assert(
    asyncProperty(body, constantFrom('', 'gzip', 'br', 'zstd', 'x'), async (content, encoding) => {
      await expectDocumented({
        url: '/i/v1/analytics/events',
        body: Buffer.from(JSON.stringify(content)),
        headers: { ...headers, ...(encoding && { 'content-encoding': encoding }) },
      });
    }),
    { numRuns: 250 },
  );
});

test('random query strings', async () => {
  await assert(
    asyncProperty(
      constantFrom('data', 'compression', '_', 'sent_at', 'beacon', 'v', 'config'),
      oneof(string(), string({ unit: 'binary' })),
      async (name, text) => {
        for (const path of ['/e/', '/flags/']) {
          const query = `${name}=${encodeURIComponent(text.replace(/[\ud800-\udfff]/g, ''))}`;
          await expectDocumented({ url: `${path}?${query}&${query}`, body: valid, headers: {} });
        }
      },
    ),
  );
});
