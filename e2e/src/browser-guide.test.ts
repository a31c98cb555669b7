import { readFileSync } from 'node:fs';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite, storedEvents } from './browser-site.js';

const GUIDE = readFileSync(new URL('../../docs/guide/html.md', import.meta.url), 'utf8');
const CODE = [...GUIDE.matchAll(/```(html|js)\n(.*?)```/gs)].map(([, language, code = '']) => ({ language, code }));

let service: Service;
let browser: Browser;
let site: Site;
let html = '';
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite(() => ({ html }));
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }] };
  await service.post('/api/projects/@current/feature_flags/', { key: 'new-checkout', name: 'new-checkout', filters });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});

/** The code as readers use it: with their key and their service. */
const filledIn = (code: string) =>
  code.replaceAll('tmk_...', service.account.projectKey).replaceAll('https://analytics.example.com', service.url);

test.each(CODE.filter(({ language }) => language === 'html').map(({ code }) => code))('the page with %s works', async (code) => {
  html = `<!doctype html><title>Guide</title><body>${filledIn(code)}</body>`;
  // a visitor's browser: driven ones do not count
  const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36' });
  await context.addInitScript(`Object.defineProperty(navigator, 'webdriver', { value: false })`);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(site.url);
  await page.waitForFunction('window.tidemark?.isInitialized');
  for (const { code: script, language } of CODE) if (language === 'js') await page.evaluate(`{ ${filledIn(script)} }`);
  await page.waitForFunction(`document.body.classList.contains('new-checkout')`);
  const ids = await page.evaluate<string[]>(`tidemark.flush().then(() => [tidemark.getDistinctId(), tidemark.getAnonymousId()])`);
  await eventually(async () => {
    const names = (await storedEvents(service, ids)).map(({ event }) => event);
    const wanted = ['$pageview', 'Signed Up', '$identify', ...(code.includes('Page opened') ? ['Page opened'] : [])];
    expect(names).toEqual(expect.arrayContaining(wanted));
  });
  expect(errors).toEqual([]);
  await context.close();
});
