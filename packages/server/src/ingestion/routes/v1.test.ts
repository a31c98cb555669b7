import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EventsUnavailable } from '../../ports/events.js';
import { KEY, NOW, type RecordingCapture, startRecordingCapture } from '../../testing/recording-capture.js';
import { zstdRaw } from '../../testing/zstd-bodies.js';

const uuidOf = (n: number) => `0190a0b0-0000-7000-8000-${String(n).padStart(12, '0')}`;
const REQUEST_ID = '0190a0b0-1111-7000-8000-000000000001';
const HEADERS: Record<string, string> = {
  authorization: `Bearer ${KEY}`,
  'content-type': 'application/json',
  'posthog-sdk-info': 'posthog-node/5.70.0',
  'posthog-attempt': '1',
  'posthog-request-id': REQUEST_ID,
  'posthog-request-timestamp': new Date(NOW).toISOString(),
  'user-agent': 'posthog-node/5.70.0',
};
const event = (n: number, more: object = {}) => ({
  event: 'signed up',
  uuid: uuidOf(n),
  distinct_id: 'ann',
  timestamp: new Date(NOW - 1000).toISOString(),
  options: {},
  ...more,
});
const batch = (...events: unknown[]) => ({ created_at: new Date(NOW).toISOString(), batch: events });

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());
beforeEach(() => {
  service.captures.length = 0;
  service.intake.answer = ({ events }) => events.map(({ uuid }) => ({ uuid, result: 'ok' }));
});

const post = (body: unknown, headers: Record<string, string | undefined> = {}, url = '/i/v1/analytics/events') =>
  service.app.inject({
    method: 'POST',
    url,
    headers: Object.fromEntries(Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== undefined)),
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
const stored = () => service.captures.flatMap((capture) => capture.events);

describe('accepted', () => {
  test.each(['/i/v1/analytics/events', '/i/v1/analytics/events/', '/i/v1/general/events'])('at %s', async (url) => {
    const response = await post(batch(event(1), event(2)), {}, url);
    expect(response.statusCode).toBe(200);
    expect(response.headers['posthog-request-id']).toBe(REQUEST_ID);
    expect(response.headers['retry-after']).toBeUndefined();
    expect(response.json()).toEqual({ results: { [uuidOf(1)]: { result: 'ok' }, [uuidOf(2)]: { result: 'ok' } } });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', (text: string) => zstdRaw(Buffer.from(text))],
  ] as const)('encoded as %s', async (encoding, compress) => {
    const many = batch(...Array.from({ length: 3000 }, (_, i) => event(i, { properties: { text: `${i}`.repeat(40) } })));
    expect((await post(compress(JSON.stringify(many)), { 'content-encoding': encoding })).statusCode).toBe(200);
    expect(stored()).toHaveLength(3000);
  });

  test('fields that the protocol moved out of the properties are restored', async () => {
    const options = { cookieless_mode: true, disable_skew_correction: true, process_person_profile: false, product_tour_id: 't' };
    await post(batch(event(1, { session_id: 's', window_id: 'w', options, properties: { a: 1 } })), {
      'posthog-request-timestamp': new Date(NOW + 60_000).toISOString(),
    });
    expect(stored()).toEqual([
      {
        uuid: uuidOf(1),
        hasClientUuid: true,
        event: 'signed up',
        distinctId: 'ann',
        timestamp: NOW - 1000,
        clientTime: NOW - 1000,
        properties: {
          a: 1,
          $session_id: 's',
          $window_id: 'w',
          $cookieless_mode: true,
          $ignore_sent_at: true,
          $process_person_profile: false,
          $product_tour_id: 't',
          $lib: 'posthog-node',
          $lib_version: '5.70.0',
        },
      },
    ]);
  });

  test('the clock is corrected by the time of the request', async () => {
    const ahead = new Date(NOW + 3_600_000).toISOString();
    await post(
      batch(event(1, { timestamp: ahead }), event(2, { timestamp: ahead, options: { disable_skew_adjustment: true } })),
      {
        'posthog-request-timestamp': ahead,
      },
    );
    expect(stored().map(({ timestamp }) => timestamp)).toEqual([NOW, NOW + 3_600_000]);
  });

  test('the response has the result of each event, under its uuid as sent', async () => {
    service.intake.answer = ({ events }) =>
      events.map(({ uuid }, i) =>
        i === 0 ? { uuid, result: 'ok' } : { uuid, result: 'warning', details: 'client_ingestion_warning' },
      );
    const upper = uuidOf(1).toUpperCase();
    const response = await post(batch(event(1, { uuid: upper }), event(2)));
    expect(response.json().results).toEqual({
      [upper]: { result: 'ok' },
      [uuidOf(2)]: { result: 'warning', details: 'client_ingestion_warning' },
    });
  });
});

describe('one event is dropped, and the others are stored', () => {
  test.each<[string, object]>([
    ['dropped_performance_event', { event: '$performance_event' }],
    ['missing_event_name', { event: '' }],
    ['missing_event_name', { event: undefined }],
    ['missing_event_name', { event: 5 }],
    ['event_name_too_long', { event: 'ü'.repeat(101) }],
    ['missing_distinct_id', { distinct_id: undefined }],
    ['missing_distinct_id', { distinct_id: '' }],
    ['distinct_id_too_large', { distinct_id: 'ü'.repeat(101) }],
    ['invalid_distinct_id', { distinct_id: ' NULL ' }],
    ['invalid_distinct_id', { distinct_id: '[object Object]' }],
    ['invalid_distinct_id', { distinct_id: 12 }],
    ['invalid_event_timestamp', { timestamp: '2026-03-01' }],
    ['invalid_event_timestamp', { timestamp: undefined }],
    ['malformed_event_properties', { properties: [1] }],
    ['malformed_event_properties', { options: 'none' }],
    ['message_size_too_large', { properties: { filler: 'x'.repeat(1_100_000) } }],
  ])('%s: %j', async (details, more) => {
    const response = await post(batch(event(1), event(2, more)));
    expect(response.statusCode).toBe(200);
    expect(response.json().results).toEqual({ [uuidOf(1)]: { result: 'ok' }, [uuidOf(2)]: { result: 'drop', details } });
    expect(stored().map(({ uuid }) => uuid)).toEqual([uuidOf(1)]);
  });

  test('if all are dropped the stores get no request', async () => {
    expect((await post(batch(event(1, { event: '' })))).statusCode).toBe(200);
    expect(service.captures).toEqual([]);
  });
});

describe('refused as a whole', () => {
  const good = batch(event(1));
  test.each<[string, number, unknown, Record<string, string | undefined>]>([
    ...Object.keys(HEADERS).map((name): [string, number, unknown, Record<string, string | undefined>] => [
      'missing_required_headers',
      400,
      good,
      { [name]: name === 'user-agent' ? '' : undefined },
    ]),
    ['invalid_header_value', 400, good, { 'posthog-attempt': '0' }],
    ['invalid_header_value', 400, good, { 'posthog-request-id': 'x' }],
    ['invalid_header_value', 400, good, { 'posthog-request-timestamp': 'now' }],
    ['invalid_header_value', 400, good, { 'posthog-sdk-info': 'node' }],
    ['request_decoding_error', 400, 'not gzip', { 'content-encoding': 'gzip' }],
    ['request_decoding_error', 400, gzipSync(JSON.stringify(good)).subarray(0, 60), { 'content-encoding': 'gzip' }],
    ['request_decoding_error', 400, Buffer.from([0xff, 0xfe]), {}],
    ['request_parsing_error', 400, '{"batch"', {}],
    ['request_parsing_error', 400, '[]', {}],
    ['request_parsing_error', 400, batch(1), {}],
    ['empty_body', 400, '', {}],
    ['empty_batch', 400, batch(), {}],
    ['invalid_batch', 400, { batch: [event(1)] }, {}],
    ['invalid_batch', 400, { created_at: 'x', batch: [event(1)] }, {}],
    ['missing_event_uuid', 400, batch(event(1), event(2, { uuid: undefined })), {}],
    ['missing_event_uuid', 400, batch(event(1, { uuid: 'x' })), {}],
    ['duplicate_event_uuid', 400, batch(event(1), event(1, { uuid: uuidOf(1).toUpperCase() })), {}],
    ['invalid_header_value', 400, good, { authorization: 'Basic abc' }],
    ['invalid_header_value', 400, good, { authorization: KEY }],
    ['invalid_api_token', 401, good, { authorization: 'Bearer ' }],
    ['invalid_api_token', 401, good, { authorization: 'Bearer tmk_unknown' }],
    ['invalid_api_token', 401, good, { authorization: 'Bearer tms_secret' }],
    ['invalid_api_token', 401, good, { authorization: `Bearer ${'x'.repeat(65)}` }],
    ['payload_too_large', 413, Buffer.alloc(10 * 1024 * 1024 + 1, ' '), {}],
    ['payload_too_large', 413, gzipSync(Buffer.alloc(51 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }],
    ['unsupported_content_type', 415, good, { 'content-type': 'text/plain' }],
    ['unsupported_content_type', 415, good, { 'content-type': 'nonsense' }],
    ['unsupported_encoding', 415, good, { 'content-encoding': 'compress' }],
  ])('%s %i', async (tag, status, body, headers) => {
    const response = await post(body, headers);
    expect([response.json().error, response.statusCode]).toEqual([tag, status]);
    expect(response.json()).toEqual({
      error: tag,
      error_description: expect.stringMatching(/^[A-Z].*\.$/),
      error_uri: expect.stringMatching(/^https:/),
    });
    expect(response.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
    expect(service.captures).toEqual([]);
  });

  test.each([
    ['service_unavailable', 503, new EventsUnavailable('away')],
    ['internal_error', 500, new TypeError('secret detail')],
  ])('%s', async (tag, status, error) => {
    service.intake.answer = () => {
      throw error;
    };
    const response = await post(good);
    expect([response.statusCode, response.json().error]).toEqual([status, tag]);
    expect(response.headers['retry-after']).toBeDefined();
    expect(response.headers['posthog-request-id']).toBe(REQUEST_ID);
    expect(response.body).not.toContain('secret');
  });
});
