import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../app.js';
import type { Deps } from '../../deps.js';
import { withServices } from '../../services.js';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { running, slowSelect } from '../../testing/slow-queries.js';

/*
 * Queries in the background are known to every server: two of them here, with a memory each.
 */

const PATIENCE = { timeout: 60_000, interval: 30 };
const MINUTE = 60_000;

let service: TestService;
let other: FastifyInstance;
const opened: FastifyInstance[] = [];
beforeAll(async () => {
  service = await startTestService();
  const row = eventRow(1, { project_id: service.projectId, event: 'signed up', timestamp: service.clock.now() - 1000 });
  await service.deps.events.insert('events', [row], { token: 'one' });
  other = await server();
});
afterAll(async () => {
  for (const app of opened) await app.close();
  await service.close();
});

/** Another server on the same stores. */
async function server(different: Partial<Deps> = {}): Promise<FastifyInstance> {
  const app = await buildApp(withServices({ ...service.deps, metrics: new Registry(), ...different }));
  await app.ready();
  opened.push(app);
  return app;
}

async function on(app: FastifyInstance, method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
  const headers = { authorization: `Bearer ${service.personalKey}` };
  const url = `/api/projects/${service.projectId}/query/${path}`;
  const answer = await app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
  return { status: answer.statusCode, json: answer.body ? answer.json() : null };
}

const EVENTS = { kind: 'EventsQuery', select: ['event'], after: 'all' };
const select = (query: string) => ({ kind: 'HogQLQuery', query });
const begin = (app: FastifyInstance, name: string, query: object) =>
  on(app, 'POST', '', { query, refresh: 'force_async', client_query_id: name });
const statements = (mark: string) => running(service.deps.events, mark);
/** The status once it is complete, as a server tells it. */
async function ended(app: FastifyInstance, name: string) {
  for (;;) {
    const { status, json } = await on(app, 'GET', `${name}/`);
    if (status !== 202) return json.query_status;
    await sleep(PATIENCE.interval);
  }
}

describe('an asynchronous query and several servers', () => {
  test('its result can be polled on another server', async () => {
    const begun = await begin(service.app, 'polled', EVENTS);
    expect([begun.status, begun.json.query_status]).toMatchObject([202, { id: 'polled', complete: false }]);
    expect(await ended(other, 'polled')).toMatchObject({
      complete: true,
      error: false,
      error_message: null,
      results: { results: [['signed up']], columns: ['event'] },
      start_time: begun.json.query_status.start_time,
      end_time: expect.any(String),
    });
    expect((await on(other, 'GET', 'polled_not/')).status).toBe(404);
  });

  test('while it runs it is polled on another server, is not started again there, and can be cancelled there', async () => {
    const query = select(slowSelect('elsewhere'));
    const begun = await begin(service.app, 'elsewhere', query);
    await expect.poll(() => statements('elsewhere'), PATIENCE).toBe(1);
    expect(await on(other, 'GET', 'elsewhere/')).toMatchObject({ status: 202, json: { query_status: { complete: false } } });
    const again = await begin(other, 'elsewhere', query);
    expect(again.json.query_status.start_time).toBe(begun.json.query_status.start_time);
    expect(await statements('elsewhere')).toBe(1);
    expect((await on(other, 'DELETE', 'elsewhere/')).status).toBe(204);
    await expect.poll(() => statements('elsewhere'), PATIENCE).toBe(0);
    for (const app of [service.app, other]) expect((await on(app, 'GET', 'elsewhere/')).status).toBe(404);
  });

  test('its error can be polled on another server', async () => {
    await begin(service.app, 'failed', select('select toInt64(event) from events'));
    expect(await ended(other, 'failed')).toMatchObject({
      error: true,
      error_message: expect.stringContaining('cannot be read'),
      results: null,
    });
  });

  test('it ends with an error when its server stops', async () => {
    const stopping = await server();
    await begin(stopping, 'stopped', select(slowSelect('stopped')));
    await expect.poll(() => statements('stopped'), PATIENCE).toBe(1);
    await stopping.close();
    expect(await ended(other, 'stopped')).toMatchObject({ error: true, error_message: expect.stringContaining('was stopped') });
    await expect.poll(() => statements('stopped'), PATIENCE).toBe(0);
  });

  test('it ends with an error when its server is lost, and can then be started again', async () => {
    // by the clock of the others it has said nothing for a minute
    const silent = await server({ clock: { now: () => service.clock.now() - MINUTE } });
    await begin(silent, 'orphan', select(slowSelect('orphan')));
    expect(await ended(other, 'orphan')).toMatchObject({ error: true, error_message: expect.stringContaining('is gone') });
    expect((await begin(other, 'orphan', EVENTS)).status).toBe(202);
    expect(await ended(service.app, 'orphan')).toMatchObject({ error: false, results: { results: [['signed up']] } });
    await silent.close();
  });
});

test('a blocking query is cancelled by its name on another server, and its status is deleted after the response', async () => {
  const waiting = on(service.app, 'POST', '', { query: select(slowSelect('awaited')), client_query_id: 'awaited' });
  await expect.poll(() => statements('awaited'), PATIENCE).toBe(1);
  expect((await on(other, 'GET', 'awaited/')).status).toBe(202);
  expect((await on(other, 'DELETE', 'awaited/')).status).toBe(204);
  expect(await waiting).toMatchObject({ status: 400, json: { detail: 'The query was cancelled.' } });
  await expect.poll(() => statements('awaited'), PATIENCE).toBe(0);
  const answered = { query: EVENTS, refresh: 'force_blocking', client_query_id: 'answered' };
  expect((await on(service.app, 'POST', '', answered)).status).toBe(200);
  expect((await on(other, 'GET', 'answered/')).status).toBe(404);
});

test('text that PostgreSQL cannot store is returned unchanged', async () => {
  await begin(service.app, 'odd', select("select concat('a', char(0), 'b')"));
  expect(await ended(other, 'odd')).toMatchObject({ results: { results: [['a\u0000b']] } });
  expect((await on(other, 'GET', '%00/')).status).toBe(404);
  expect((await on(other, 'DELETE', '%00/')).status).toBe(204);
});

describe('stored results of asynchronous queries', () => {
  const megabytes = (count: number) => select(`select repeat(repeat('x', 1000), ${count * 1000})`);

  test('a result of more than 16 MB is not stored', async () => {
    await begin(service.app, 'large', megabytes(17));
    expect(await ended(other, 'large')).toMatchObject({ error: true, error_message: expect.stringContaining('too large') });
  });

  test('older results of a project are deleted when they exceed 64 MB', async () => {
    for (let i = 1; i <= 5; i++) {
      await begin(service.app, `wide_${i}`, megabytes(14));
      expect(await ended(service.app, `wide_${i}`)).toMatchObject({ error: false });
    }
    expect(await ended(other, 'wide_1')).toMatchObject({ error: true, error_message: expect.stringContaining('newer') });
    expect(await ended(other, 'wide_2')).toMatchObject({ error: false });
  });

  test('a result that no caller fetches is deleted', async () => {
    await begin(service.app, 'unfetched', EVENTS);
    await ended(other, 'unfetched');
    service.clock.advance(20 * MINUTE + 1000);
    expect((await on(other, 'GET', 'unfetched/')).status).toBe(404);
    await service.deps.services.queryRuns.sweep();
    const left = await service.deps.db.selectFrom('query_runs').select('name').execute();
    expect(left).toEqual([]);
  });
});
