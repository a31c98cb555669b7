import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemIds } from '../../adapters/system/index.js';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app?.close());

const SECOND = 1_000;
const take = (holder: string, subject = 'Shop') => project.call('POST', 'import_leases/', { holder, subject });
const renew = (id: string) => project.call('POST', `import_leases/${id}/renew/`);
const giveBack = (id: string) => project.call('DELETE', `import_leases/${id}/`);

async function taken(holder: string, subject?: string) {
  const answer = await take(holder, subject);
  expect([answer.statusCode, answer.body]).toEqual([201, expect.anything()]);
  return answer.json();
}

test('another import is refused, with what has the project and until when', async () => {
  const [ours, other] = [systemIds.uuid(), systemIds.uuid()];
  const lease = await taken(ours, 'https://eu.posthog.com project 1 (Shop)');
  expect(lease).toEqual({
    id: expect.any(String),
    subject: 'https://eu.posthog.com project 1 (Shop)',
    taken_by: expect.objectContaining({ email: 'owner@example.com' }),
    taken_at: expect.any(String),
    expires_at: expect.any(String),
  });
  expect(Date.parse(lease.expires_at) - Date.parse(lease.taken_at)).toBe(60 * SECOND);
  const refused = await take(other, 'another');
  const second = (time: string) => `${new Date(time).toISOString().slice(0, 19)}Z`;
  expect([refused.statusCode, refused.json()]).toEqual([
    409,
    {
      type: 'invalid_request',
      code: 'conflict',
      detail: `The import of https://eu.posthog.com project 1 (Shop), begun by owner@example.com at ${second(lease.taken_at)}, has this project until ${second(lease.expires_at)}, and longer while it runs.`,
      attr: null,
      extra: lease,
    },
  ]);
  // of other projects nothing is said
  const beside = await ownProject(app);
  expect((await beside.call('POST', 'import_leases/', { holder: other, subject: 'another' })).statusCode).toBe(201);
  expect((await beside.call('DELETE', `import_leases/${lease.id}/`)).statusCode).toBe(404);
  expect((await giveBack(lease.id)).statusCode).toBe(204);
  expect((await giveBack(lease.id)).statusCode).toBe(404);
  await taken(other);
});

test('a lease is valid for a minute after it was taken or renewed', async () => {
  const [ours, other] = [systemIds.uuid(), systemIds.uuid()];
  const lease = await taken(ours);
  app.advance(50 * SECOND);
  const renewed = await renew(lease.id);
  expect([renewed.statusCode, renewed.json()]).toEqual([200, { ...lease, expires_at: expect.any(String) }]);
  expect(Date.parse(renewed.json().expires_at)).toBeGreaterThanOrEqual(Date.parse(lease.expires_at) + 50 * SECOND);
  app.advance(50 * SECOND);
  expect((await take(other)).statusCode).toBe(409);
  app.advance(15 * SECOND);
  // nobody has had the project since it expired
  expect((await renew(lease.id)).statusCode).toBe(200);
  app.advance(61 * SECOND);
  const next = await taken(other);
  const lost = await renew(lease.id);
  expect([lost.statusCode, lost.json().extra]).toEqual([409, next]);
  expect((await giveBack(lease.id)).statusCode).toBe(404);
  // and nobody knows what the other has done when it has ended
  expect((await giveBack(next.id)).statusCode).toBe(204);
  expect((await renew(lease.id)).json()).toMatchObject({ code: 'conflict', detail: expect.stringContaining('has ended') });
});

test('the same import gets the project again at once, and its run before loses it', async () => {
  const holder = systemIds.uuid();
  const before = await taken(holder);
  const after = await taken(holder);
  expect(after.id).not.toBe(before.id);
  expect((await renew(before.id)).json()).toMatchObject({ code: 'conflict', extra: after });
  expect((await renew(after.id)).statusCode).toBe(200);
});

test('of many imports at once, one gets the project', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => take(systemIds.uuid())));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(11).fill(409)]);
});

test('a lease of before the clock was set back keeps nobody out', async () => {
  await taken(systemIds.uuid());
  app.advance(-3_600 * SECOND);
  await taken(systemIds.uuid());
  app.advance(3_600 * SECOND);
});

test.each([
  [{ subject: 'Shop' }, 'required', 'holder'],
  [{ holder: 'me', subject: 'Shop' }, 'invalid_input', 'holder'],
  [{ holder: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1', subject: ' ' }, 'blank', 'subject'],
])('%# is refused', async (body, code, attr) => {
  const answer = await project.call('POST', 'import_leases/', body);
  expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ code, attr })]);
});

test('ids that are none, and keys that may create nothing', async () => {
  expect([(await renew('1')).statusCode, (await giveBack('1')).statusCode]).toEqual([404, 404]);
  const { id } = await taken(systemIds.uuid());
  const reads = await app.makeKey(app.owner.cookie, { scopes: ['project:read', 'insight:read', 'person:write'] });
  const calls = [
    project.call('POST', 'import_leases/', { holder: systemIds.uuid(), subject: 'Shop' }, reads),
    project.call('POST', `import_leases/${id}/renew/`, undefined, reads),
    project.call('DELETE', `import_leases/${id}/`, undefined, reads),
  ];
  expect((await Promise.all(calls)).map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
});

test.each(['cohort:write', 'alert:write', 'early_access_feature:write', 'project:write'])(
  'a key that may create one kind of objects takes the project, and keeps others out: %s',
  async (scope) => {
    const key = await app.makeKey(app.owner.cookie, { scopes: ['project:read', scope] });
    const holder = systemIds.uuid();
    const lease = await project.call('POST', 'import_leases/', { holder, subject: 'Shop' }, key);
    expect([lease.statusCode, lease.body]).toEqual([201, expect.anything()]);
    expect((await take(systemIds.uuid())).statusCode).toBe(409);
    const { id } = lease.json();
    expect((await project.call('POST', `import_leases/${id}/renew/`, undefined, key)).statusCode).toBe(200);
    expect((await project.call('DELETE', `import_leases/${id}/`, undefined, key)).statusCode).toBe(204);
  },
);
