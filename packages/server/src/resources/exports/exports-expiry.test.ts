import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { purgeBlobs } from '../../purge/index.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { sweepExports } from './export-job.js';

const TRENDS = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }] };

let service: TestService;
let project: string;
let insight: number;
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  insight = (await service.call('POST', `${project}/insights/`, { body: { query: TRENDS } })).json().id;
});
afterAll(() => service.close());

const get = (id: number, path = '') => service.call('GET', `${project}/exports/${id}/${path}`);

async function made(body: object) {
  const { id } = (await service.call('POST', `${project}/exports/`, { body })).json();
  const isMade = async () => expect((await get(id)).json().has_content).not.toBe('');
  await vi.waitFor(isMade, { timeout: 60_000, interval: 30 });
  return { id };
}

describe('10.5 expiry', () => {
  test('an expired export is missing in every response at once, and its content is deleted later', async () => {
    const soon = new Date(service.clock.now() + 3_600_000).toISOString();
    const { id } = await made({ insight, export_format: 'text/csv', expires_after: soon });
    const key = `exports/${service.projectId}/${id}/content`;
    service.clock.advance(3_700_000);
    expect([(await get(id)).statusCode, (await get(id, 'content/')).statusCode]).toEqual([404, 404]);
    const list = (await service.call('GET', `${project}/exports/`)).json();
    expect(list.results.map((one: { id: number }) => one.id)).not.toContain(id);
    expect(await service.deps.blobs.size(key)).toBeGreaterThan(0);
    await sweepExports(service.deps);
    await purgeBlobs(service.deps);
    expect(await service.deps.blobs.size(key)).toBeNull();
    expect(await service.deps.db.selectFrom('exports').select('id').where('id', '=', id).execute()).toEqual([]);
  });

  test('an export that no server processes any more fails', async () => {
    const { id } = await made({ insight, export_format: 'text/csv' });
    await service.deps.db.updateTable('exports').set({ content_size: null }).where('id', '=', id).execute();
    service.clock.advance(6 * 60_000);
    await sweepExports(service.deps);
    expect((await get(id)).json()).toMatchObject({ has_content: '', exception: 'Making this export was given up.' });
  });
});
