import { evaluateFlags, prepareFlags } from '@tidemark/flags';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FlagsApp, makeFlag, startFlagsApp } from '../testing/flags-app.js';
import { toWireAggregation, toWireDate, toWireEnrollment, toWireTree } from './wire-form.js';

test.each([
  ['Europe/Berlin', '2026-03-15', '2026-03-14T23:00:00.000Z'],
  ['Europe/Berlin', '2026-07-15T10:00:00', '2026-07-15T08:00:00.000Z'],
  ['UTC', '2026-07-15 10:00', '2026-07-15T10:00:00.000Z'],
  ['Asia/Kathmandu', 1_795_000_000, '2026-11-18T11:06:40.000Z'],
  // these mean one thing to everybody, or nothing
  ['UTC', '2026-03-15', '2026-03-15'],
  ['Asia/Kathmandu', '2026-03-15T00:00:00+02:00', '2026-03-15T00:00:00+02:00'],
  ['Asia/Kathmandu', '-7d', '-7d'],
  ['Asia/Kathmandu', 'soon', 'soon'],
  ['Asia/Kathmandu', 1e300, 1e300],
])('in %s the date %o is sent as %o', (timezone, value, sent) => {
  const of = (operator: string) => toWireDate({ key: 'seen', operator, value }, timezone);
  expect(of('is_date_before')).toEqual({ key: 'seen', operator: 'is_date_before', value: sent });
  expect(of('is_date_after').value).toEqual(sent);
  // a whole day, which no moment stands for
  expect(of('is_date_exact').value).toEqual(value);
  expect(of('exact').value).toEqual(value);
});

test('conditions of cohorts are sent so that clients evaluate them as the service does', () => {
  const date = { key: 'seen', operator: 'is_date_after', value: '2026-03-15' };
  const tree = { type: 'OR', values: [{ type: 'OR', values: [] }, { type: 'cohort', value: 3, operator: 'is_not' }, date] };
  expect(toWireTree(tree, 'Europe/Berlin')).toEqual({
    type: 'OR',
    values: [
      { type: 'AND', values: [] },
      { type: 'cohort', value: 3, operator: 'not_in' },
      { ...date, value: '2026-03-14T23:00:00.000Z' },
    ],
  });
});

test('persons with an enrolment get it before all conditions, and the conditions are for persons without a choice', () => {
  const own = { key: 'plan', type: 'person', value: 'pro' };
  const joined = { key: '$feature_enrollment/new', type: 'person', operator: 'exact', value: ['true'] };
  const undecided = { key: '$feature_enrollment/new', type: 'person', operator: 'is_not_set', value: 'is_not_set' };
  const groups = [{ properties: [own], rollout_percentage: 50 }, { rollout_percentage: 10 }];
  const sentDates = [
    { properties: [joined], rollout_percentage: 100 },
    { properties: [own, undecided], rollout_percentage: 50 },
    { properties: [undecided], rollout_percentage: 10 },
  ];
  expect(toWireEnrollment(groups, { feature_enrollment: true }, 'new')).toEqual(sentDates);
  // as older clients wrote it
  const older = { properties: [joined], rollout_percentage: 100 };
  expect(toWireEnrollment(groups, { super_groups: [older] }, 'new')).toEqual(sentDates);
  for (const none of [{}, { super_groups: [] }, { super_groups: [{ properties: [] }] }, { super_groups: ['x'] }]) {
    expect(toWireEnrollment(groups, { ...none, feature_enrollment: false }, 'new')).toEqual(groups);
  }
});

test('if conditions are about different kinds of subjects, each has its kind', () => {
  const groups = [{ rollout_percentage: 10 }, { aggregation_group_type_index: null }, { aggregation_group_type_index: 1 }];
  const filters = { aggregation_group_type_index: 0, groups };
  expect(toWireAggregation(filters, groups)).toEqual({
    filters: { ...filters, aggregation_group_type_index: null },
    groups: [{ aggregation_group_type_index: 0, rollout_percentage: 10 }, groups[1], groups[2]],
  });
  const alike = [{ rollout_percentage: 10 }, { aggregation_group_type_index: 0 }];
  for (const [own, some] of [
    [filters, alike],
    [{ ...filters, holdout: { id: 1, exclusion_percentage: 10 } }, groups],
    [{ aggregation_group_type_index: null }, groups],
    [{}, groups],
  ] as const) {
    expect(toWireAggregation(own, [...some])).toEqual({ filters: own, groups: some });
  }
});

let world: FlagsApp;
beforeAll(async () => {
  world = await startFlagsApp();
});
afterAll(() => world.close());

async function makeCohort(type: string, values: object[]): Promise<number> {
  const [created_at, updated_at] = [new Date(0), new Date(0)];
  const filters = JSON.stringify({ properties: { type, values } });
  const { id } = await world.deps.db
    .insertInto('cohorts')
    .values({ project_id: world.projectId, filters, created_at, updated_at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

test('local evaluation by a client equals remote evaluation', async () => {
  await world.deps.db.updateTable('projects').set({ timezone: 'America/New_York' }).where('id', '=', world.projectId).execute();
  const pro = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
  const all = await makeCohort('OR', []);
  const others = await makeCohort('AND', [
    { key: 'id', type: 'cohort', operator: 'is_not', value: await makeCohort('AND', [pro]) },
  ]);
  const either = await makeCohort('OR', [pro, { type: 'OR', values: [] }]);
  const inCohort = (value: unknown) => ({ key: 'id', type: 'cohort', operator: 'in', value });
  const conditions = {
    before: { key: 'seen', type: 'person', operator: 'is_date_before', value: '2026-03-15' },
    after: { key: 'seen', type: 'person', operator: 'is_date_after', value: '2026-03-15T00:30:00' },
    all: inCohort(all),
    others: inCohort(others),
    either: inCohort(either),
  };
  for (const [key, condition] of Object.entries(conditions))
    await makeFlag(world, { key, filters: { groups: [{ properties: [condition] }] } });
  await makeFlag(world, { key: 'listed', filters: { groups: [{ properties: [inCohort([all, others])] }] } });
  for (const query of ['&send_cohorts', '']) {
    const url = `/flags/definitions?token=${world.token}${query}`;
    const feed = (await world.get(url, { authorization: `Bearer ${world.personalKey}` })).json();
    expect(feed.timezone).toBe('America/New_York');
    if (query) expect(Object.keys(feed.cohorts)).toEqual(expect.arrayContaining([all, others].map(String)));
    const prepared = prepareFlags(feed.flags, feed.cohorts);
    const keys = query ? [...Object.keys(conditions), 'listed'] : ['before', 'after', 'all', 'either'];
    for (const seen of ['2026-03-15T02:00:00Z', '2026-03-15T04:15:00Z', '2026-03-15T06:00:00Z']) {
      for (const plan of ['pro', 'free']) {
        const question = { token: world.token, distinct_id: 'ann', person_properties: { seen, plan } };
        const ours = (await world.post('/flags/?v=1', question)).json().featureFlags;
        // without the time zone, as clients of others
        const subject = { distinctId: 'ann', personProperties: { seen, plan }, groups: {} };
        const theirs = evaluateFlags(prepared, subject, { now: 0 });
        for (const key of keys)
          expect({ key, seen, plan, value: theirs.get(key)?.value }).toEqual({ key, seen, plan, value: ours[key] });
      }
    }
  }
});
