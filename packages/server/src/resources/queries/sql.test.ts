import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { applyOverrides } from '../results/index.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const row = eventRow(1, { project_id: service.projectId, event: 'bought', timestamp: service.clock.now() - 1000 });
  await service.deps.events.insert('events', [row], { token: 'one' });
});
afterAll(() => service.close());

const post = (body: object) => service.call('POST', `/api/environments/${service.projectId}/query/`, { body });

test('a select is computed, cached, and computed again after an event is stored', async () => {
  const query = {
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query: 'select event, count() as c from events group by event' },
  };
  const first = await post({ query });
  expect(first.statusCode).toBe(200);
  expect(first.json()).toMatchObject({
    results: [['bought', 1]],
    columns: ['event', 'c'],
    types: [
      ['event', 'String'],
      ['c', 'UInt64'],
    ],
    hasMore: false,
    limit: 100,
    offset: 0,
    is_cached: false,
  });
  expect((await post({ query })).json()).toMatchObject({ results: [['bought', 1]], is_cached: true });
  const row = eventRow(2, { project_id: service.projectId, event: 'bought', timestamp: service.clock.now() });
  await service.deps.events.insert('events', [row], { token: 'two' });
  expect((await post({ query })).json()).toMatchObject({ results: [['bought', 2]], is_cached: false });
});

test('an error names its position in the statement', async () => {
  const refused = async (query: string) => {
    const answer = await post({ query: { kind: 'HogQLQuery', query } });
    return [answer.statusCode, answer.json().attr, answer.json().detail];
  };
  expect(await refused('select')).toEqual([400, 'query__query', 'The query ends too early.']);
  expect(await refused("select file('x')")).toEqual([400, 'query__query', 'The function "file" is not allowed.']);
  expect(await refused('select toInt64(event) from events')).toEqual([
    400,
    'query__query',
    expect.stringContaining('cannot be read'),
  ]);
});

test('the statement is cancelled when the client disconnects', async () => {
  const query = {
    kind: 'HogQLQuery',
    query: 'select count() from numbers(1000000) as a, numbers(1000000) as b where a.number = b.number * 2 + 1 or a.number < 0',
  };
  await post({ query, refresh: 'force_async', client_query_id: 'long' });
  const url = `/api/environments/${service.projectId}/query/long/`;
  const begun = await service.call('GET', url);
  expect([200, 202]).toContain(begun.statusCode);
  expect((await service.call('DELETE', url)).statusCode).toBe(204);
  const quick = await post({ query: { kind: 'HogQLQuery', query: 'select 1' } });
  expect(quick.json()).toMatchObject({ results: [[1]] });
});

test('{filters} is replaced by the filters of the dashboard', async () => {
  const select = { kind: 'HogQLQuery', query: 'select count() from events where {filters}' };
  const overridden = applyOverrides(select, { filters: { date_from: '2000-01-01', date_to: '2000-01-02' }, variables: {} });
  expect(overridden).toEqual({ ...select, filters: { dateRange: { date_from: '2000-01-01', date_to: '2000-01-02' } } });
  expect((await post({ query: overridden })).json()).toMatchObject({ results: [[0]] });
  const recent = applyOverrides(select, {
    filters: { date_from: '-7d', properties: [{ key: 'nope', value: 'x' }] },
    variables: {},
  });
  expect((await post({ query: recent })).json()).toMatchObject({ results: [[0]] });
});
