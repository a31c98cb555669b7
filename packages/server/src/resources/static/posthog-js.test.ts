import { createRequire } from 'node:module';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installErrorHandler } from '../../http/error-handler.js';
import { registerStatic } from './index.js';

const { version } = createRequire(import.meta.url)('posthog-js/package.json') as { version: string };

let app: FastifyInstance;
beforeAll(() => {
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  installErrorHandler(app);
  registerStatic(app, '/nowhere');
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

const LOADED_LATER = [
  'recorder',
  'lazy-recorder',
  'surveys',
  'exception-autocapture',
  'web-vitals',
  'web-vitals-with-attribution',
  'web-vitals-soft-navs',
  'dead-clicks-autocapture',
  'tracing-headers',
  'logs',
  'product-tours',
];

test.each(['array', 'array.full', ...LOADED_LATER])('S20: /static/%s.js is the script of posthog-js', async (name) => {
  for (const [url, caching] of [
    [`/static/${name}.js`, 'public, max-age=300, stale-while-revalidate=86400'],
    [`/static/${name}.js?v=1.200.0`, 'public, max-age=300, stale-while-revalidate=86400'],
    [`/static/1.200.0/${name}.js`, 'public, max-age=300, stale-while-revalidate=86400'],
    [`/static/${name}.js?v=${version}`, 'public, max-age=31536000, immutable'],
    [`/static/${version}/${name}.js`, 'public, max-age=31536000, immutable'],
  ] as const) {
    const answer = await get(url, { 'accept-encoding': 'br' });
    expect([url, answer.statusCode]).toEqual([url, 200]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'access-control-allow-origin': '*',
      'cache-control': caching,
    });
    const again = await get(url, { 'if-none-match': String(answer.headers['etag']) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  }
});

test.each(['none.js', 'array.d.ts', 'array.js.map', '..%2Fpackage.json', 'x/array.js', `${version}/none.js`, 'constructor'])(
  'S20: /static/%s is not found',
  async (name) => {
    const answer = await get(`/static/${name}`);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  },
);

test('without the package the response names it', async () => {
  const bare = fastify();
  installErrorHandler(bare);
  registerStatic(bare, '/nowhere', async () => null);
  const answer = await bare.inject('/static/array.js');
  expect([answer.statusCode, answer.json().detail]).toEqual([
    404,
    expect.stringContaining('npm package posthog-js is installed'),
  ]);
  await bare.close();
});
