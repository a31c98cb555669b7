import { readdirSync, readFileSync } from 'node:fs';
import { type Browser, launchBrowser } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPage, pageWith, type WatchedPage } from './browser-site.js';

const STATIC = new URL('../../packages/server/dist/static/', import.meta.url);
const scripts = new Map(readdirSync(STATIC).map((name) => [`/static/${name}`, readFileSync(new URL(name, STATIC), 'utf8')]));

let browser: Browser;
let visitor: WatchedPage;
let html = '';
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visitor = await openPage(browser);
  // answers for any host name, none of which exists
  await visitor.context.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    const body = scripts.get(pathname);
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    return route.fulfill(body ? { contentType: 'text/javascript', body } : { contentType: 'application/json', body: '{}' });
  });
  return () => visitor.close();
});

/** Opens a page of the host, runs code in it, and returns the visitor's distinct id. */
async function visit(host: string, code = '', options: object = {}): Promise<unknown> {
  html = pageWith('', 'tmk_cookies', { options });
  await visitor.page.goto(`http://${host}/`);
  return visitor.page.evaluate(`(() => { ${code}; return tidemark.getDistinctId(); })()`);
}

const domains = async () => (await visitor.context.cookies()).map(({ domain }) => domain);

test('the cookie has the widest domain that is not a public suffix, and only this site gets it', async () => {
  const id = await visit('www.help.example.co.uk');
  expect(await domains()).toEqual(['.example.co.uk']);
  expect(await visit('shop.example.co.uk')).toBe(id);
  expect(await visit('example.co.uk', `tidemark.identify('ada')`)).toBe('ada');
  expect(await visit('www.help.example.co.uk')).toBe('ada');
  expect(await domains()).toEqual(['.example.co.uk']);
});

test('without a wider domain, or with cross_subdomain_cookie off, the cookie is for the host only', async () => {
  await visit('127.0.0.1');
  await visit('localhost');
  await visit('www.example.com', '', { cross_subdomain_cookie: false });
  expect((await domains()).sort()).toEqual(['127.0.0.1', 'localhost', 'www.example.com']);
});

test('a visitor with a cookie for one host keeps their id when the site shares the cookie', async () => {
  const id = await visit('www.example.com', '', { cross_subdomain_cookie: false });
  expect(await visit('www.example.com')).toBe(id);
  expect(await visit('www.example.com', `tidemark.identify('ada')`)).toBe('ada');
  expect(await visit('www.example.com')).toBe('ada');
  expect(await visit('shop.example.com')).toBe('ada');
});

test('optOut with clear removes the cookies of this and earlier visits', async () => {
  await visit('www.example.co.uk');
  await visit('www.example.co.uk', 'tidemark.optOut({ clear: true })');
  expect(await domains()).toEqual([]);
});
