import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const row = eventRow(1, { project_id: service.projectId, event: 'signed up', timestamp: service.clock.now() - 1000 });
  await service.deps.events.insert('events', Buffer.from(JSON.stringify(row)), { token: 'one' });
});
afterAll(() => service.close());

const ask = (body: unknown, prefix = 'projects', options = {}) =>
  service.call('POST', `/api/${prefix}/${service.projectId}/query/`, { body, ...options });

describe('POST query/', () => {
  test.each(['projects', 'environments'])('lists events below %s', async (prefix) => {
    const query = { kind: 'EventsQuery', select: ['event', 'distinct_id'] };
    const answer = await ask({ query, refresh: 'blocking', client_query_id: 'mine' }, prefix);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      results: [['signed up', 'someone']],
      columns: ['event', 'distinct_id'],
      types: ['String', 'String'],
      hasMore: false,
      limit: 100,
      offset: 0,
      is_cached: false,
    });
  });

  test('counts events by day', async () => {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up', math: 'dau' }] };
    const answer = await ask({ query: { kind: 'InsightVizNode', source: query } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ is_cached: false, results: [{ count: 1, label: 'signed up' }] });
  });

  test.each<[unknown, string, string]>([
    [{ query: { kind: 'TeaQuery' } }, 'invalid_input', 'query__kind'],
    [{ query: {} }, 'invalid_input', 'query__kind'],
    [{ query: [] }, 'invalid_input', 'query'],
    [{}, 'invalid_input', 'query'],
    [{ query: { kind: 'EventsQuery', select: ['x'] } }, 'invalid_choice', 'query__select__0'],
    [{ query: { kind: 'DataTableNode', source: { kind: 'TeaQuery' } } }, 'invalid_input', 'query__source__kind'],
  ])('refuses %j', async (body, code, attr) => {
    const answer = await ask(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ type: 'validation_error', code, attr });
  });

  test('needs credentials', async () => {
    expect((await ask({ query: { kind: 'EventsQuery' } }, 'projects', { key: null })).statusCode).toBe(401);
  });

  test('a broken pattern matches nothing, and neither does its opposite', async () => {
    const matching = (operator: string) =>
      ask({ query: { kind: 'EventsQuery', properties: [{ key: 'a', operator, value: '(' }] } });
    expect((await matching('regex')).json()).toMatchObject({ results: [] });
    expect((await matching('not_regex')).json()).toMatchObject({ results: [] });
  });
});
