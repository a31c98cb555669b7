import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { countStatements } from '../../testing/count-statements.js';

let app: AccountsApp;
let owner: { key: string };
let member: { cookie: string };
let project: string;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
  member = await app.invite('member@example.com');
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'P' })).json().id}`;
});
afterAll(() => app.close());

const rows = async (): Promise<number[]> => {
  const { db } = app.deps;
  const flags = await db.selectFrom('feature_flags').select('id').execute();
  const versions = await db.selectFrom('feature_flag_versions').select('version').execute();
  const log = await db.selectFrom('activity_log').select('id').execute();
  return [flags.length, versions.length, log.length];
};

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.constantFrom(null, true, 'true', 0, -1, 1e300, 2_147_483_648, '\u0000', '\ud800', [], {}, [[]], 'x'.repeat(70_000)),
);
const or = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 20, arbitrary }, { weight: 1, arbitrary: junk });
/** Seldom there, and then anything. */
const seldom = fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: junk });
const partial = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] });
const property = partial({
  key: or(fc.constantFrom('plan', 'id', '1', '2', 'a')),
  type: or(fc.constantFrom('person', 'group', 'cohort', 'flag')),
  operator: or(fc.constantFrom('exact', 'regex', 'gt', 'in', 'flag_evaluates_to', 'is_date_before', 'between')),
  value: or(fc.constantFrom(1, '1', true, ['pro'], '-7d', '(', [1, 2])),
  group_type_index: or(fc.constantFrom(0, 9)),
});
const filters = partial({
  groups: or(
    fc.array(
      partial({
        properties: or(fc.array(or(property), { maxLength: 2 })),
        rollout_percentage: or(fc.integer({ min: -5, max: 105 })),
        variant: seldom,
      }),
      { maxLength: 2 },
    ),
  ),
  multivariate: or(
    partial({
      variants: or(
        fc.array(partial({ key: or(fc.string()), rollout_percentage: or(fc.constantFrom(50, 100)) }), { maxLength: 2 }),
      ),
    }),
  ),
  payloads: or(partial({ true: seldom })),
  aggregation_group_type_index: or(fc.constantFrom(null, 0)),
  super_groups: seldom,
  holdout: seldom,
});
const body = or(
  partial({
    key: or(fc.constantFrom('a', 'b', 'c', 'd')),
    name: or(fc.string()),
    filters: fc.oneof(filters, fc.constant({ groups: [{ rollout_percentage: 5 }] })),
    active: or(fc.boolean()),
    deleted: or(fc.boolean()),
    ensure_experience_continuity: or(fc.boolean()),
    bucketing_identifier: or(fc.constantFrom('distinct_id', 'device_id')),
    evaluation_runtime: or(fc.constantFrom('all', 'client', 'server')),
    evaluation_contexts: or(fc.array(or(fc.string()), { maxLength: 3 })),
    is_remote_configuration: seldom,
    has_encrypted_payloads: or(fc.boolean()),
    tags: or(fc.array(or(fc.string()), { maxLength: 3 })),
    analytics_dashboards: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(or(fc.integer()), { maxLength: 2 }) },
    ),
    version: fc.oneof({ weight: 4, arbitrary: seldom }, { weight: 1, arbitrary: fc.constantFrom(1, 2) }),
    original_flag: or(fc.object({ maxDepth: 1 })),
  }),
);

test('any request body is accepted or refused as a whole, without a 500', async () => {
  const { id } = (await app.call(owner, 'POST', `${project}/feature_flags/`, { key: 'fixed' })).json();
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(body, fc.boolean(), async (sent, isNew) => {
      await app.call(owner, 'PATCH', `${project}/feature_flags/${id}/`, { deleted: false });
      const before = await rows();
      const answer = isNew
        ? await app.call(owner, 'POST', `${project}/feature_flags/`, JSON.stringify(sent))
        : await app.call(owner, 'PATCH', `${project}/feature_flags/${id}/`, JSON.stringify(sent));
      if (answer.statusCode === (isNew ? 201 : 200)) {
        taken += 1;
        return;
      }
      expect([answer.statusCode === 409 ? 400 : answer.statusCode, Object.keys(answer.json())]).toEqual([
        400,
        ['type', 'code', 'detail', 'attr'],
      ]);
      expect(await rows()).toEqual(before);
    }),
    { numRuns: 120 },
  );
  expect(taken).toBeGreaterThan(0);
});

test('any request body of a scheduled change or a copy is accepted or refused, without a 500', async () => {
  const { id } = (await app.call(owner, 'POST', `${project}/feature_flags/`, { key: 'to-come' })).json();
  const change = or(
    partial({
      record_id: or(fc.constant(String(id))),
      model_name: or(fc.constant('FeatureFlag')),
      scheduled_at: or(fc.constant('2030-01-01')),
      payload: or(
        partial({
          operation: or(fc.constantFrom('update_status', 'add_release_condition', 'update_variants')),
          value: or(fc.oneof(fc.boolean(), filters, partial({ variants: junk, payloads: junk }))),
        }),
      ),
    }),
  );
  const copy = or(
    partial({
      feature_flag_key: or(fc.constant('to-come')),
      from_project: junk,
      target_project_ids: or(fc.array(junk, { maxLength: 2 })),
    }),
  );
  await fc.assert(
    fc.asyncProperty(change, copy, async (scheduled, copied) => {
      const first = await app.call(owner, 'POST', `${project}/scheduled_changes/`, JSON.stringify(scheduled));
      expect([201, 400]).toContain(first.statusCode);
      const second = await app.call(
        owner,
        'POST',
        '/api/organizations/@current/feature_flags/copy_flags/',
        JSON.stringify(copied),
      );
      expect([200, 400, 404]).toContain(second.statusCode);
    }),
    { numRuns: 60 },
  );
});

test('any query string of a list is accepted or refused, without a 500', async () => {
  const name = fc.constantFrom(
    'limit',
    'offset',
    'search',
    'active',
    'created_by_id',
    'created_by',
    'tags',
    'type',
    'evaluation_runtime',
    'order',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('[1', '[]', '[null]', '["a"]', '1,2', '99999999999', '%', 'STALE', 'true', 'boolean', '-key'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
      const search = pairs.map(([key, text]) => `${key}=${encodeURIComponent(text)}`).join('&');
      for (const list of ['feature_flags', 'scheduled_changes']) {
        const { statusCode } = await app.call(owner, 'GET', `${project}/${list}/?${search}`);
        expect([200, 400]).toContain(statusCode);
      }
    }),
    { numRuns: 60 },
  );
});

test('more concurrent writers than database connections all succeed', async () => {
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, n) => app.call(member, 'POST', `${project}/feature_flags/`, { key: `w${n}` })),
  );
  expect(new Set(made.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
  const changed = await Promise.all(
    made.map((answer) => app.call(member, 'PATCH', `${project}/feature_flags/${answer.json().id}/`, { name: 'x' })),
  );
  expect(new Set(changed.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});

test('the number of statements does not grow with the number of flags, versions or schedules', async () => {
  const own = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'S' })).json().id}`;
  const count = (method: 'GET' | 'POST' | 'PATCH', path: string, sent?: object): Promise<number> =>
    countStatements(async () => {
      const { statusCode } = await app.call(member, method, `${own}${path}`, sent);
      expect(statusCode).toBeLessThan(300);
    });
  let made = 0;
  const fill = async (n: number): Promise<number[]> => {
    let id = 0;
    for (let i = 0; i < n; i++) {
      made += 1;
      id = (await app.call(owner, 'POST', `${own}/feature_flags/`, { key: `f${made}`, tags: ['x'] })).json().id;
      await app.call(owner, 'PATCH', `${own}/feature_flags/${id}/`, { name: `n${i}` });
      const payload = { operation: 'update_status', value: true };
      const change = { record_id: id, model_name: 'FeatureFlag', payload, scheduled_at: '2030-01-01' };
      await app.call(owner, 'POST', `${own}/scheduled_changes/`, change);
    }
    const depends = (to: number) => ({
      groups: [{ properties: [{ key: String(to), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
    });
    return [
      await count('GET', '/feature_flags/'),
      await count('GET', '/feature_flags/?search=f&tags=x&active=STALE'),
      await count('GET', `/feature_flags/${id}/`),
      await count('GET', `/feature_flags/${id}/versions/`),
      await count('GET', '/scheduled_changes/'),
      await count('POST', '/feature_flags/', { key: `g${made}`, filters: depends(id) }),
      await count('PATCH', `/feature_flags/g${made}/`, { filters: { ...depends(id), payloads: { true: '1' } } }),
      await count('GET', `/feature_flags/${id}/dependent_flags/`),
    ];
  };
  const few = await fill(1);
  const many = await fill(8);
  expect(many).toEqual(few);
  // who asks (2), what rules say to them, and the list itself
  // the count of all pages is a statement of its own, as in every list
  expect(few[0]).toBe(5);
});
