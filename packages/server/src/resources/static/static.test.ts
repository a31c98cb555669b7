import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { processorMs } from '@tidemark/testkit';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installErrorHandler } from '../../http/error-handler.js';
import { FONT_STYLES, INTER_VERSION } from '../../http/page/fonts.js';
import { registerStatic } from './index.js';

const SCRIPT = `console.log('${'tidemark '.repeat(200)}');`;
let directory: string;
let app: FastifyInstance;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-static-'));
  await writeFile(join(directory, 'tidemark.js'), SCRIPT);
  await writeFile(join(directory, 'recorder-ABCD1234.js'), SCRIPT);
  await writeFile(join(directory, 'secret.txt'), 'not a script');
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  installErrorHandler(app);
  registerStatic(app, directory);
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const get = (name: string, headers: Record<string, string> = {}) => app.inject({ url: `/static/${name}`, headers });

test('a script is served compressed if the browser accepts it, and to pages of any origin', async () => {
  const plain = await get('tidemark.js');
  expect(plain.statusCode).toBe(200);
  expect(plain.body).toBe(SCRIPT);
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    vary: 'Accept-Encoding',
  });
  const gzipped = await get('tidemark.js', { 'accept-encoding': 'gzip' });
  expect(gunzipSync(gzipped.rawPayload).toString()).toBe(SCRIPT);
  const brotli = await get('tidemark.js', { 'accept-encoding': 'gzip, deflate, br' });
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
});

test('a request with the current ETag gets 304', async () => {
  const etag = String((await get('tidemark.js')).headers['etag']);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const answer = await get('tidemark.js', { 'if-none-match': known });
    expect([answer.statusCode, answer.body]).toEqual([304, '']);
  }
  expect((await get('tidemark.js', { 'if-none-match': '"other"' })).statusCode).toBe(200);
});

test('a long If-None-Match is parsed once', async () => {
  const known = `"other"${' '.repeat(60_000)},${'\t'.repeat(60_000)}`;
  const took = await processorMs(async () => expect((await get('tidemark.js', { 'if-none-match': known })).statusCode).toBe(200));
  // 15,000 spaces took 1,500 ms
  expect(took).toBeLessThan(1000);
});

test('a script with a hash in its name is immutable in caches', async () => {
  expect((await get('recorder-ABCD1234.js')).headers['cache-control']).toBe('public, max-age=31536000, immutable');
});

test('a page with the script of an earlier build gets the current part, which is cached for minutes only', async () => {
  const answer = await get('recorder-ZZZZ9999.js');
  expect([answer.statusCode, answer.body]).toEqual([200, SCRIPT]);
  expect(answer.headers['cache-control']).toBe('public, max-age=300, stale-while-revalidate=86400');
});

test.each(['missing.js', 'other-ABCD1234.js', 'recorder-abcd1234.js', 'secret.txt', '..%2Fpackage.json', 'toString'])(
  '%s is not found',
  async (name) => {
    expect((await get(name)).statusCode).toBe(404);
  },
);

test('without a build the response is 404', async () => {
  const bare = fastify();
  installErrorHandler(bare);
  registerStatic(bare, join(directory, 'none'));
  expect((await bare.inject('/static/tidemark.js')).statusCode).toBe(404);
  await bare.close();
});

test('the font of the service is served by names that never change their content', async () => {
  const addresses = [...FONT_STYLES.matchAll(/url\(\/static\/([^)]+)\)/g)].map(([, name = '']) => name);
  expect(addresses).toHaveLength(7);
  for (const name of addresses) {
    const { statusCode, headers, rawPayload } = await get(name);
    expect([name, statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      name,
      200,
      'font/woff2',
      'public, max-age=31536000, immutable',
    ]);
    expect(rawPayload.toString('latin1', 0, 4)).toBe('wOF2');
  }
  for (const odd of ['inter-5.2.0-latin.woff2', `inter-${INTER_VERSION}-toString.woff2`, `inter-${INTER_VERSION}-..-latin.woff2`])
    expect((await get(odd)).statusCode).toBe(404);
});

test('the names of the font have the version of its package', () => {
  const manifest = createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json');
  expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toBe(INTER_VERSION);
});
