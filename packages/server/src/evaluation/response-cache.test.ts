import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FlagsApp, makeFlag, makePerson, startFlagsApp } from '../testing/flags-app.js';

let world: FlagsApp;
beforeAll(async () => {
  world = await startFlagsApp();
  await makePerson(world, ['ann'], { plan: 'pro' });
});
afterAll(() => world.close());

const onPlan = (plan: string) => ({ groups: [{ properties: [{ key: 'plan', value: plan, type: 'person' }] }] });

async function ask(url = '/flags/?v=2', more: object = {}) {
  const body = gzipSync(JSON.stringify({ token: world.token, distinct_id: 'ann', ...more }));
  const response = await world.app.inject({ method: 'POST', url, headers: { 'content-type': 'text/plain' }, payload: body });
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length);
  return response.json();
}

const changePlan = (plan: string) =>
  world.deps.db
    .updateTable('persons')
    .set({ properties: JSON.stringify({ plan }) })
    .execute();

test('the same request has the same response for five seconds', async () => {
  await makeFlag(world, { key: 'grüße', filters: { ...onPlan('pro'), payloads: { true: '"ä"' } } });
  await expect.poll(async () => Object.keys((await ask('/flags/?v=2', { poll: 1 })).flags)).toEqual(['grüße']);
  for (const url of ['/flags/?v=2', '/flags/?v=1', '/flags/', '/decide/?v=1', '/decide/?v=4']) {
    expect(await ask(url)).toEqual(await ask(url));
  }
  const { evaluatedAt } = await ask();
  expect((await ask()).evaluatedAt).toBe(evaluatedAt);
  world.advance(5_001);
  expect((await ask()).evaluatedAt).toBeGreaterThan(evaluatedAt);
});

test('a changed property of a person applies after the cached one expires', async () => {
  world.advance(11_000);
  expect((await ask()).flags['grüße'].enabled).toBe(true);
  await changePlan('free');
  world.advance(10_001);
  expect((await ask()).flags['grüße'].enabled).toBe(false);
});

test('a changed flag, a sent property and another version of the request are evaluated again', async () => {
  expect((await ask()).flags['grüße'].enabled).toBe(false);
  expect((await ask('/flags/?v=2', { person_properties: { plan: 'pro' } })).flags['grüße'].enabled).toBe(true);
  expect((await ask('/flags/?v=1')).featureFlags).toEqual({ grüße: false });
  await makeFlag(world, { key: 'second', filters: onPlan('free') });
  await expect.poll(async () => Object.keys((await ask()).flags)).toEqual(['grüße', 'second']);
});

test('a person that does not exist yet is looked up at each request', async ({ task }) => {
  const name = `bob-${task.result?.retryCount}`;
  const second = async () => (await ask('/flags/?v=1', { distinct_id: name })).featureFlags.second;
  // a store that takes too long is not waited for: the flag is left out then
  await expect.poll(second).toBe(false);
  await makePerson(world, [name], { plan: 'free' });
  world.advance(1_001);
  await expect.poll(second).toBe(true);
});

test('a UUID sent as X-Request-Id is the id of the response, evaluated or cached; another text is not', async () => {
  const id = '0190A0B0-1111-7000-8000-000000000001';
  const askAs = async (requestId: string, url: string) => {
    const response = await world.app.inject({
      method: 'POST',
      url,
      headers: { 'x-request-id': requestId },
      payload: { token: world.token, distinct_id: 'ann', named: true },
    });
    expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length);
    return response.json();
  };
  for (const url of ['/flags/?v=2', '/flags/?v=1', '/flags/?v=2&config=true']) {
    const first = await askAs(id, url);
    const other = await askAs(id.replace('A0B0', 'c0d0'), url);
    expect([first.requestId, other.requestId]).toEqual([id.toLowerCase(), '0190c0d0-1111-7000-8000-000000000001']);
    expect({ ...other, requestId: null }).toEqual({ ...first, requestId: null });
    expect((await askAs('a-name', url)).requestId).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('cached responses do not retain earlier definitions of flags in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { projectId } = world;
  const definitions = new WeakRef(await world.deps.services.flagDefinitions.get(projectId));
  expect((await ask('/flags/?v=2', { memory: 1 })).flags.second).toBeDefined();
  await makeFlag(world, { key: 'third', filters: onPlan('free') });
  await expect.poll(async () => Object.keys((await ask()).flags)).toContain('third');
  await expect
    .poll(() => {
      collectGarbage();
      return definitions.deref();
    })
    .toBeUndefined();
});
