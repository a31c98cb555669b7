import { gzipSync } from 'node:zlib';
import { processorMs } from '@tidemark/testkit';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScheduler } from '../../adapters/system/index.js';
import { appWithoutStores } from '../../testing/app-without-stores.js';
import { faultsOfExamples } from '../../testing/check-answers.js';
import { findGaps } from '../../testing/find-gaps.js';
import { describeApi } from './index.js';

let app: FastifyInstance;
beforeAll(async () => {
  app = await appWithoutStores();
});
afterAll(() => app.close());

test('every response has a schema, every field and parameter a description, every operation its own name', () => {
  expect(findGaps(describeApi(app, '1'))).toEqual([]);
});

test('every body has a valid example', () => {
  expect(faultsOfExamples(describeApi(app, '1'))).toEqual([]);
});

test('the document is public, and a request with its ETag gets 304', async () => {
  const first = await app.inject('/api/schema/');
  expect(first.statusCode).toBe(200);
  expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
  const document = first.json();
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document).toEqual(JSON.parse(JSON.stringify(describeApi(app, document.info.version))));
  expect((await app.inject('/api/schema?format=json')).body).toBe(first.body);

  const etag = String(first.headers['etag']);
  const again = await app.inject({ url: '/api/schema/', headers: { 'if-none-match': `"other", W/${etag}` } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  expect((await app.inject({ url: '/api/schema/', headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  const packed = await app.inject({ url: '/api/schema/', headers: { 'accept-encoding': 'br, gzip' } });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.rawPayload.length).toBeLessThan(first.rawPayload.length / 5);
});

test.each(['/api/schema/', '/api/schema/ui/'])('%s parses a long If-None-Match in linear time', async (url) => {
  await app.inject(url);
  const known = `"other"${' '.repeat(60_000)},${'\t'.repeat(60_000)}`;
  const took = await processorMs(async () =>
    expect((await app.inject({ url, headers: { 'if-none-match': known } })).statusCode).toBe(200),
  );
  // 15,000 spaces took 1,400 ms
  expect(took).toBeLessThan(1000);
});

test('the first request for the description yields by the time that it has taken, not for each operation', async () => {
  const real = createScheduler();
  let time = 0;
  let yields = 0;
  const own = await appWithoutStores({
    ...real,
    uptime: () => time++,
    yield: () => {
      yields++;
      return real.yield();
    },
  });
  yields = 0;
  const { paths } = (await own.inject('/api/schema/')).json();
  const operations = Object.values<object>(paths).flatMap(Object.keys).length;
  // by this clock each operation takes a millisecond
  expect(yields).toBeGreaterThan(operations / 20);
  expect(yields).toBeLessThan(operations / 8);
  await own.close();
});

test('two documents of the same routes are equal', async () => {
  const other = await appWithoutStores();
  expect(JSON.stringify(describeApi(other, '1'))).toBe(JSON.stringify(describeApi(app, '1')));
  await other.close();
});

test('the reference allows nothing but files of this service', async () => {
  const page = await app.inject('/api/schema/ui/');
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(page.body).not.toMatch(/<script>|<style>| on\w+=| style=/);
  const bare = await app.inject('/api/schema/ui?x=1');
  expect([bare.statusCode, bare.headers.location]).toEqual([308, '/api/schema/ui/']);
  const ending = await app.inject('/api/schema/ui/feature-flags/');
  expect([ending.statusCode, ending.headers.location]).toEqual([308, '/api/schema/ui/feature-flags']);
  expect((await app.inject('/api/schema/ui/feature-flags')).statusCode).toBe(200);
  expect((await app.inject('/api/schema/ui/page.css')).headers['content-type']).toBe('text/css; charset=utf-8');
  expect((await app.inject('/api/schema/ui/package.json')).statusCode).toBe(404);
  expect((await app.inject('/api/schema/ui/__proto__')).statusCode).toBe(404);
  const missing = await app.inject({ url: '/api/schema/ui/nothing', headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([missing.statusCode, missing.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(missing.body).toContain('Page not found');
});

test('names of code in the text about a group are code, on its page and in the list of groups', async () => {
  const about = '<code>{variables.code_name}</code>';
  for (const page of ['', 'insight-variables']) expect((await app.inject(`/api/schema/ui/${page}`)).body).toContain(about);
});

test('each operation of the description has a section on the page of its group, with all of its fields', async () => {
  const { paths, tags } = (await app.inject('/api/schema/')).json();
  const groups = tags.map(({ name }: { name: string }) => name.toLowerCase().replaceAll(' ', '-'));
  const pages = await Promise.all(groups.map(async (group: string) => (await app.inject(`/api/schema/ui/${group}`)).body));
  const found = pages.flatMap((page) => [...page.matchAll(/<section class="operation" id="(\w+)"/g)].map(([, id]) => id));
  const described = Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(found.toSorted()).toEqual(described.toSorted());
  const dashboards = pages[groups.indexOf('dashboards')] ?? '';
  for (const field of ['use_template', 'restriction_level', 'creation_mode', 'tiles'])
    expect(dashboards).toContain(`<code>${field}</code>`);
  // no page is a burden for a phone
  for (const page of pages) expect(gzipSync(page).length).toBeLessThan(100_000);
});

test('the document has the details of one operation', () => {
  const document = JSON.parse(JSON.stringify(describeApi(app, '1')));
  const operation = document.paths['/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/'].post;
  expect(operation).toMatchObject({
    operationId: 'dashboards_collaborators_create',
    tags: ['Dashboard collaborators'],
    security: [{ personalApiKey: ['dashboard:write'] }, { session: [] }],
    'x-required-scopes': ['dashboard:write'],
    responses: {
      201: { content: { 'application/json': { schema: { $ref: expect.stringMatching(/^#\/components\/schemas\//) } } } },
      400: { $ref: '#/components/responses/BadRequest' },
      401: { $ref: '#/components/responses/Unauthorized' },
      403: { $ref: '#/components/responses/Forbidden' },
      404: { $ref: '#/components/responses/NotFound' },
      429: { $ref: '#/components/responses/TooManyRequests' },
    },
  });
  expect(operation.description).toContain('`/api/projects/{project_id}/dashboards/{dashboard_id}/collaborators/`');
  expect(Object.keys(document.paths).filter((path) => /^\/api\/projects\/\{project_id\}\/(?!reset_token)./.test(path))).toEqual(
    [],
  );
});
