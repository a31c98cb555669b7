import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, type RecordingCapture, startRecordingCapture } from '../../testing/recording-capture.js';

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());

const get = (url: string) => service.app.inject({ method: 'GET', url });
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'text/plain', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });

describe('replay', () => {
  const snapshot = (more: object = {}, properties: object = {}) => ({
    event: '$snapshot',
    properties: {
      $snapshot_data: [{ type: 4 }],
      $session_id: 'abc-1',
      $window_id: 'w',
      token: KEY,
      distinct_id: 'ann',
      ...properties,
    },
    ...more,
  });

  test.each([
    ['a list', [snapshot(), snapshot()]],
    ['one event', snapshot()],
    ['one item', snapshot({}, { $snapshot_data: { type: 4 } })],
    ['no items', snapshot({}, { $snapshot_data: [] })],
    ['a mobile batch', { api_key: KEY, batch: [snapshot()] }],
  ])('it accepts %s and tells the recorder to stop', async (_name, body) => {
    const response = await post('/s/', gzipSync(JSON.stringify(body)));
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'Ok', quota_limited: ['recordings'] }]);
    expect(service.captures).toEqual([]);
  });

  test('it accepts a first snapshot of several megabytes', async () => {
    const body = [snapshot({}, { $snapshot_data: [{ type: 2, data: 'x'.repeat(5_000_000) }] })];
    expect((await post('/s/', body)).statusCode).toBe(200);
  });

  test('the refusal of a large snapshot has the limit', async () => {
    const response = await post('/s/', [snapshot({}, { $snapshot_data: [{ type: 2, data: 'x'.repeat(8_400_000) }] })]);
    expect([response.statusCode, response.body]).toEqual([413, 'An event is larger than 8 MB.']);
  });

  test.each([
    ['no session', snapshot({}, { $session_id: undefined }), 400],
    ['session that is no text', snapshot({}, { $session_id: 5 }), 400],
    ['long session', snapshot({}, { $session_id: 'a'.repeat(71) }), 400],
    ['odd session', snapshot({}, { $session_id: 'a b' }), 400],
    ['no data', snapshot({}, { $snapshot_data: undefined }), 400],
    ['data that is text', snapshot({}, { $snapshot_data: 'x' }), 400],
    ['no distinct id', snapshot({}, { distinct_id: undefined }), 400],
    ['no properties', { event: '$snapshot', token: KEY }, 400],
    ['empty', [], 400],
    ['no token', snapshot({}, { token: undefined }), 401],
    ['unknown token', snapshot({}, { token: 'tmk_x' }), 401],
    ['neither token nor session', snapshot({}, { token: undefined, $session_id: undefined }), 401],
  ])('it refuses %s', async (_name, body, status) => {
    const response = await post('/s/', body);
    expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
  });
});

test.each(['/_readiness', '/_liveness'])('%s has a short response', async (url) => {
  const response = await get(url);
  expect([response.statusCode, response.body]).toEqual([200, 'ok']);
});
