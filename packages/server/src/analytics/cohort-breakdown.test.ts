import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, inCohort, leaf, startCohorts } from '../testing/cohorts.js';
import { eventRow } from '../testing/events.js';

let cohorts: Awaited<ReturnType<typeof startCohorts>>;
let paying: number;
beforeAll(async () => {
  cohorts = await startCohorts();
  const { service, create } = cohorts;
  paying = (await create({ name: 'Paying', filters: all(leaf('plan', ['pro'])) })).id;
  const persons = await service.deps.db
    .selectFrom('person_distinct_ids as d')
    .innerJoin('persons as p', 'p.id', 'd.person_id')
    .select(['d.distinct_id', 'p.uuid'])
    .where('p.project_id', '=', service.projectId)
    .execute();
  const rows = persons.flatMap(({ distinct_id, uuid }, person) =>
    [0, 1].map((index) =>
      eventRow(person * 10 + index, {
        project_id: service.projectId,
        distinct_id,
        person_id: uuid,
        event: index === 0 ? 'bought' : 'tested',
        timestamp: service.clock.now() - 60_000,
      }),
    ),
  );
  await service.deps.events.insert('events', rows, { token: 'cohort-breakdown' });
});
afterAll(() => cohorts.service.close());

const ask = async (query: object) => {
  const { service } = cohorts;
  const trends = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: null }] };
  const body = { query: 'kind' in query ? query : { ...trends, ...query } };
  return service.call('POST', `/api/projects/${service.projectId}/query/`, { body });
};
const setTests = async (filters: unknown) => {
  const { service } = cohorts;
  const answer = await service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { test_account_filters: filters } });
  expect(answer.statusCode).toBe(200);
};

describe('breakdowns by cohort', () => {
  test('an event counts in each cohort of its person', async () => {
    const breakdownFilter = { breakdown: ['all', paying], breakdown_type: 'cohort' };
    const { results } = (await ask({ breakdownFilter })).json();
    expect(results).toMatchObject([
      { label: 'All users', breakdown_value: 'all', breakdown_name: 'All users', count: 6 },
      { label: 'Paying', breakdown_value: paying, breakdown_name: 'Paying', count: 4 },
    ]);
  });

  test.each(['steps', 'trends'])('funnels are broken down by cohort: %s', async (funnelVizType) => {
    const query = {
      kind: 'FunnelsQuery',
      series: ['bought', 'tested'].map((event) => ({ kind: 'EventsNode', event })),
      breakdownFilter: { breakdown: ['all', paying], breakdown_type: 'cohort' },
      funnelsFilter: { funnelVizType, funnelOrderType: 'unordered' },
    };
    const { results } = (await ask(query)).json();
    const isSteps = funnelVizType === 'steps';
    expect(
      results.flat().map((part: Record<string, unknown>) => [part.breakdown_value, part.breakdown_name, part.breakdown]),
    ).toEqual(
      (isSteps ? ['all', 'all', paying, paying] : ['all', paying]).map((value) =>
        value === paying
          ? [paying, 'Paying', isSteps ? 'Paying' : undefined]
          : ['all', 'All users', isSteps ? 'all users' : undefined],
      ),
    );
    const behind = { kind: 'FunnelsActorsQuery', source: query, funnelStepBreakdown: paying };
    const point = isSteps ? { funnelStep: 1 } : { funnelTrendsEntrancePeriodStart: new Date().toISOString() };
    const actors = await ask({ kind: 'ActorsQuery', select: ['id'], source: { ...behind, ...point } });
    expect(actors.json().results).toHaveLength(2);
  });

  test('retention is broken down by cohort', async () => {
    const query = {
      kind: 'RetentionQuery',
      breakdownFilter: { breakdown: ['all', paying], breakdown_type: 'cohort', breakdown_limit: 1 },
      retentionFilter: { period: 'Hour', totalIntervals: 1, targetEntity: { id: 'bought', type: 'events' } },
    };
    const { results } = (await ask(query)).json();
    const began = results.flatMap(
      ({
        breakdown_value: value,
        breakdown_name: name,
        values: [{ count }],
      }: Record<string, unknown> & { values: [{ count: number }] }) => (count > 0 ? [[value, name, count]] : []),
    );
    expect(began).toEqual([
      ['0', 'All users', 3],
      [paying, 'Paying', 2],
    ]);
    const isBehind = async (breakdown: unknown) => {
      const behind = { kind: 'InsightActorsQuery', source: query, interval: 0, breakdown };
      return (await ask({ kind: 'ActorsQuery', select: ['id'], source: behind })).json().results.length;
    };
    expect([await isBehind(paying), await isBehind('0'), await isBehind('all')]).toEqual([2, 3, 3]);
  });

  test('events of members have the distinct ids of their persons', async () => {
    const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }] };
    const listed = async (query: object) =>
      (await ask({ kind: 'ActorsQuery', ...query }))
        .json()
        .results.map(([actor]: [{ distinct_ids: string[] }]) => actor.distinct_ids);
    const { db } = cohorts.service.deps;
    const known = await db.selectFrom('person_distinct_ids').select('distinct_id').orderBy('distinct_id').execute();
    const ids = known.map(({ distinct_id }) => distinct_id);
    const behind = await listed({ select: ['actor', 'id'], source: { kind: 'InsightActorsQuery', source } });
    expect([behind.length, behind.flat().toSorted()]).toEqual([3, ids]);
    const all = await listed({ select: ['person', 'upper(properties.plan)'] });
    expect(all.flat().toSorted()).toEqual(ids);
  });

  test.each(['first_time_for_user', 'weekly_active', 'avg_count_per_actor'])('also for %s', async (math) => {
    const series = [{ kind: 'EventsNode', event: null, math }];
    const breakdownFilter = { breakdown: [paying], breakdown_type: 'cohort' };
    const { results } = (await ask({ series, breakdownFilter })).json();
    expect(results).toMatchObject([{ label: 'Paying' }]);
    expect(Math.max(...results[0].data)).toBe(2);
  });
});

describe('test account filters', () => {
  test('filterTestAccounts leaves their events out, and a cached result is for the same filters', async () => {
    await setTests([{ type: 'event', key: 'none', operator: 'is_not_set', value: null }, inCohort(paying)]);
    const count = async (query: object) => (await ask(query)).json().results[0].count;
    expect(await count({})).toBe(6);
    expect(await count({ filterTestAccounts: true })).toBe(4);
    await setTests([inCohort(paying, { operator: 'not_in' })]);
    expect(await count({ filterTestAccounts: true })).toBe(2);
  });

  test('filters that cannot be parsed are refused with an error that names them', async () => {
    await setTests([{ type: 'event', key: 'a', operator: 'gt', value: 'x' }]);
    expect((await ask({})).statusCode).toBe(200);
    expect((await ask({ filterTestAccounts: true })).json()).toMatchObject({
      attr: 'query__filterTestAccounts',
      detail: expect.stringContaining('test_account_filters'),
    });
  });
});
