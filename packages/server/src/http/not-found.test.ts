import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/service.js';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers });

test('an unknown address is a page for browsers and JSON for everybody else', async () => {
  const page = await get('/nothing', HTML);
  expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.body).toContain('<h1>Page not found</h1>');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.body).not.toMatch(/<script/);
  for (const [url, headers] of [
    ['/nothing', {}],
    ['/nothing', { accept: 'application/json, text/plain, */*' }],
    ['/api/nothing/', HTML],
  ] as const) {
    const answer = await get(url, headers);
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  }
  const write = await service.app.inject({ method: 'POST', url: '/nothing', headers: HTML });
  expect([write.statusCode, write.json().code]).toEqual([404, 'not_found']);
});
