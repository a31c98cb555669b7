import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from './testing/service.js';

const HOUR_MS = 3_600_000;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const eventOf = (event: string) => ({ event, distinct_id: 'ann', uuid: randomUUID(), timestamp: new Date().toISOString() });
const capture = async (...batch: object[]) =>
  (await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch } })).statusCode;
const rows = async (query: string) => {
  const body = { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' };
  return (await service.call('POST', `/api/projects/${service.projectId}/query/`, { body })).json().results;
};
const logIn = (password: string) => service.call('POST', '/api/login/', { key: null, body: { email: OWNER_EMAIL, password } });
const flagsOf = async (distinctId: string) => {
  const body = { api_key: service.projectKey, distinct_id: distinctId };
  return (await service.call('POST', '/flags/?v=2', { key: null, body })).json().flags;
};
const makeFlag = (key: string) =>
  service.call('POST', `/api/projects/${service.projectId}/feature_flags/`, {
    body: { key, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } },
  });

test.each([
  ['1 hour', HOUR_MS],
  ['10 years', 10 * 365 * 24 * HOUR_MS],
])('a clock that is set back by %s: no event is doubled or delayed, no user locked out, and changes apply', async (_, ms) => {
  const before = eventOf('before');
  expect(await capture(before)).toBe(200);
  expect((await makeFlag('first')).statusCode).toBe(201);
  await expect.poll(async () => Object.keys(await flagsOf('ann'))).toEqual(['first']);
  const session = (await logIn(OWNER_PASSWORD)).headers['set-cookie'];
  const cookie = String(Array.isArray(session) ? session[0] : session).split(';')[0] ?? '';
  for (let i = 0; i < 31; i++) await logIn('not the password');
  expect((await logIn(OWNER_PASSWORD)).statusCode).toBe(403);

  service.clock.advance(-ms);

  expect(await capture(before, eventOf('after'))).toBe(200);
  expect(await capture(before)).toBe(200);
  expect(await rows('select event, count() from events group by event order by event')).toEqual([
    ['after', 1],
    ['before', 1],
  ]);
  expect((await makeFlag('second')).statusCode).toBe(201);
  await expect.poll(async () => Object.keys(await flagsOf('ann')).sort()).toEqual(['first', 'second']);
  const me = await service.call('GET', '/api/users/@me/', { key: null, headers: { cookie } });
  expect(me.statusCode).toBe(200);
  expect((await logIn(OWNER_PASSWORD)).statusCode).toBe(200);
  expect((await service.call('GET', '/_health', { key: null })).json()).toMatchObject({
    status: 'ok',
    ingest: { refusing: null },
  });
});
