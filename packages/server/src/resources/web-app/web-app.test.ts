import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { installErrorHandler } from '../../http/error-handler.js';
import { registerWebApp } from './index.js';

let directory: string;
let app: FastifyInstance;
let tokens = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'app-'));
  await mkdir(join(directory, 'app'));
  await writeFile(
    join(directory, 'index.html'),
    '<head><meta property="csp-nonce" nonce="__NONCE__"></head><script src="/app/index-a1.js">',
  );
  await writeFile(join(directory, 'app/index-a1.js'), 'run()');
  await writeFile(join(directory, 'app/index-a1.js.br'), brotliCompressSync('run()'));
  await writeFile(join(directory, 'app/inter-b2.woff2'), 'font');
  app = fastify();
  installErrorHandler(app);
  const ids = { token: () => `nonce${++tokens}`, uuid: () => 'uuid', uuid7: () => 'uuid' };
  registerWebApp(app, { ids, config: { selfKey: null } }, directory);
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const page = (url: string) => app.inject({ url, headers: { accept: 'text/html' } });

test('each screen is the page of the app, with a nonce of its own in page and policy', async () => {
  for (const url of ['/', '/setup', '/login', '/invite/01', '/p/7', '/p/7/dashboards/3?from=-30d']) {
    const { statusCode, headers, body } = await page(url);
    expect(statusCode).toBe(200);
    expect(body).toContain(`nonce="nonce${tokens}"`);
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-nonce${tokens}'`);
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('private, no-store');
  }
});

test('with TIDEMARK_SELF the page names the project of its own use, and the policy stays', async () => {
  const own = fastify();
  const ids = { token: () => 'n', uuid: () => 'uuid', uuid7: () => 'uuid' };
  registerWebApp(own, { ids, config: { selfKey: `tmk_"$&<b>` } }, directory);
  const { body, headers } = await own.inject({ url: '/p/7', headers: { accept: 'text/html' } });
  expect(body).toContain('<meta name="tidemark-self" content="tmk_&quot;$&amp;&lt;b&gt;" />');
  expect(headers['content-security-policy']).toContain("script-src 'self';");
  expect((await page('/p/7')).body).not.toContain('tidemark-self');
  await own.close();
});

test('TIDEMARK_SELF is a project key', () => {
  expect(loadConfig({}).selfKey).toBeNull();
  expect(loadConfig({ TIDEMARK_SELF: 'tmk_1' }).selfKey).toBe('tmk_1');
  for (const wrong of ['two words', 'é', 'x'.repeat(65)])
    expect(() => loadConfig({ TIDEMARK_SELF: wrong })).toThrow('TIDEMARK_SELF must be 1 to 64 visible ASCII characters.');
});

test('clients of the API get no page', async () => {
  expect((await app.inject({ url: '/p/7', headers: { accept: 'application/json' } })).statusCode).toBe(404);
});

test('at the start address, clients that do not accept HTML get one line of text', async () => {
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[]) {
    const { headers: sent, body } = await app.inject({ url: '/', headers });
    expect([sent['content-type'], sent['vary'], body]).toEqual([
      'text/plain',
      'Accept',
      'Tidemark is running. Its API: /api/schema/ui/\n',
    ]);
  }
});

test('the icon is the mark', async () => {
  const { statusCode, headers, body } = await app.inject({ url: '/favicon.ico' });
  expect([statusCode, headers['content-type'], body.slice(0, 4)]).toEqual([200, 'image/svg+xml', '<svg']);
});

test('files of the app may be cached for ever, and are compressed', async () => {
  const plain = await app.inject({ url: '/app/index-a1.js' });
  expect([plain.body, plain.headers['content-type'], plain.headers['cache-control']]).toEqual([
    'run()',
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  const small = await app.inject({ url: '/app/index-a1.js', headers: { 'accept-encoding': 'gzip, br' } });
  expect([small.headers['content-encoding'], small.headers['vary']]).toEqual(['br', 'Accept-Encoding']);
  expect((await app.inject({ url: '/app/inter-b2.woff2' })).headers['content-type']).toBe('font/woff2');
});

test('a file of an earlier build is a 404 that says so, and nothing outside the build is served', async () => {
  const { statusCode, body } = await app.inject({ url: '/app/index-old.js' });
  expect([statusCode, JSON.parse(body).detail]).toEqual([
    404,
    'This service has no such file of the app. It may be of an earlier version.',
  ]);
  for (const url of ['/app/..%2findex.html', '/app/%2e%2e/index.html', '/app/index-a1.js.br'])
    expect((await app.inject({ url })).statusCode).toBe(404);
});
