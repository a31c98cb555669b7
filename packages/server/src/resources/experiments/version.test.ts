import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { metric, variants } from '../../testing/experiment-calls.js';

let it: AccountsApp;
let ann: Caller;
let id: number;
let keys = 0;
beforeAll(async () => {
  it = await startAccountsApp();
  ann = await it.invite('ann@example.com');
});
afterAll(() => it.close());
beforeEach(async () => {
  const made = await it.call(it.owner, 'POST', URL, { name: 'Ours', feature_flag_key: `flag-${++keys}` });
  expect(made.json()).toMatchObject({ version: 1, last_modified_by: null });
  id = made.json().id;
});

const URL = '/api/projects/@current/experiments/';
const call = (by: Caller, method: 'GET' | 'PATCH' | 'PUT' | 'POST', rest = '', body?: object) =>
  it.call(by, method, `${URL}${id}/${rest}`, body);
const version = async () => (await call(it.owner, 'GET')).json().version;

test('each change makes a version, with who made it; a change to the same makes none', async () => {
  const hers = { name: 'Hers', version: 2, last_modified_by: { email: 'ann@example.com' } };
  expect((await call(ann, 'PATCH', '', { name: 'Hers' })).json()).toMatchObject(hers);
  expect((await call(it.owner, 'PATCH', '', { name: 'Hers' })).json()).toMatchObject(hers);
  expect((await call(it.owner, 'GET')).json()).toMatchObject(hers);
  await call(it.owner, 'PATCH', '', { metrics: [metric] });
  expect(await version()).toBe(3);
  expect((await call(it.owner, 'POST', 'launch/')).json()).toMatchObject({
    version: 4,
    last_modified_by: { email: 'owner@example.com' },
  });
  // a pause is a change of the flag, which has versions of its own
  expect((await call(it.owner, 'POST', 'pause/')).json()).toMatchObject({ version: 4, status: 'paused' });
  const copy = await call(it.owner, 'POST', 'duplicate/', {});
  expect(copy.json()).toMatchObject({ version: 1, last_modified_by: null });
});

test('other variants of a draft, which its flag stores, are a change', async () => {
  await call(ann, 'PATCH', '', { parameters: { feature_flag_variants: variants(20, 80) } });
  expect(await version()).toBe(2);
  await call(ann, 'PATCH', '', { parameters: { feature_flag_variants: variants(20, 80) } });
  expect(await version()).toBe(2);
});

test('a change of another version is refused with who made the present one; without a version it is made', async () => {
  await call(ann, 'PATCH', '', { description: 'hers' });
  for (const method of ['PATCH', 'PUT'] as const) {
    const stale = await call(it.owner, method, '', { name: 'Mine', version: 1 });
    expect([stale.statusCode, stale.json()]).toEqual([
      409,
      {
        type: 'invalid_request',
        code: 'conflict',
        detail: 'New has changed this experiment meanwhile.',
        attr: 'version',
        extra: {
          version: 2,
          updated_at: expect.any(String),
          last_modified_by: expect.objectContaining({ email: 'ann@example.com' }),
        },
      },
    ]);
  }
  expect((await call(it.owner, 'GET')).json()).toMatchObject({ name: 'Ours', description: 'hers', version: 2 });
  expect((await call(it.owner, 'PATCH', '', { name: 'Mine', version: 2 })).json()).toMatchObject({ name: 'Mine', version: 3 });
  expect((await call(it.owner, 'PATCH', '', { name: 'Ours', version: null })).json()).toMatchObject({ name: 'Ours', version: 4 });
  expect((await call(it.owner, 'PATCH', '', { description: 'ours' })).json()).toMatchObject({ name: 'Ours', version: 5 });
  const wrong = await call(it.owner, 'PATCH', '', { version: 'x' });
  expect([wrong.statusCode, wrong.json()]).toMatchObject([400, { attr: 'version', detail: 'A valid integer is required.' }]);
});

test('the variants of its flag stay when a change of them is refused', async () => {
  await call(ann, 'PATCH', '', { parameters: { feature_flag_variants: variants(20, 80) } });
  const stale = { parameters: { feature_flag_variants: variants(90, 10) }, version: 1 };
  expect((await call(it.owner, 'PATCH', '', stale)).statusCode).toBe(409);
  expect((await call(it.owner, 'GET')).json().feature_flag.filters.multivariate.variants).toEqual(variants(20, 80));
});

test('of many changes of one version one is made', async () => {
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => call(it.owner, 'PATCH', '', { name, version: 1 })));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409]);
  expect(await version()).toBe(2);
});

test('a deleted experiment is not found whatever the version, and restored by the present one', async () => {
  await call(ann, 'PATCH', '', { deleted: true, version: 1 });
  expect((await call(it.owner, 'PATCH', '', { name: 'x', version: 1 })).statusCode).toBe(404);
  expect((await call(it.owner, 'PATCH', '', { deleted: false, version: 1 })).statusCode).toBe(409);
  expect((await call(it.owner, 'PATCH', '', { deleted: false, version: 2 })).json()).toMatchObject({
    deleted: false,
    version: 3,
  });
});
