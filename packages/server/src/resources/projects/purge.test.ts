import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { purgeBlobs, purgeEvents } from '../../purge/index.js';
import { startTestService, type TestService } from '../../testing/service.js';

const TABLES = ['events', 'persons', 'person_overrides', 'groups'];
const HOUR = 3_600_000;

let service: TestService;
let first: string;
beforeAll(async () => {
  service = await startTestService();
  first = (await service.call('GET', `/api/projects/${service.projectId}/`)).json().organization;
});
afterAll(() => service.close());

/** A project with an event, a person, a group and a finished export. */
async function usedProject(organization: string) {
  const { id, api_token } = (
    await service.call('POST', `/api/organizations/${organization}/projects/`, { body: { name: 'Used' } })
  ).json();
  const capture = (body: object) =>
    service.call('POST', '/capture/', { key: null, body: { api_key: api_token, distinct_id: 'ann', ...body } });
  await capture({ event: 'came', properties: { $set: { plan: 'free' } } });
  await capture({ event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'acme', $group_set: { a: 1 } } });
  await capture({ event: '$identify', properties: { $anon_distinct_id: 'anonymous' } });
  const body = { export_format: 'application/json', export_context: { source: { kind: 'EventsQuery', select: ['event'] } } };
  const created = await service.call('POST', `/api/projects/${id}/exports/`, { body });
  expect(created.statusCode, created.body).toBe(201);
  await vi.waitFor(
    async () =>
      expect((await service.call('GET', `/api/projects/${id}/exports/${created.json().id}/`)).json().has_content).toBe('true'),
    { timeout: 60_000 },
  );
  return Number(id);
}

const rows = async (projectId: number) => {
  const counts = TABLES.map((table) => `(SELECT count() FROM ${table} WHERE project_id = {project:UInt32})`);
  const sql = `SELECT ${counts.join(' + ')} AS n`;
  return (await service.deps.events.query<{ n: number }>({ sql, params: { project: projectId } })).rows[0]?.n ?? 0;
};
const blobs = async (projectId: number) => {
  let count = 0;
  for await (const _ of service.deps.blobs.list(`exports/${projectId}/`)) count += 1;
  return count;
};
const waiting = async (projectId: number) =>
  (await service.deps.db.selectFrom('project_purges').selectAll().where('project_id', '=', projectId).execute()).length;

test.each(['project', 'organization'] as const)(
  'the purge of a deleted %s removes all of its rows, and no others',
  async (deleted) => {
    const other = (await service.call('POST', '/api/organizations/', { body: { name: 'Other' } })).json().id;
    const gone = await usedProject(other);
    const remaining = await usedProject(first);
    const before = await rows(remaining);
    expect([await blobs(gone), (await rows(gone)) > 2]).toEqual([1, true]);
    const path = deleted === 'project' ? `/api/projects/${gone}/` : `/api/organizations/${other}/`;
    const answer = await service.call('DELETE', path);
    expect(answer.statusCode, answer.body).toBe(204);

    await purgeBlobs(service.deps);
    await vi.waitFor(
      async () => {
        await purgeEvents(service.deps);
        expect(await rows(gone)).toBe(0);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect([await blobs(gone), await blobs(remaining), await rows(remaining)]).toEqual([0, 1, before]);

    // what was on its way may still come for a while
    expect(await waiting(gone)).toBe(1);
    service.clock.advance(HOUR);
    await purgeEvents(service.deps);
    service.clock.advance(-HOUR);
    expect(await waiting(gone)).toBe(0);
  },
);
