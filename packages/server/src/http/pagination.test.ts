import { fastify } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { envelope, readPage } from './pagination.js';

const app = fastify({ trustProxy: '127.0.0.1' });
app.get('/api/things/', async (request) => envelope(request, readPage(request), 250, ['x']));
afterAll(() => app.close());

const get = async (query: string, headers: Record<string, string> = {}) =>
  (await app.inject({ url: `/api/things/${query}`, headers: { host: 'tm.test', ...headers } })).json();

test('links are absolute, have the other parameters in order, and always the limit', async () => {
  expect(await get('?search=b&a=1')).toEqual({
    count: 250,
    next: 'http://tm.test/api/things/?a=1&limit=100&offset=100&search=b',
    previous: null,
    results: ['x'],
  });
  expect(await get('?limit=100&offset=200')).toMatchObject({
    next: null,
    previous: 'http://tm.test/api/things/?limit=100&offset=100',
  });
  expect(await get('?limit=100&offset=50')).toMatchObject({ previous: 'http://tm.test/api/things/?limit=100' });
});

test.each(['?limit=0', '?limit=-5', '?limit=abc&offset=x', '?limit='])('%s counts as absent', async (query) => {
  expect((await get(query)).next).toContain('limit=100&offset=100');
});

test.each(['?limit=1001&offset=5000', '?limit=2147483647&offset=5000', '?limit=99999999999999999999&offset=5000'])(
  '%s counts as the maximum, which the links have',
  async (query) => {
    expect((await get(query)).previous).toContain('limit=1000&offset=4000');
  },
);

test('scheme and host come from a trusted proxy', async () => {
  const answer = await get('', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'analytics.example.com' });
  expect(answer.next).toMatch(/^https:\/\/analytics\.example\.com\//);
});
