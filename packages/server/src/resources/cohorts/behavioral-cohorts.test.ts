import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventTables } from '../../ports/events.js';
import { all, bought, inCohort, leaf, PRO, putPastEvents, startCohorts } from '../../testing/cohorts.js';
import { eventRow } from '../../testing/events.js';
import type { TestService } from '../../testing/service.js';

let cohorts: Awaited<ReturnType<typeof startCohorts>>;
let service: TestService;
let prefix: string;
beforeAll(async () => {
  cohorts = await startCohorts();
  ({ service, prefix } = cohorts);
  await putPastEvents(service, [
    ...[1.5, 2.5, 20].map((daysAgo) => ({ who: 'ann', daysAgo, properties: { amount: 50 } })),
    { who: 'bob', daysAgo: 5, properties: { amount: 5 } },
    { who: 'bob', daysAgo: 50, properties: {} },
    { who: 'cleo', daysAgo: 40, properties: { amount: 70 } },
    { who: 'cleo', daysAgo: 1, event: 'visit' },
    { who: 'nobody known', daysAgo: 1 },
  ]);
});
afterAll(() => service.close());

const create = (body: object) => cohorts.create(body);
const patch = (id: number, body: object) => cohorts.patch(id, body);
const namesIn = async (id: number) => (await cohorts.namesIn(id)).sort();
const query = async (body: object) =>
  (await service.call('POST', `/api/projects/${service.projectId}/query/`, { body: { query: body } })).json();

describe('behavioral cohorts', () => {
  test('they are counted, retrieved and listed', async () => {
    const filters = all(bought({ value: 'performed_event_multiple', operator: 'gte', operator_value: 3 }));
    const made = await create({ name: 'Regulars', filters });
    expect(made).toMatchObject({ cohort_type: 'behavioral', count: 1, errors_calculating: 0, filters });
    expect(await namesIn(made.id)).toEqual(['ann']);
    expect((await patch(made.id, { filters: PRO })).json()).toMatchObject({ cohort_type: 'person_property', count: 2 });
  });

  const window = (count: number, time_interval = 'day') => ({ time_value: count, time_interval });
  const none = { time_value: null, time_interval: null };
  const multiple = (operator: string, operator_value: number) => ({
    value: 'performed_event_multiple',
    operator,
    operator_value,
  });
  const regularly = (total_periods: number, min_periods: number, more = {}) => ({
    value: 'performed_event_regularly',
    total_periods,
    min_periods,
    ...more,
  });
  const recent = (value: string, seq_time_value: number) => ({ value, seq_time_value, seq_time_interval: 'day' });
  test.each<[object, string[]]>([
    [{}, ['ann', 'bob']],
    [{ negation: true }, ['cleo']],
    [window(2), ['ann']],
    [window(2, 'month'), ['ann', 'bob', 'cleo']],
    [{ ...window('7' as never), event_type: 'events', operator: null }, ['ann', 'bob']],
    [{ ...none, explicit_datetime: 'all' }, ['ann', 'bob', 'cleo']],
    [{ ...none, explicit_datetime: '-60d', explicit_datetime_to: '-30d' }, ['bob', 'cleo']],
    [{ key: null, ...window(3) }, ['ann', 'cleo']],
    [{ event_filters: [{ key: 'amount', operator: 'gt', value: 10 }], ...window(90) }, ['ann', 'cleo']],
    [{ event_filters: [{ type: 'person', key: 'plan', value: 'free' }] }, ['bob']],
    [{ event_filters: [{ key: 'amount', operator: 'is_not_set' }], ...window(90) }, ['bob']],
    [multiple('exact', 1), ['bob']],
    [multiple('lt', 2), ['bob', 'cleo']],
    [multiple('exact', 0), ['cleo']],
    [multiple('gt', 2), ['ann']],
    [{ value: 'performed_event_first_time' }, ['ann']],
    [{ value: 'performed_event_first_time', ...window(45) }, ['ann', 'cleo']],
    [{ ...regularly(7, 2), ...window(1) }, ['ann']],
    [{ ...regularly(3, 2, { operator: 'gte', operator_value: 1 }), ...window(1, 'month') }, ['bob']],
    [{ ...regularly(4, 4, { operator: 'lte', operator_value: 1 }), ...window(1, 'week') }, ['bob', 'cleo']],
    [{ ...recent('stopped_performing_event', 3) }, ['bob']],
    [{ ...recent('restarted_performing_event', 7) }, ['bob']],
    [{ ...recent('restarted_performing_event', 6), ...window(15) }, ['ann', 'bob']],
  ])('%j', async (more, names) => {
    const { id } = await create({ filters: all(bought(more)) });
    expect(await namesIn(id)).toEqual(names);
  });

  test('they combine with properties and other cohorts, but cycles are refused', async () => {
    const buyers = await create({ filters: all(bought()) });
    const rich = await create({ filters: all({ type: 'OR', values: [inCohort(buyers.id), leaf('email', 'cleo@example.com')] }) });
    expect(rich).toMatchObject({ count: 3, cohort_type: 'person_property' });
    const german = await create({ filters: all(leaf('plan', 'pro'), bought()) });
    expect(await namesIn(german.id)).toEqual(['ann']);
    const others = await create({ filters: all(inCohort(rich.id), inCohort(buyers.id, { negation: true })) });
    expect(await namesIn(others.id)).toEqual(['cleo']);
    const refused = (await patch(buyers.id, { filters: all(bought(), inCohort(others.id)) })).json();
    expect(refused).toMatchObject({ code: 'invalid_input', attr: 'filters', detail: expect.stringMatching(/contain itself/) });
  });

  test('events of merged persons count for the person they were merged into', async () => {
    const { id } = await create({ filters: all(bought({ key: 'call' })) });
    await putPastEvents(service, [{ who: 'cleo on the phone', daysAgo: 1, event: 'call' }]);
    expect(await namesIn(id)).toEqual([]);
    const { rows } = await service.deps.events.query<{ id: string }>({
      sql: `select toString(person_id) as id from persons where properties.email = 'cleo@example.com'`,
    });
    const override = {
      project_id: service.projectId,
      distinct_id: 'cleo on the phone',
      person_id: rows[0]?.id ?? '',
      version: 1,
    };
    await service.deps.events.insert('person_overrides', [override], { token: 'phone' });
    expect(await namesIn(id)).toEqual(['cleo']);
  });

  test('cohorts of another project have no effect', async () => {
    const other = (await service.call('POST', '/api/projects/', { body: { name: 'Other' } })).json().id;
    const body = { filters: all(bought({ key: null })) };
    const made = await service.call('POST', `/api/projects/${other}/cohorts/`, { body });
    expect(made.json()).toMatchObject({ count: 0 });
  });

  test('a query may use 50 of them at most', async () => {
    const many = (count: number) => all({ type: 'OR', values: Array.from({ length: count }, () => bought()) });
    expect(await create({ filters: many(50) })).toMatchObject({ count: 2 });
    const answer = await service.call('POST', `${prefix}/`, { body: { filters: many(51) } });
    expect(answer.json()).toMatchObject({ attr: 'filters', detail: expect.stringMatching(/50 conditions on what people did/) });
  });
});

describe('behavioral cohorts in queries', () => {
  test('they filter events, series and persons, and work in SQL', async () => {
    const name = 'Bought lately';
    const { id } = await create({ name, filters: all(bought({ time_value: 3 })) });
    const series = [{ kind: 'EventsNode', event: 'purchase' }];
    const trends = { kind: 'TrendsQuery', series, dateRange: { date_from: '-60d' } };
    const filtered = await query({ ...trends, properties: [inCohort(id)] });
    expect(filtered.results[0].count).toBe(4);
    const outside = await query({ ...trends, properties: [inCohort(id, { operator: 'not_in' })] });
    expect(outside.results[0].count).toBe(3);
    const breakdownFilter = { breakdown: ['all', id], breakdown_type: 'cohort' };
    expect((await query({ ...trends, breakdownFilter })).results).toMatchObject([{ count: 7 }, { label: name, count: 4 }]);
    const actors = await query({ kind: 'ActorsQuery', select: ['properties.plan'], properties: [inCohort(id)] });
    expect(actors.results).toEqual([['pro']]);
    const text = "select count() from events where event = 'purchase' and {filters}";
    const hogql = await query({ kind: 'HogQLQuery', query: text, filters: { properties: [inCohort(id)] } });
    expect(hogql.results).toEqual([[4]]);
    const funnel = { kind: 'FunnelsQuery', series: [...series, ...series], properties: [inCohort(id)] };
    expect((await query({ ...funnel, dateRange: { date_from: '-60d' } })).results).toMatchObject([{ count: 2 }, { count: 1 }]);
    const radius = await service.call('POST', `/api/projects/${service.projectId}/feature_flags/user_blast_radius/`, {
      body: { condition: { properties: [inCohort(id)] } },
    });
    expect(radius.json()).toEqual({ users_affected: 1, total_users: 3 });
  });

  test('persons can be queried by a cohort alone', async () => {
    const properties = [bought()];
    expect(await query({ kind: 'EventsQuery', select: ['event'], properties })).toMatchObject({
      attr: 'query__properties__0__type',
      detail: expect.stringMatching(/cohorts: make one/),
    });
  });

  test('they are computed for the time of the query, even if no event was stored since', async () => {
    const { id } = await create({ filters: all(bought({ key: 'visit', time_value: 25, time_interval: 'hour' })) });
    const cohortQuery = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'visit' }],
      dateRange: { date_from: '-10d' },
      properties: [inCohort(id)],
    };
    const counts = [];
    for (const minutes of [0, 30, 40]) {
      service.clock.advance(minutes * 60_000);
      counts.push((await query(cohortQuery)).results[0].count);
    }
    expect(counts).toEqual([1, 1, 0]);
    expect(await namesIn(id)).toEqual([]);
  });
});

describe('invalid conditions of behavioral cohorts', () => {
  const times = { value: 'performed_event_multiple' };
  const regular = { value: 'performed_event_regularly', total_periods: 5, min_periods: 3 };
  const stopped = { value: 'stopped_performing_event' };
  test.each<[object, string, string]>([
    [{ value: 'performed_event_sequence' }, 'invalid_choice', 'value'],
    [{ value: undefined }, 'required', 'value'],
    [{ key: '' }, 'blank', 'key'],
    [{ key: undefined }, 'required', 'key'],
    [{ event_type: 'actions' }, 'invalid_input', 'key'],
    [{ time_interval: 'fortnight' }, 'invalid_choice', 'time_interval'],
    [{ time_interval: null }, 'required', 'time_interval'],
    [{ time_value: 0 }, 'invalid_input', 'time_value'],
    [{ time_value: 'x' }, 'invalid_input', 'time_value'],
    [{ time_value: 10_000 }, 'invalid_input', 'time_value'],
    [{ time_value: null }, 'required', 'time_value'],
    [{ operator: 'gte' }, 'invalid_input', 'operator'],
    [{ explicit_datetime: '2024-01-01' }, 'invalid_input', 'explicit_datetime'],
    [{ time_value: null, time_interval: null, explicit_datetime: 'soon' }, 'invalid_input', 'explicit_datetime'],
    [{ explicit_datetime_to: '2024-01-01' }, 'required', 'explicit_datetime'],
    [{ seq_event: 'other' }, 'invalid_input', 'seq_event'],
    [{ seq_time_value: 3 }, 'invalid_input', 'seq_time_value'],
    [times, 'required', 'operator_value'],
    [{ ...times, operator_value: -1 }, 'invalid_input', 'operator_value'],
    [{ ...times, operator: 'between', operator_value: 1 }, 'invalid_choice', 'operator'],
    [{ ...regular, min_periods: 6 }, 'invalid_input', 'min_periods'],
    [{ ...regular, min_periods: undefined }, 'required', 'min_periods'],
    [{ ...regular, total_periods: 500 }, 'invalid_input', 'total_periods'],
    [{ ...regular, explicit_datetime: 'all' }, 'invalid_input', 'explicit_datetime'],
    [stopped, 'required', 'seq_time_value'],
    [{ ...stopped, seq_time_value: 30, seq_time_interval: 'day' }, 'invalid_input', 'seq_time_value'],
    [{ event_filters: [{ key: 'a', operator: 'gt', value: 'x' }] }, 'invalid_input', 'event_filters__0__value'],
    [{ event_filters: [inCohort(1)] }, 'invalid_choice', 'event_filters__0__type'],
    [{ event_filters: [bought()] }, 'invalid_input', 'event_filters__0__type'],
    [{ negation: 'maybe' }, 'invalid_input', 'negation'],
  ])('%j is refused', async (more, code, field) => {
    const answer = await service.call('POST', `${prefix}/`, { body: { filters: all(bought(more)) } });
    expect([answer.statusCode, answer.json().code, answer.json().attr]).toEqual([
      400,
      code,
      `filters__properties__values__0__${field}`,
    ]);
  });
});

test('large cohorts are counted, listed and queried', async () => {
  const other = (await service.call('POST', '/api/projects/', { body: { name: 'Large' } })).json().id;
  const count = 100_000;
  const uuids = Array.from({ length: count }, (_, index) => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`);
  const insert = <Table extends 'events' | 'persons'>(table: Table, row: (uuid: string) => EventTables[Table]) =>
    service.deps.events.insert(table, uuids.map(row), { token: `large-${table}` });
  const now = service.clock.now();
  const common = { project_id: other, properties: {} };
  await insert('persons', (person_id) => ({
    ...common,
    person_id,
    is_identified: true,
    is_deleted: false,
    created_at: now,
    version: 1,
  }));
  const event = { ...common, event: 'purchase', timestamp: now - 1000, inserted_at: now };
  await insert('events', (uuid) => eventRow(0, { ...event, uuid, distinct_id: uuid, person_id: uuid }));
  const body = { filters: all(bought()) };
  const path = `/api/projects/${other}`;
  const { id, ...made } = (await service.call('POST', `${path}/cohorts/`, { body })).json();
  expect(made.count ?? count).toBe(count);
  const cohortQuery = {
    kind: 'HogQLQuery',
    query: 'select count() from events where {filters}',
    filters: { properties: [inCohort(id)] },
  };
  const answer = await service.call('POST', `${path}/query/`, { body: { query: cohortQuery } });
  expect(answer.json().results).toEqual([[count]]);
});
