import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startClickHouseServer } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';
import { running, type Sent, send, slowSelect, wanted } from '../../testing/slow-queries.js';

/*
 * Who goes away before the answer, over a real connection: the engine does not go on for nobody.
 */

const PATIENCE = { timeout: 60_000, interval: 50 };

async function onEmbedded() {
  const service = await startTestService();
  return { service, close: () => service.close() };
}

async function onServer() {
  const server = await startClickHouseServer();
  const service = await startTestService({ clickhouseUrl: `${server.url}/leaving` });
  return {
    service,
    close: async () => {
      await service.close();
      await server.close();
    },
  };
}

describe.each([
  ['the embedded engine', onEmbedded],
  ['a ClickHouse server', onServer],
])('abandoned requests on %s', (_, open) => {
  let service: TestService;
  let close = async () => {};
  let project: string;
  beforeAll(async () => {
    ({ service, close } = await open());
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    project = `/api/projects/${service.projectId}`;
  });
  afterAll(() => close());

  const call = (method: string, path: string, body?: unknown): Sent =>
    send(service.app, method, `${project}/${path}`, service.personalKey, body);
  const select = (query: string) => ({ kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query } });
  const statements = (mark: string) => running(service.deps.events, mark);
  const insightOn = async (mark: string, dashboards: number[]): Promise<number> => {
    const { json } = await call('POST', 'insights/', { name: mark, query: select(slowSelect(mark)), dashboards }).answer;
    return Number(json['id']);
  };

  test.each<[string, (mark: string) => Promise<Sent>]>([
    ['a query', async (mark) => call('POST', 'query/', { query: select(slowSelect(mark)) })],
    ['a named query', async (mark) => call('POST', 'query/', { query: select(slowSelect(mark)), client_query_id: mark })],
    ['an insight', async (mark) => call('GET', `insights/${await insightOn(mark, [])}/?refresh=blocking`)],
    [
      'a list of insights',
      async (mark) => {
        await insightOn(mark, []);
        return call('GET', `insights/?refresh=force_blocking&search=${mark}`);
      },
    ],
    [
      'a dashboard',
      async (mark) => {
        const { json } = await call('POST', 'dashboards/', { name: mark }).answer;
        const id = Number(json['id']);
        await insightOn(mark, [id]);
        return call('GET', `dashboards/${id}/?refresh=blocking`);
      },
    ],
  ])('the statement of %s is cancelled when its client disconnects', async (name, ask) => {
    const mark = `left_${name.replaceAll(' ', '_')}`;
    const sent = await ask(mark);
    await expect.poll(() => statements(mark), PATIENCE).toBe(1);
    sent.leave();
    await expect(sent.answer).rejects.toThrow();
    await expect.poll(() => statements(mark), PATIENCE).toBe(0);
  });

  test('the statements of streamed tiles are cancelled when the client disconnects', async () => {
    const { json } = await call('POST', 'dashboards/', { name: 'streamed' }).answer;
    const id = Number(json['id']);
    await insightOn('left_streamed_first', [id]);
    await insightOn('left_streamed_second', [id]);
    const login = await service.call('POST', '/api/login/', {
      key: null,
      body: { email: OWNER_EMAIL, password: OWNER_PASSWORD },
    });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const sent = send(service.app, 'GET', `${project}/dashboards/${id}/stream_tiles/?refresh=blocking`, { cookie });
    await expect.poll(() => statements('left_streamed'), PATIENCE).toBe(2);
    sent.leave();
    await expect(sent.answer).rejects.toThrow();
    await expect.poll(() => statements('left_streamed'), PATIENCE).toBe(0);
  });

  test('the slots of many clients that disconnect at once are free for others', async () => {
    const sent = Array.from({ length: 12 }, (_, i) => call('POST', 'query/', { query: select(slowSelect(`many_${i}_`)) }));
    await expect.poll(() => statements('many_'), PATIENCE).toBeGreaterThan(2);
    for (const { leave } of sent) leave();
    const { status, json } = await call('POST', 'query/', { query: select('select 1') }).answer;
    expect([status, json['results']]).toEqual([200, [[1]]]);
    await expect.poll(() => statements('many_'), PATIENCE).toBe(0);
  });

  test('a client that disconnects at a random moment leaves no statement running', async () => {
    const path = `insights/${await insightOn('sooner', [])}/?refresh=force_blocking`;
    for (let i = 0; i < 40; i++) {
      const sent = call('GET', path);
      await sleep(i / 2);
      sent.leave();
    }
    // one that comes later runs after all of them have begun or been given up
    const last = call('GET', path);
    await expect.poll(() => wanted(service.deps.events, 'sooner'), PATIENCE).toBe(1);
    last.leave();
    // what was left behind would keep this look waiting, too
    const late = sleep(PATIENCE.timeout, undefined, { ref: false }).then(() => expect.fail('The engine goes on.'));
    await Promise.race([expect.poll(() => statements('sooner'), PATIENCE).toBe(0), late]);
  });

  test('if one of two clients with the same query disconnects, the other gets its result', async () => {
    const query = select(slowSelect('shared').replaceAll('1000000', '20000'));
    const requests = [0, 1].map(() => call('POST', 'query/', { query }));
    let answered = 0;
    for (const { answer } of requests) answer.then(() => answered++).catch(() => {});
    await expect.poll(() => statements('shared'), { ...PATIENCE, interval: 5 }).toBe(1);
    requests[0]?.leave();
    await expect(requests[0]?.answer).rejects.toThrow();
    expect(answered).toBe(0);
    expect(await requests[1]?.answer).toMatchObject({ status: 200, json: { results: [[expect.any(Number)]] } });
  });

  test.each([
    ['people', 'person', 'persons', null],
    ['groups', 'group', 'groups', 0],
  ] as const)('the count of %s of a condition is cancelled when its client disconnects', async (_what, type, table, index) => {
    const rows = Array.from({ length: 1_000 }, (_, i) => {
      const properties = { [`about_${type}`]: randomBytes(2_000).toString('hex') };
      const row = { project_id: service.projectId, properties, created_at: 0, version: 1 };
      const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
      return { ...row, person_id: id, is_identified: false, is_deleted: false, group_type_index: index ?? 0, group_key: id };
    });
    await service.deps.events.insert(table, rows, { token: table });
    // every text has to be looked through to its end, by every pattern: minutes
    const filters = Array.from({ length: 30 }, (_, i) => ({
      key: `about_${type}`,
      type,
      operator: 'not_regex',
      value: `[0-7].{200}[x-z]${i}`,
    }));
    const body = { condition: { properties: filters }, group_type_index: index };
    const mark = Buffer.from(`about_${type}`).toString('hex');
    const sent = call('POST', 'feature_flags/user_blast_radius/', body);
    await expect.poll(() => statements(mark), PATIENCE).toBe(1);
    sent.leave();
    await expect(sent.answer).rejects.toThrow();
    // told to end, it goes on to the end of the rows at hand; left alone, the engine gives up after a minute
    await expect.poll(() => wanted(service.deps.events, mark), { ...PATIENCE, timeout: 30_000 }).toBe(0);
  });
});
