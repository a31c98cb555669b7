import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let project: string;
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
});
afterAll(() => service.close());

const EVENTS = { kind: 'EventsQuery', select: ['event'] };

async function readsOf(workload: string): Promise<number> {
  const { body } = await service.call('GET', '/metrics', { key: null });
  return Number(new RegExp(`^tidemark_reads_total\\{workload="${workload}",result="ok"\\} (\\d+)`, 'm').exec(body)?.[1] ?? 0);
}

test.each([
  ['query', { source: EVENTS }],
  ['path', { method: 'POST', path: '/query/', body: { query: EVENTS } }],
])('the reads of an export of a %s count as such', async (_, given) => {
  const before = await readsOf('export');
  const export_context = 'path' in given ? { ...given, path: `${project}/query/` } : given;
  const created = await service.call('POST', `${project}/exports/`, { body: { export_format: 'text/csv', export_context } });
  expect(created.statusCode, created.body).toBe(201);
  await vi.waitFor(
    async () => {
      const { has_content, exception } = (await service.call('GET', `${project}/exports/${created.json().id}/`)).json();
      expect(exception).toBeNull();
      expect([has_content, exception]).toEqual(['true', null]);
    },
    { timeout: 60_000, interval: 30 },
  );
  expect(await readsOf('export')).toBeGreaterThan(before);
  expect((await service.call('GET', '/_health', { key: null })).json().reads).toMatchObject({ export: 0, background: 0 });
});
