import { Agent, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from './testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('health has both stores with their versions', async () => {
  const answer = await service.call('GET', '/_health', { key: null });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    status: 'ok',
    stores: {
      postgres: { ok: true, version: expect.stringMatching(/^\d+\.\d+$/), schema: expect.stringMatching(/^\d{4}_\w+\.sql$/) },
      events: { ok: true, version: expect.stringMatching(/^\d+\.\d+/), schema: expect.stringMatching(/^\d{4}_\w+\.sql$/) },
    },
    ingest: { lag_seconds: 0, waiting_events: 0, refusing: null },
  });
  expect((await service.call('GET', '/_ready', { key: null })).statusCode).toBe(200);
  expect((await service.call('GET', '/_preflight/', { key: null })).json()).toMatchObject({
    db: true,
    clickhouse: true,
    initiated: true,
  });
});

test('the first page links to the documentation', async () => {
  const { payload } = await service.call('GET', '/', { key: null });
  const [address = ''] = /\/api\S+/.exec(payload) ?? [];
  expect((await service.call('GET', address, { key: null })).headers['content-type']).toContain('text/html');
});

test('metrics count captured events, without data of persons', async () => {
  const event = { api_key: service.projectKey, event: 'measured', distinct_id: 'someone-in-metrics' };
  expect((await service.call('POST', '/capture/', { key: null, body: event })).statusCode).toBe(200);
  const { payload } = await service.call('GET', '/metrics', { key: null });
  expect(payload).toMatch(/tidemark_http_requests_total\{method="POST",route="\/capture",status="200"\} 1/);
  expect(payload).toMatch(/tidemark_http_request_seconds_count\{method="POST",route="\/capture"\} 1/);
  expect(payload).toMatch(/tidemark_ingest_stored_events_total 1/);
  expect(payload).not.toContain('someone-in-metrics');
  expect(payload).not.toContain(service.projectKey);
});

test('an event can be queried as soon as it is acknowledged', async () => {
  const event = { api_key: service.projectKey, event: 'bought', distinct_id: 'ada', properties: { price: 12.5 } };
  expect((await service.call('POST', '/capture/', { key: null, body: event })).json()).toEqual({ status: 'Ok' });
  const query = { kind: 'EventsQuery', select: ['event', 'distinct_id', 'properties.price'], event: 'bought' };
  const answer = await service.call('POST', `/api/projects/${service.projectId}/query/`, { body: { query } });
  expect(answer.json()).toMatchObject({ results: [['bought', 'ada', 12.5]], hasMore: false });
});

test.each([
  ['/api/nothing', 404, { code: 'not_found', detail: 'Endpoint not found.' }],
  ['/api/projects/%zz/', 400, { code: 'parse_error' }],
  [`/api/projects/${'9'.repeat(600)}/`, 404, { code: 'not_found' }],
])('%s has the standard error body', async (url, status, body) => {
  const answer = await service.call('GET', url);
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ ...body, attr: null });
});

test('an Accept header without JSON is refused', async () => {
  const answer = await service.call('GET', '/api/projects/', { headers: { accept: 'text/csv' } });
  expect(answer.statusCode).toBe(406);
  expect(answer.json().code).toBe('not_acceptable');
  expect((await service.call('GET', '/api/projects/', { headers: { accept: 'text/html, */*;q=0.1' } })).statusCode).toBe(200);
});

test('a keep-alive connection gets responses until one announces its close', async () => {
  const stopping = await startTestService();
  const url = await stopping.app.listen({ port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const request = get(`${url}/_ready`, { agent }, (answer) => answer.resume().on('end', () => resolve(answer)));
      request.on('error', reject);
    });
  expect((await ask()).headers.connection).toBe('keep-alive');
  const closed = stopping.close();
  const { statusCode, headers } = await ask();
  // a load balancer that asks now sends further requests elsewhere
  expect({ statusCode, connection: headers.connection }).toEqual({ statusCode: 503, connection: 'close' });
  await closed;
  await expect(ask()).rejects.toThrow('ECONNREFUSED');
});
