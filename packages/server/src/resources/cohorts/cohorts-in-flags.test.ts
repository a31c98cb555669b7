import { evaluateFlags, prepareFlags } from '@tidemark/flags';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolvePersons } from '../../ingestion/identities/index.js';
import { insertDimensionRows } from '../../ingestion/writer/insert-events.js';
import { startCohorts } from '../../testing/cohorts.js';
import { personTask } from '../../testing/people.js';

let cohorts: Awaited<ReturnType<typeof startCohorts>>;
beforeAll(async () => {
  cohorts = await startCohorts();
});
afterAll(() => cohorts.service.close());

const SEED = 7;
const COHORTS = 24;
const oneOf = fc.constantFrom<unknown[]>;
const person = fc.record(
  {
    plan: oneOf('pro', 'Free', '', 'true', true, 5, '5', ['pro', 'x']),
    age: oneOf(17, 42, '42', 'x', 1e21),
    seen: oneOf('2026-03-14T23:30:00Z', '2026-03-15', 'x', 1_773_500_000),
    version: oneOf('1.2.3', 'v1.10.0-rc.1', '2', 'x'),
    address: fc.record({ city: oneOf('Oslo', 'Bonn') }),
  },
  { requiredKeys: [] },
);
const property = (key: string, operators: string[], ...values: unknown[]) =>
  fc.record({ key: fc.constant(key), type: fc.constant('person'), operator: oneOf(...operators), value: oneOf(...values) });
const leaf = fc.oneof(
  property('plan', ['exact', 'is_not'], 'PRO', 5, true, ['free', ''], 'none'),
  property('plan', ['icontains', 'not_starts_with', 'regex', 'not_regex'], 'r', '[', 'x$'),
  property('age', ['gt', 'lte', 'exact'], 17, '42', 100),
  property('seen', ['is_date_before', 'is_date_after', 'is_date_exact'], '2026-03-15', '2026-03-14T20:00:00Z'),
  property('version', ['semver_gte', 'semver_neq', 'semver_caret'], '1.2.3', '1.10.0'),
  property('address.city', ['exact', 'is_not', 'is_set', 'is_not_set'], 'Oslo'),
);
/** `nth`: one of the cohorts made before, which is not known yet. */
const inOther = fc.record({ type: fc.constant('cohort'), nth: fc.nat(), operator: oneOf('in', 'not_in', 'is_not', 'exact') });
const negated = (one: fc.Arbitrary<object>) =>
  fc
    .tuple(one, oneOf(undefined, false, true))
    .map(([condition, negation]) => ({ ...condition, ...(negation === undefined ? {} : { negation }) }));
const group = (values: fc.Arbitrary<object>) =>
  fc.record({ type: oneOf('AND', 'OR'), values: fc.array(values, { maxLength: 3 }) });
const conditions = negated(fc.oneof({ arbitrary: leaf, weight: 4 }, inOther));
const tree = group(fc.oneof(conditions, group(conditions)));

function withCohorts(node: Record<string, unknown>, ids: readonly number[]): object {
  if (Array.isArray(node['values'])) return { ...node, values: node['values'].map((one) => withCohorts(one, ids)) };
  if (!('nth' in node)) return node;
  const { nth, ...rest } = node;
  return { ...rest, key: 'id', value: ids[Number(nth) % ids.length] };
}

test('cohorts of random conditions have the same persons in their list, their count, and flags evaluated by the service and by clients', async () => {
  const { service, create, namesIn } = cohorts;
  await service.deps.db
    .updateTable('projects')
    .set({ timezone: 'America/New_York' })
    .where('id', '=', service.projectId)
    .execute();
  const people = fc
    .sample(person, { numRuns: 20, seed: SEED })
    .map((set, index) => ({ distinctId: `p${index}`, set: JSON.parse(JSON.stringify(set)) }));
  const tasks = people.map(({ distinctId, set }) => personTask({ projectId: service.projectId, distinctId, set }));
  await insertDimensionRows(service.deps, { ...(await resolvePersons(service.deps, tasks)), groups: [] });
  const listed = await create({ is_static: true, _create_static_person_ids: ['p1', 'p3', 'p5', 'p7'] });
  const ids: number[] = [listed.id];
  const counts = new Map<number, number>([[listed.id, listed.count]]);
  for (const properties of fc.sample(tree, { numRuns: COHORTS, seed: SEED })) {
    const made = await create({ filters: { properties: withCohorts({ ...properties }, ids) } });
    ids.push(made.id);
    counts.set(made.id, made.count);
  }
  const flags = `/api/projects/${service.projectId}/feature_flags/`;
  for (const id of ids) {
    const filters = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: id }] }] };
    expect((await service.call('POST', flags, { body: { key: `in-${id}`, filters } })).statusCode).toBe(201);
  }
  const feed = (await service.call('GET', `/flags/definitions?token=${service.projectKey}&send_cohorts`)).json();
  const prepared = prepareFlags(feed.flags, feed.cohorts);
  const inFlags = new Map<number, string[]>(ids.map((id) => [id, []]));
  let evaluated = 0;
  for (const { distinctId, set } of [...people, ...['ann', 'bob', 'cleo'].map((distinctId) => ({ distinctId, set: null }))]) {
    const answer = await service.call('POST', '/flags/?v=1', {
      key: null,
      body: { token: service.projectKey, distinct_id: distinctId },
    });
    const values = answer.json().featureFlags;
    for (const id of ids) if (values[`in-${id}`]) inFlags.get(id)?.push(distinctId);
    if (!set) continue;
    const environment = { now: service.clock.now(), timeZone: feed.timezone };
    const own = evaluateFlags(prepared, { distinctId, personProperties: set, groups: {}, incomplete: true }, environment);
    for (const [key, { value, inconclusive }] of own) {
      if (inconclusive) continue;
      expect({ key, distinctId, value }).toEqual({ key, distinctId, value: values[key] });
      evaluated += 1;
    }
  }
  for (const id of ids) {
    const members = await namesIn(id, '?limit=100');
    expect({ id, members: members.sort() }).toEqual({ id, members: inFlags.get(id)?.sort() });
    expect({ id, count: counts.get(id) }).toEqual({ id, count: members.length });
  }
  // clients cannot tell of everybody, but of many
  expect(evaluated).toBeGreaterThan(100);
});
