import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { purgeBlobs } from '../../purge/index.js';
import { testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { purgeRecordings as forget } from './purge.js';

let service: TestService;
let prefix = '';
const DAY = 86_400_000;
beforeAll(async () => {
  service = await startTestService();
  prefix = `/api/environments/${service.projectId}/session_recordings`;
  await service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { session_recording_opt_in: true } });
  await capture('$identify', 'ann', 's-ann', { $set: { email: 'ann@example.com' } });
  await capture('Bought', 'ann', 's-ann');
  await capture('Looked', 'bob', 's-bob');
  await send('s-ann', 'ann', [meta(-60_000, 'https://shop.example/cart'), click(-59_000), click(-57_000), plain(-50_000)]);
  await send('s-bob', 'bob', [meta(-40_000, 'https://shop.example/'), plain(-10_000)]);
  await send('s-old', 'bob', [meta(-10 * DAY), plain(-10 * DAY + 120_000)], { $snapshot_source: 'mobile' });
});
afterAll(() => service.close());

/** All that is deleted in the background. */
async function purge(): Promise<void> {
  await forget(service.deps);
  await purgeBlobs(service.deps);
}

const meta = (ms: number, href = 'https://a.example/') => ({ type: 4, timestamp: service.clock.now() + ms, data: { href } });
const click = (ms: number) => ({ type: 3, timestamp: service.clock.now() + ms, data: { source: 2, type: 2 } });
const plain = (ms: number, more: object = {}) => ({ type: 3, timestamp: service.clock.now() + ms, data: { source: 0, ...more } });

async function send(session: string, distinctId: string, data: unknown[], properties: object = {}) {
  const item = {
    event: '$snapshot',
    properties: {
      $snapshot_data: data,
      $session_id: session,
      $window_id: 'w',
      token: service.projectKey,
      distinct_id: distinctId,
      ...properties,
    },
  };
  const response = await service.app.inject({ method: 'POST', url: '/s/', payload: JSON.stringify([item]) });
  expect(response.json()).toEqual({ status: 'Ok' });
}

async function capture(event: string, distinctId: string, session: string, more: object = {}) {
  const body = { api_key: service.projectKey, event, distinct_id: distinctId, properties: { $session_id: session }, ...more };
  const response = await service.app.inject({ method: 'POST', url: '/i/v0/e/', payload: JSON.stringify(body) });
  expect(response.statusCode).toBe(200);
}

const get = (path = '') => service.call('GET', `${prefix}/${path}`);
const ids = async (query: string) => (await get(`?${query}`)).json().results.map(({ id }: { id: string }) => id);
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the list of recordings', () => {
  test('it has the fields of each session', async () => {
    const { has_next, results } = (await get()).json();
    expect(has_next).toBe(false);
    expect(results.map(({ id }: { id: string }) => id)).toEqual(['s-bob', 's-ann']);
    expect(results[1]).toMatchObject({
      distinct_id: 'ann',
      viewed: false,
      viewers: [],
      recording_duration: 10,
      active_seconds: 2,
      inactive_seconds: 8,
      click_count: 2,
      mouse_activity_count: 2,
      start_url: 'https://shop.example/cart',
      person: { properties: { email: 'ann@example.com' } },
      storage: 'object_storage_v2',
      snapshot_source: 'web',
      ongoing: true,
    });
    expect(results[0].activity_score).toBe(0);
    expect(results[1].activity_score).toBeGreaterThan(0);
  });

  test('an order, persons and viewers are right for sessions with very many events', async () => {
    const start = -30 * DAY;
    await send(
      's-wild',
      'ann',
      Array.from({ length: 20_000 }, (_, i) => click(start + i)),
    );
    await send('s-calm', 'ann', [meta(start), click(start + 1)]);
    await service.call('PATCH', `${prefix}/s-wild/`, { body: { viewed: true } });
    const of = 'session_ids=s-wild,s-calm,s-bob,s-ann';
    expect(await ids(`${of}&order=activity_score`)).toEqual(['s-wild', 's-ann', 's-calm', 's-bob']);
    expect(await ids(`${of}&order=activity_score&limit=2&offset=1`)).toEqual(['s-ann', 's-calm']);
    const { results, has_next } = (await get(`?${of}&order=click_count&limit=1`)).json();
    const person = { properties: { email: 'ann@example.com' } };
    expect({ results, has_next }).toMatchObject({
      results: [{ id: 's-wild', click_count: 20_000, activity_score: 100, viewed: true, person }],
      has_next: true,
    });
    for (const session of ['s-wild', 's-calm']) await service.call('DELETE', `${prefix}/${session}/`);
  });

  test.each([
    ['date_from=all', ['s-bob', 's-ann', 's-old']],
    ['date_from=-30d&date_to=-2d', ['s-old']],
    ['session_ids=["s-old","s-ann","nobody"]', ['s-ann', 's-old']],
    ['distinct_ids=ann', ['s-ann']],
    ['date_from=all&snapshot_source=mobile', ['s-old']],
    ['url=cart', ['s-ann']],
    ['min_duration=20', ['s-bob']],
    ['min_duration=19.9999', ['s-bob']],
    ['max_duration=20.0001', ['s-ann']],
    ['max_duration=20', ['s-ann']],
    ['events=Bought', ['s-ann']],
    ['events=["Bought","$identify"]', ['s-ann']],
    ['events=["Bought","Looked"]', []],
    ['events=Looked&session_ids=s-ann', []],
    ['order=click_count', ['s-ann', 's-bob']],
    ['order=recording_duration&order_direction=ASC', ['s-ann', 's-bob']],
    ['limit=1', ['s-bob']],
    ['limit=1&offset=1', ['s-ann']],
  ])('%s finds %j', async (query, found) => {
    expect(await ids(query)).toEqual(found);
  });

  test('a person filter finds all distinct ids of the person', async () => {
    const { results } = (await get('?distinct_ids=ann')).json();
    expect(await ids(`person_uuid=${results[0].person.uuid}`)).toEqual(['s-ann']);
    expect(await ids('person_uuid=x')).toEqual([]);
  });

  test('has_next is true if there are more', async () => {
    expect((await get('?limit=1')).json().has_next).toBe(true);
    expect((await get('?limit=2')).json().has_next).toBe(false);
  });

  test.each(['date_from=soon', 'date_to=x', 'order=size', 'order_direction=up', 'min_duration=x', 'snapshot_source=tv'])(
    '%s is refused',
    async (query) => {
      expect((await get(`?${query}`)).statusCode).toBe(400);
    },
  );
});

describe('one recording', () => {
  test('a retrieval marks it as viewed by the caller only', async () => {
    expect((await get('s-ann/')).json()).toMatchObject({ id: 's-ann', viewed: false });
    const viewed = await service.call('PATCH', `${prefix}/s-ann/`, { body: { viewed: true } });
    expect(viewed.json()).toMatchObject({ viewed: true, viewers: [] });
    await service.call('PATCH', `${prefix}/s-ann/`, { body: { viewed: true } });
    expect((await service.call('PATCH', `${prefix}/s-ann/`, { body: { viewed: false } })).json().viewed).toBe(false);
    expect((await service.call('PATCH', `${prefix}/s-ann/`, { body: {} })).statusCode).toBe(200);
  });

  test.each(['nobody', '%00', 'a b'])('unknown: %s', async (id) => {
    for (const path of [`${id}/`, `${id}/snapshots/`, `${id}/sharing/`]) expect((await get(path)).statusCode).toBe(404);
  });

  test('it is shared as dashboards are', async () => {
    const { access_token } = (await get('s-ann/sharing/')).json();
    for (const [enabled, status] of [
      [false, 404],
      [true, 200],
    ] as const) {
      const set = await service.call('PATCH', `${prefix}/s-ann/sharing/`, { body: { enabled } });
      expect(set.json()).toMatchObject({ enabled, access_token });
      for (const page of ['shared', 'embedded']) {
        expect((await service.app.inject({ url: `/${page}/${access_token}` })).statusCode, page).toBe(status);
      }
    }
    expect((await service.call('GET', `${prefix}/s-ann/access_controls/`)).statusCode).toBe(200);
  });
});

describe('snapshots', () => {
  test('blocks are in order of time, as lines with their windows', async () => {
    const big = 'x'.repeat(700_000);
    await send('s-big', 'ann', [plain(-30_000, { big })]);
    await send('s-big', 'ann', [plain(-20_000, { n: 2 })], { $window_id: 'w2' });
    await send('s-big', 'ann', [plain(-10_000, { big })]);
    // late: belongs before the others
    await send('s-big', 'ann', [meta(-40_000)]);
    const { sources } = (await get('s-big/snapshots/?blob_v2=true')).json();
    expect(sources.map(({ blob_key }: { blob_key: string }) => blob_key)).toEqual(['0', '1']);
    expect(Date.parse(sources[0].end_timestamp) - Date.parse(sources[0].start_timestamp)).toBeGreaterThan(15_000);
    const block = await get('s-big/snapshots/?source=blob_v2&start_blob_key=0&end_blob_key=0');
    expect(block.headers['content-type']).toBe('application/jsonl; charset=utf-8');
    expect(lines(block.body).map(([window, { type, data }]) => [window, type, data.n ?? null])).toEqual([
      ['w', 4, null],
      ['w', 3, null],
      ['w2', 3, 2],
    ]);
    expect(lines((await get('s-big/snapshots/?source=blob_v2&blob_key=1')).body)).toHaveLength(1);
    expect(lines((await get('s-big/snapshots/?source=blob_v2&start_blob_key=0&end_blob_key=1')).body)).toHaveLength(4);
  });

  test.each([
    ['start_blob_key=7', 404],
    ['start_blob_key=0&end_blob_key=3', 404],
    ['start_blob_key=x', 400],
    ['', 400],
    ['start_blob_key=1&end_blob_key=0', 400],
    ['start_blob_key=0&end_blob_key=20', 400],
  ])('"%s" is refused with %i', async (query, status) => {
    expect((await get(`s-ann/snapshots/?source=blob_v2&${query}`)).statusCode).toBe(status);
  });

  test('an unknown source is refused', async () => {
    expect((await get('s-ann/snapshots/?source=realtime')).statusCode).toBe(400);
  });

  test('stored blocks are compressed', async () => {
    for await (const { key } of service.deps.blobs.list(`recordings/${service.projectId}/s-ann/`)) {
      const blob = await service.deps.blobs.get(key);
      const parts: Buffer[] = [];
      for await (const part of blob?.stream ?? Readable.from([])) parts.push(part);
      expect(lines(gunzipSync(Buffer.concat(parts)).toString())).toHaveLength(4);
    }
  });
});

test('another project gets no snapshots from any request', async () => {
  const other = await testProject(service.deps.db);
  const at = (path: string) => service.call('GET', `/api/projects/${other}/session_recordings/${path}`);
  for (const path of ['', 's-ann/', 's-ann/snapshots/', 's-ann/sharing/']) expect((await at(path)).statusCode).toBe(404);
  const organization = await service.call('POST', '/api/projects/', { body: { name: 'Second' } });
  const second = organization.json().id;
  const own = (method: 'GET' | 'DELETE' | 'POST', path: string, body?: unknown) =>
    service.call(method, `/api/projects/${second}/session_recordings/${path}`, { ...(body ? { body } : {}) });
  expect((await own('GET', '?date_from=all')).json().results).toEqual([]);
  for (const path of ['s-ann/', 's-ann/snapshots/', 's-ann/snapshots/?source=blob_v2&blob_key=0', 's-ann/sharing/']) {
    expect((await own('GET', path)).statusCode).toBe(404);
  }
  expect((await own('DELETE', 's-ann/')).statusCode).toBe(404);
  const bulk = await own('POST', 'bulk_delete/', { session_recording_ids: ['s-ann'] });
  expect(bulk.json()).toEqual({ success: true, deleted_count: 0, total_requested: 1 });
  expect((await get('s-ann/')).statusCode).toBe(200);
});

describe('deletion of recordings', () => {
  const blobs = async (path: string) => {
    const keys: string[] = [];
    for await (const { key } of service.deps.blobs.list(`recordings/${path}`)) keys.push(key);
    return keys;
  };

  test('the snapshots are deleted, and later ones of the session are dropped', async () => {
    await send('s-gone', 'ann', [meta(-5_000)]);
    expect((await service.call('DELETE', `${prefix}/s-gone/`)).statusCode).toBe(204);
    expect((await get('s-gone/')).statusCode).toBe(404);
    expect((await service.call('DELETE', `${prefix}/s-gone/`)).statusCode).toBe(404);
    await purge();
    await send('s-gone', 'ann', [plain(-1_000)]);
    expect(await blobs(`${service.projectId}/s-gone/`)).toEqual([]);
    expect((await get('s-gone/')).statusCode).toBe(404);
    expect(await ids('session_ids=s-gone')).toEqual([]);
  });

  test('a bulk deletion counts each recording once', async () => {
    await send('s-x', 'ann', [meta(-5_000)]);
    await send('s-y', 'ann', [meta(-5_000)]);
    const body = { session_recording_ids: ['s-x', 's-y', 's-x', 'nobody'] };
    const answer = await service.call('POST', `${prefix}/bulk_delete/`, { body });
    expect(answer.json()).toEqual({ success: true, deleted_count: 2, total_requested: 3 });
    expect((await service.call('POST', `${prefix}/bulk_delete/`, { body: { session_recording_ids: [] } })).statusCode).toBe(400);
  });

  test('recordings expire after the retention period of the project', async () => {
    await purge();
    expect(await ids('session_ids=s-old')).toEqual(['s-old']);
    const retention = (period: string | null) =>
      service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { session_recording_retention_period: period } });
    await retention('30d');
    await purge();
    expect(await ids('session_ids=s-old')).toEqual(['s-old']);
    service.clock.advance(21 * DAY);
    await purge();
    service.clock.advance(-21 * DAY);
    await retention(null);
    expect(await ids('session_ids=s-old')).toEqual([]);
    expect(await ids('session_ids=s-ann')).toEqual(['s-ann']);
    expect(await blobs(`${service.projectId}/s-old/`)).toEqual([]);
  });

  test('the deletion of a project deletes its recordings', async () => {
    const made = (await service.call('POST', '/api/projects/', { body: { name: 'Third' } })).json();
    await service.call('PATCH', `/api/projects/${made.id}/`, { body: { session_recording_opt_in: true } });
    await send('s-third', 'ann', [meta(-5_000)], { token: made.api_token });
    expect(await blobs(`${made.id}/`)).toHaveLength(1);
    expect((await service.call('DELETE', `/api/projects/${made.id}/`)).statusCode).toBe(204);
    await purge();
    expect(await blobs(`${made.id}/`)).toEqual([]);
  });
});

test('reads and writes need their own scopes', async () => {
  const scopes = (scope: string) =>
    service.deps.db
      .updateTable('personal_api_keys')
      .set({ scopes: [scope] })
      .execute();
  await scopes('session_recording:read');
  const refused = await service.call('DELETE', `${prefix}/s-ann/`);
  const read = await get('s-ann/snapshots/');
  await scopes('person:read');
  const unread = await get('s-ann/');
  await scopes('*');
  expect([refused.statusCode, read.statusCode, unread.statusCode]).toEqual([403, 200, 403]);
});

test('a truncated or overwritten block is skipped: the rest of the recording plays', async () => {
  for (const at of [-5_000, -4_000, -3_000]) await send('s-damaged', 'cleo', [plain(at)]);
  const { blobs } = service.deps;
  const keys: string[] = [];
  for await (const { key } of blobs.list(`recordings/${service.projectId}/s-damaged/`)) keys.push(key);
  const all = lines((await get('s-damaged/snapshots/?source=blob_v2&blob_key=0')).body);
  expect([keys.length, all.length]).toEqual([3, 3]);
  const [first = '', second = ''] = keys;
  const whole = await buffer((await blobs.get(first))?.stream ?? Readable.from([]));
  await blobs.put(first, whole.subarray(0, whole.length - 5));
  await blobs.put(second, Buffer.from('not compressed'));
  const answer = await get('s-damaged/snapshots/?source=blob_v2&blob_key=0');
  expect(answer.statusCode).toBe(200);
  const left = lines(answer.body);
  expect(left).toHaveLength(1);
  expect(all).toEqual(expect.arrayContaining(left));
});

test('the page of the player has facts of the session and its person, and a policy of its own', async () => {
  const $set = { email: 'eve@example.com', $browser: 'Firefox', $browser_version: 139, $geoip_country_name: '<Spain>' };
  await capture('$identify', 'eve', 's-eve', { $set });
  await send('s-eve', 'eve', [meta(-60_000, 'https://shop.example/cart?secret=1'), click(-59_000), plain(-50_000)]);
  const { statusCode, headers, body } = await get('s-eve/player/?t=5&theme=dark');
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-security-policy']).toMatch(
    /script-src 'nonce-[^']+'; style-src 'unsafe-inline' .*frame-ancestors 'self'$/,
  );
  expect(body).toContain(`data-snapshots="/api/projects/${service.projectId}/session_recordings/s-eve/snapshots/"`);
  expect(body).toContain(`data-link="/p/${service.projectId}/recordings/s-eve"`);
  for (const fact of ['eve@example.com', 'Firefox 139', '&lt;Spain&gt;', '1 click', '/cart']) expect(body).toContain(fact);
  expect(body).not.toMatch(/secret=1|<Spain>/);
  expect((await get('s-nobody/player/')).statusCode).toBe(404);
  expect((await service.app.inject({ url: `${prefix}/s-eve/player/` })).statusCode).toBe(401);
});
