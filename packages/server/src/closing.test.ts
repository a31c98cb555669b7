import { once } from 'node:events';
import { connect } from 'node:net';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from './app.js';
import { withServices } from './services.js';
import { startTestService, type TestService } from './testing/service.js';
import { zstdToil } from './testing/zstd-bodies.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Worker threads that keep the process alive. */
const workers = () => process.getActiveResourcesInfo().filter((name) => /^(Worker|MessagePort)$/.test(name)).length;

test('a server that closes under load loses no acknowledged event and leaves nothing running', async () => {
  const before = workers();
  const deps = withServices({ ...service.deps, metrics: new Registry() });
  const app = await buildApp(deps);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${service.personalKey}`, 'content-type': 'application/json' };

  const event = { event: 'acknowledged', distinct_id: 'ann', token: service.projectKey };
  const captured = await fetch(`${url}/i/v0/e/`, { method: 'POST', body: JSON.stringify(event) });
  const query = { kind: 'EventsQuery', select: ['event'], after: 'all' };
  const queued = await fetch(`${url}/api/projects/${service.projectId}/query/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, refresh: 'force_async', client_query_id: 'under-way' }),
  });
  // the thread would work on it for hours
  const toil = fetch(`${url}/i/v0/e/`, { method: 'POST', body: new Uint8Array(zstdToil(2_000)) }).then(({ status }) => status);
  const tiles = Array.from({ length: 100 }, (_, index) => ({
    title: `Tile ${index}`,
    note: '',
    place: null,
    content: { kind: 'text' as const, body: 'Some words\n\n'.repeat(20) },
  }));
  const picture = deps.services.renderer.png({ title: 'Long', note: '', theme: 'light', tiles }).catch(() => null);
  expect([captured.status, queued.status]).toEqual([200, 202]);

  await app.close();
  // a decompressor that the platform has refuses the body at once; the thread ends with the service or at its deadline
  expect([400, 503]).toContain(await toil);
  await picture;
  expect(workers()).toBe(before);
  await expect(
    deps.services.queryRuns.start(service.projectId, { name: 'late', experimentId: null }, async () => expect.fail()),
  ).rejects.toThrow();

  const list = await service.call('POST', `/api/projects/${service.projectId}/query/`, { body: { query } });
  expect(list.json().results).toEqual([['acknowledged']]);
});

test('a connection that browsers open ahead of a request does not delay a close', async () => {
  const app = await buildApp(withServices({ ...service.deps, metrics: new Registry() }));
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const ahead = connect(Number(port), '127.0.0.1');
  await once(ahead, 'connect');
  const began = performance.now();
  await Promise.all([app.close(), once(ahead, 'close')]);
  // a connection that has sent nothing is otherwise closed after a minute
  expect(performance.now() - began).toBeLessThan(40_000);
});
