import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ORIGIN = 'https://shop.example';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

const call = (method: Method, url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ method, url, headers: { origin: ORIGIN, ...headers } });

const preflight = (url: string, method: string) =>
  call('OPTIONS', url, { 'access-control-request-method': method, 'access-control-request-headers': 'x-any, content-type' });

const SDK_PATHS = [
  '/e/x',
  '/i/v0/x',
  '/i/v0/ai',
  '/s/x',
  '/batch/x',
  '/capture/x',
  '/decide/x',
  '/flags/x/y',
  '/track/x',
  '/engage/x',
];

test.each(SDK_PATHS)('a page of another origin can read that %s is not found', async (url) => {
  for (const method of ['GET', 'POST'] as const) {
    const answer = await call(method, url);
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(answer.body).toMatch(/^There is nothing at this path\./);
  }
  const leave = await preflight(url, 'POST');
  expect(leave.statusCode).toBe(204);
  expect(leave.headers).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-headers': 'x-any, content-type',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
  });
});

test('unknown paths and methods of the v1 protocol have its error body', async () => {
  for (const [method, url, status, error] of [
    ['POST', '/i/v1/analytics/x', 404, 'not_found'],
    ['GET', '/i/v1/x', 404, 'not_found'],
    ['GET', '/i/v1/analytics/events', 405, 'method_not_allowed'],
    ['DELETE', '/i/v1/general/events', 405, 'method_not_allowed'],
  ] as const) {
    const answer = await call(method, url);
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([status, ORIGIN]);
    expect(answer.json()).toEqual({
      error,
      error_description: expect.any(String),
      error_uri: `https://www.rfc-editor.org/rfc/rfc9110#status.${status}`,
    });
  }
});

test.each(['/e/', '/batch/', '/s/', '/flags/', '/decide/', '/i/v1/analytics/events', '/array/key/config'])(
  'a page of another origin can read the 405 of %s, and may send the refused request',
  async (url) => {
    const answer = await call('DELETE', url);
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([405, ORIGIN]);
    const leave = await preflight(url, 'DELETE');
    expect([leave.statusCode, leave.headers['access-control-allow-methods']]).toEqual([204, 'GET, POST, OPTIONS, DELETE']);
  },
);

test.each(['/static/none.js', '/static/a/b.js', '/array/none/config', '/array/x/y/z', '/api/nothing', '/nothing'])(
  'a page of another origin can read the 404 of %s, with the error body of the API',
  async (url) => {
    const answer = await call('GET', url);
    expect([answer.statusCode, answer.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    expect(['*', ORIGIN]).toContain(answer.headers['access-control-allow-origin']);
    const leave = await preflight(url, 'GET');
    expect(leave.statusCode).toBe(204);
    expect(['*', ORIGIN]).toContain(leave.headers['access-control-allow-origin']);
  },
);

test('an OPTIONS that is not a preflight gets 404 on an unknown path', async () => {
  for (const url of ['/e/x', '/nothing', '/api/nothing']) expect((await call('OPTIONS', url)).statusCode).toBe(404);
});
