import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let path: string;
let token: string;
beforeAll(async () => {
  it = await startTestService();
  const project = `/api/projects/${it.projectId}`;
  await it.call('PATCH', `${project}/`, { body: { session_recording_opt_in: true, timezone: 'Europe/Berlin' } });
  const at = (ms: number, type: number, data: object) => ({ type, timestamp: it.clock.now() + ms, data });
  const $snapshot_data = [
    at(-90_000, 4, { href: 'https://shop.example/cart?email=ann@example.com#top' }),
    at(-80_000, 3, { source: 2, type: 2 }),
    at(-10_000, 3, { source: 0, text: 'what ann wrote' }),
  ];
  const properties = { $snapshot_data, $session_id: 's-ann', $window_id: 'w', token: it.projectKey, distinct_id: 'ann-77' };
  const payload = JSON.stringify([{ event: '$snapshot', properties }]);
  const sent = await it.app.inject({ method: 'POST', url: '/s/', payload });
  expect(sent.json()).toEqual({ status: 'Ok' });
  path = `${project}/session_recordings/s-ann/`;
  token = (await it.call('GET', `${path}sharing/`)).json().access_token;
});
afterAll(() => it.close());

const visit = (url: string) => it.app.inject({ url });
const enable = (enabled: boolean) => it.call('PATCH', `${path}sharing/`, { body: { enabled } });

test('a shared recording tells what the session was like, and nothing of who it was', async () => {
  expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
  expect((await enable(true)).statusCode).toBe(200);
  const page = await visit(`/shared/${token}`);
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('<h1>A recorded session</h1>');
  for (const [about, value] of [
    ['Lasted', '1m 20s'],
    ['First page', 'https://shop.example/cart'],
    ['Clicks', '1'],
    ['Errors in the console', '0'],
  ]) {
    expect(page.body).toContain(`<td>${about}</td><td>${value}</td>`);
  }
  expect(page.body).toMatch(/<td>Began<\/td><td>\d+ \w+ \d{4}, \d\d:\d\d \(Europe\/Berlin\)<\/td>/);
  const embedded = await visit(`/embedded/${token}`);
  const json = await visit(`/shared/${token}.json`);
  expect(json.json().tiles).toMatchObject([{ name: 'A recorded session', result: { kind: 'rows' } }]);
  const png = await visit(`/shared/${token}.png`);
  expect([embedded.statusCode, png.statusCode, png.headers['content-type']]).toEqual([200, 200, 'image/png']);
  for (const { body } of [page, embedded, json]) expect(body).not.toMatch(/ann|email|s-ann|wrote/);
});

test('it is gone when it is closed or deleted', async () => {
  await enable(false);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
  await enable(true);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(200);
  expect((await it.call('DELETE', path)).statusCode).toBe(204);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
});
