import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { statusOf } from './status.js';

const DAY = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const ago = (days: number) => new Date(now - days * DAY);
const flag = {
  deleted: false,
  active: true,
  created_at: ago(100),
  updated_at: ago(1),
  last_called_at: ago(1),
  is_constant: false,
};

test.each([
  ['ACTIVE', 'Not everybody gets the same value.', {}],
  ['DELETED', 'The flag is deleted.', { deleted: true, active: false }],
  ['INACTIVE', 'The flag is switched off.', { active: false, last_called_at: ago(99) }],
  ['STALE', 'No client has asked for the flag for 30 days.', { last_called_at: ago(31) }],
  ['STALE', 'No client has asked for the flag for 30 days.', { last_called_at: null }],
  ['ACTIVE', 'The flag is younger than 30 days.', { created_at: ago(29), last_called_at: null }],
  ['STALE', 'For 30 days everybody has got the same value.', { is_constant: true, updated_at: ago(31) }],
  ['ACTIVE', 'The flag changed lately.', { is_constant: true, updated_at: ago(29) }],
])('%s: %s', (status, reason, fields) => {
  expect(statusOf({ ...flag, ...fields }, now)).toEqual({ status, reason });
});

let app: AccountsApp;
let project: number;
beforeAll(async () => {
  app = await startAccountsApp();
  project = (await app.call(app.owner, 'POST', '/api/projects/', { name: 'P' })).json().id;
});
afterAll(() => app.close());

const call = async (path: string) => (await app.call({ key: app.owner.key }, 'GET', `/api/projects/${project}${path}`)).json();
const everybody = { properties: [], rollout_percentage: 100 };
const variants = (...shares: number[]) => ({ variants: shares.map((share, n) => ({ key: `v${n}`, rollout_percentage: share })) });

test.each([
  [true, { groups: [everybody] }],
  [true, { groups: [{}] }],
  [true, { groups: [{ properties: null, rollout_percentage: null }] }],
  [true, { groups: [{ properties: [{ key: 'x', value: '1' }] }, everybody] }],
  [true, { groups: [everybody], multivariate: variants(100, 0) }],
  [true, { groups: [{ ...everybody, variant: 'v1' }], multivariate: variants(50, 50) }],
  [false, { groups: [{ ...everybody, rollout_percentage: 99 }] }],
  [false, { groups: [{ ...everybody, properties: [{ key: 'x', value: '1' }] }] }],
  [false, { groups: [everybody], multivariate: variants(50, 50) }],
  [false, { groups: [{ ...everybody, variant: 'v0' }, everybody], multivariate: variants(0, 100) }],
  [false, { groups: [everybody], feature_enrollment: true }],
  [false, { groups: [everybody], super_groups: [everybody] }],
  [false, { groups: [everybody], holdout: { id: 1, exclusion_percentage: 10 } }],
  [false, { groups: [everybody], holdout_groups: [{ rollout_percentage: 10 }] }],
  [false, { groups: [] }],
  [false, {}],
  [false, { groups: 'x' }],
])('whether everybody gets the same: %s for %j', async (isConstant, filters) => {
  const { id } = (await app.call(app.owner, 'POST', `/api/projects/${project}/feature_flags/`, { key: 'a' })).json();
  const row = { filters: JSON.stringify(filters), created_at: new Date(0), updated_at: new Date(0) };
  const last_called_at = new Date(app.deps.clock.now());
  await app.deps.db
    .updateTable('feature_flags')
    .set({ ...row, last_called_at })
    .where('id', '=', id)
    .execute();
  expect((await call('/feature_flags/a/status/')).status).toBe(isConstant ? 'STALE' : 'ACTIVE');
  expect((await call('/feature_flags/?active=STALE')).count).toBe(isConstant ? 1 : 0);
  await sql`delete from feature_flags`.execute(app.deps.db);
});

test('the filter active=STALE lists exactly the flags with the status STALE', async () => {
  const { db, clock } = app.deps;
  const time = fc.integer({ min: 0, max: 60 }).map((days) => new Date(clock.now() - days * DAY));
  const filters = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({ groups: fc.jsonValue({ maxDepth: 3 }), multivariate: fc.jsonValue({ maxDepth: 2 }) }),
    fc.constant({ groups: [everybody] }),
  );
  const arbitrary = fc.record({
    filters,
    created_at: time,
    updated_at: time,
    last_called_at: fc.option(time),
    active: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: 20 }), async (flags) => {
      await sql`delete from feature_flags`.execute(db);
      const values = flags.map((one, n) => ({
        ...one,
        key: `k${n}`,
        project_id: project,
        filters: JSON.stringify(one.filters).replaceAll('\\u0000', ''),
      }));
      await db.insertInto('feature_flags').values(values).execute();
      const keysOf = ({ results }: { results: { key: string; status: string }[] }, status?: string) =>
        results.filter((flag) => !status || flag.status === status).map(({ key }) => key);
      expect(keysOf(await call('/feature_flags/?active=STALE'))).toEqual(keysOf(await call('/feature_flags/'), 'STALE'));
    }),
    { numRuns: 30 },
  );
  await sql`delete from feature_flags`.execute(db);
});
