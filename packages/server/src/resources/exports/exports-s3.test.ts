import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { purgeBlobs } from '../../purge/index.js';
import { type S3Server, startS3Server } from '../../testing/s3-server.js';
import { startTestService, type TestService } from '../../testing/service.js';

let server: S3Server;
let service: TestService;
beforeAll(async () => {
  server = await startS3Server();
  service = await startTestService({ s3: server.settings });
});
afterAll(async () => {
  await service.close();
  await server.close();
});

test.each([
  ['image/png', '\x89PNG'],
  ['text/csv', 'error\r\n'],
])('%s is stored in a bucket, read from it, and deleted with its project', async (export_format, start) => {
  const { id: project } = (await service.call('POST', '/api/projects/', { body: { name: 'In a bucket' } })).json();
  const source = { kind: 'EventsQuery', select: ['event'], after: '-7d' };
  const body = { export_format, export_context: { source } };
  const { id } = (await service.call('POST', `/api/projects/${project}/exports/`, { body })).json();
  const path = `/api/projects/${project}/exports/${id}/`;
  await vi.waitFor(async () => expect((await service.call('GET', path)).json().has_content).toBe('true'), { timeout: 60_000 });
  const content = await service.call('GET', `${path}content/`);
  expect(content.statusCode).toBe(200);
  expect(content.rawPayload.toString('latin1').slice(0, start.length)).toBe(start);
  expect(Number(content.headers['content-length'])).toBe(content.rawPayload.length);

  const keys = async () => {
    const all: string[] = [];
    for await (const { key } of service.deps.blobs.list(`exports/${project}/`)) all.push(key);
    return all;
  };
  expect(await keys()).toEqual([`exports/${project}/${id}/content`]);
  await service.call('DELETE', `/api/projects/${project}/`);
  await purgeBlobs(service.deps);
  expect(await keys()).toEqual([]);
});
