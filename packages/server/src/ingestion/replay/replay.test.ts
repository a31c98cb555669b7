import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let session = '';
let count = 0;
beforeAll(async () => {
  service = await startTestService();
  await record(true);
});
afterAll(() => service.close());
beforeEach(() => {
  session = `session-${++count}`;
});

const record = (on: boolean) =>
  service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { session_recording_opt_in: on } });
const at = (ms: number) => service.clock.now() - 60_000 + ms;

function event(data: unknown, properties: object = {}) {
  return {
    event: '$snapshot',
    properties: {
      $snapshot_data: data,
      $session_id: session,
      $window_id: 'w1',
      token: service.projectKey,
      distinct_id: 'ann',
      ...properties,
    },
  };
}
const send = (body: unknown, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url: '/s/',
    headers: { 'content-type': 'text/plain', ...headers },
    payload: gzipSync(JSON.stringify(body)),
  });
const row = async (id = session) =>
  service.deps.db.selectFrom('recordings').selectAll().where('session_id', '=', id).executeTakeFirst();
const blobs = async (id = session) => {
  const found: string[] = [];
  for await (const { key } of service.deps.blobs.list(`recordings/${service.projectId}/${id}/`)) found.push(key);
  return found;
};
const meta = (ms: number, href = 'https://a.example/') => ({ type: 4, timestamp: at(ms), data: { href, width: 1, height: 1 } });
const incremental = (ms: number, data: object) => ({ type: 3, timestamp: at(ms), data });

test('activity is counted over several requests', async () => {
  const base = at(0);
  const fixed = (ms: number, data: object) => ({ type: 3, timestamp: base + ms, data });
  await send([
    event([
      { type: 4, timestamp: base, data: { href: 'https://a.example/one' } },
      fixed(1000, { source: 2, type: 2 }),
      fixed(3000, { source: 5, text: 'x' }),
      { type: 6, timestamp: base + 3100, data: { plugin: 'rrweb/console@1', payload: { level: 'error' } } },
      { type: 6, timestamp: base + 3100, data: { plugin: 'rrweb/console@1', payload: { level: 'warn' } } },
      { type: 6, timestamp: base + 3100, data: { plugin: 'rrweb/console@1', payload: { level: 'info' } } },
    ]),
  ]);
  const response = await send([
    event([
      { type: 4, timestamp: base + 4000, data: { href: 'https://a.example/two' } },
      fixed(5000, { source: 1 }),
      fixed(30_000, { source: 0 }),
    ]),
  ]);
  expect([response.statusCode, response.json()]).toEqual([200, { status: 'Ok' }]);
  const found = await row();
  expect(found).toMatchObject({
    distinct_id: 'ann',
    click_count: 1,
    keypress_count: 1,
    mouse_activity_count: 2,
    console_log_count: 1,
    console_warn_count: 1,
    console_error_count: 1,
    // one to three seconds, and from three to five across the requests
    active_milliseconds: 4000,
    start_url: 'https://a.example/one',
    event_count: 9,
    message_count: 2,
    snapshot_source: 'web',
    snapshot_library: 'web',
  });
  expect([...(found?.urls ?? [])].sort()).toEqual(['https://a.example/one', 'https://a.example/two']);
  expect([found?.start_time.getTime(), found?.end_time.getTime()]).toEqual([base, base + 30_000]);
});

test('a repeated request is stored once', async () => {
  const body = [event([meta(0), incremental(10, { source: 2, type: 2 })])];
  await send(body);
  await send(body);
  expect(await row()).toMatchObject({ click_count: 1, message_count: 1 });
  expect(await blobs()).toHaveLength(1);
});

test('compressed bytes in a snapshot are stored unchanged', async () => {
  const packed = gzipSync(JSON.stringify({ node: 'x'.repeat(50) })).toString('latin1');
  const odd = `${packed}\u0000\ud800`;
  await send([event([{ type: 2, timestamp: at(0), cv: '2024-10', data: odd }])]);
  const answer = await service.call(
    'GET',
    `/api/projects/${service.projectId}/session_recordings/${session}/snapshots?source=blob_v2&start_blob_key=0&end_blob_key=0`,
  );
  expect(JSON.parse(answer.body.trim())[1].data).toBe(odd);
});

test('events may have several sessions and windows, from apps and from libraries without a name', async () => {
  const other = `${session}-b`;
  await send(
    {
      api_key: service.projectKey,
      batch: [
        event([meta(0)], { $snapshot_source: 'mobile', $window_id: undefined }),
        event({ type: 4, timestamp: at(1) }, { $session_id: other, $snapshot_source: 'desktop', distinct_id: 12 }),
      ],
    },
    { 'user-agent': 'posthog-android/3.1 x' },
  );
  expect(await row()).toMatchObject({ snapshot_source: 'mobile', snapshot_library: 'posthog-android' });
  expect(await row(other)).toMatchObject({ snapshot_source: 'web', distinct_id: '12' });
});

test('fields that later events omit are those of the first, and ids are truncated as those of events (C.2, A.6)', async () => {
  const id = 'ü'.repeat(300);
  const response = await send([
    event([meta(0)], { distinct_id: id }),
    event([meta(1)], { $session_id: undefined, distinct_id: undefined, token: undefined }),
  ]);
  expect(response.statusCode).toBe(200);
  expect(await row()).toMatchObject({ distinct_id: 'ü'.repeat(200), event_count: 2 });
});

test('a snapshot may be up to a day ahead of the clock of the service', async () => {
  const hours = (count: number) => service.clock.now() + count * 3_600_000;
  await send([event([{ type: 3, timestamp: hours(23.9) }])]);
  expect((await row())?.start_time.getTime()).toBeGreaterThan(hours(23));
  session = `${session}-later`;
  await send([event([{ type: 3, timestamp: hours(24.5) }])]);
  expect((await row())?.start_time.getTime()).toBeLessThan(hours(1));
});

test('impossible times count as now, and texts are cleaned', async () => {
  await send([
    event(
      [
        { type: 4, timestamp: 1e300, data: { href: 'https://a/\u0000\ud800' } },
        { type: 3, timestamp: 'x' },
      ],
      {
        distinct_id: 'a\u0000b',
        $lib: 'l\u0000',
      },
    ),
  ]);
  const found = await row();
  expect(Math.abs((found?.start_time.getTime() ?? 0) - service.clock.now())).toBeLessThan(10_000);
  expect([found?.start_url, found?.distinct_id, found?.snapshot_library]).toEqual([
    'https://a/\ufffd\ufffd',
    'a\ufffdb',
    'l\ufffd',
  ]);
});

test('a project without recording tells recorders to stop, and stores nothing', async () => {
  await record(false);
  const response = await send([event([meta(0)])]);
  await record(true);
  expect(response.json()).toEqual({ status: 'Ok', quota_limited: ['recordings'] });
  expect([await row(), await blobs()]).toEqual([undefined, []]);
});

test('without snapshots nothing is stored', async () => {
  expect((await send([event([])])).statusCode).toBe(200);
  expect(await row()).toBeUndefined();
});

test('snapshots that are nested too deeply are refused', async () => {
  const deep = `${'[['.repeat(50_000)}${']]'.repeat(50_000)}`;
  const body = JSON.stringify([event([{ type: 2, timestamp: at(0), data: 'DEEP' }])]).replace('"DEEP"', deep);
  const response = await service.app.inject({ method: 'POST', url: '/s/', payload: body });
  expect([response.statusCode, response.body]).toEqual([400, 'The payload is nested too deeply.']);
});

describe('store failures', () => {
  test('without the blob there is no index, and a repeated request is stored', async () => {
    const { blobs: store } = service.deps;
    const { put } = store;
    store.put = () => Promise.reject(new Error('disk on fire'));
    const body = [event([meta(0)])];
    const failed = await send(body);
    store.put = put;
    expect([failed.statusCode, await row()]).toEqual([503, undefined]);
    expect((await send(body)).statusCode).toBe(200);
    expect(await row()).toMatchObject({ message_count: 1 });
  });
});

test('the blob has the bytes that were sent', async () => {
  const snapshot = meta(0);
  await send([event([snapshot])]);
  const hash = createHash('sha256')
    .update(`${JSON.stringify(['w1', snapshot])}\n`)
    .digest('hex')
    .slice(0, 40);
  expect(await blobs()).toEqual([`recordings/${service.projectId}/${session}/${hash}`]);
});
