import type { ChildProcess } from 'node:child_process';
import { type Browser, eventually, freePort, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished, LAYOUT, makeFlag, newVisitor, startProgram } from './example-app.js';

let service: Service;
let browser: Browser;
let app: ChildProcess;
let url: string;
beforeAll(async () => {
  const built = finished(startProgram('next', 'next/dist/bin/next', ['build'], {}));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  [service, browser] = await Promise.all([startService(), launchBrowser(), built]);
  await makeFlag(service, 'layout', LAYOUT);
  await makeFlag(service, 'new-checkout', {}, 50);
  app = startProgram('next', 'next/dist/bin/next', ['start', '--hostname', '127.0.0.1', '--port', String(port)], {
    TIDEMARK_HOST: service.url,
    TIDEMARK_PROJECT_KEY: service.account.projectKey,
  });
  await eventually(async () => {
    if (!(await fetch(url)).ok) throw new Error('not yet');
  });
}, 180_000);
afterAll(async () => {
  app?.kill('SIGKILL');
  await browser?.close();
  await service?.close();
});

test('the first HTML of the Next.js example has the flags, and hydration does not change it', async () => {
  const shown = new Set<string>();
  // with a share of one half, both variants have appeared by then
  for (let visit = 0; visit < 16 && shown.size < 2; visit++) {
    const context = await newVisitor(browser);
    // records what the page shows from its first paint on
    await context.addInitScript(`
      window.shown = new Set();
      new MutationObserver(() => {
        const link = document.querySelector('a[href^="/checkout"]')?.textContent;
        const layout = document.querySelector('ul')?.dataset.layout;
        if (link && layout) window.shown.add(layout + ' ' + link);
      }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    `);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !message.text().includes('404')) problems.push(message.text());
    });
    const seen: string[] = [];
    // at the second visit the server recognizes the visitor by the cookie
    for (const _ of ['first', 'again']) {
      const flagged = page.waitForResponse((response) => response.url().includes('/flags/'));
      const response = await page.goto(url);
      const html = (await response?.text()) ?? '';
      expect(html).toContain('data-layout="grid"');
      await (await flagged).finished();
      // React renders in a later task, and no event says that nothing changes
      await page.waitForTimeout(100);
      const states = await page.evaluate<string[]>('[...window.shown]');
      expect(states).toHaveLength(1);
      expect(html).toContain(`>${states[0]?.slice('grid '.length)}</a>`);
      seen.push(...states);
    }
    expect(seen[0]).toBe(seen[1]);
    expect(problems).toEqual([]);
    shown.add(seen[0] ?? '');
    await context.close();
  }
  expect([...shown].sort()).toEqual(['grid Check out', 'grid Check out in one step']);
});

test('navigations and clicks within the Next.js example are captured', async () => {
  const context = await newVisitor(browser);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForLoadState('networkidle');
  await page.click('text=Compass');
  await page.click('text=About');
  await page.waitForSelector('h1:has-text("About")');
  await page.goto('about:blank');
  const names = await eventually(async () => {
    const stored = await service.events({ event: 'Product Chosen' });
    expect(stored).toHaveLength(1);
    const all = await service.events();
    const mine = all.filter(({ distinct_id }) => distinct_id === stored[0]?.['distinct_id']).map(({ event }) => event);
    expect(mine.filter((event) => event === '$pageview')).toHaveLength(2);
    return mine;
  });
  expect(names).toEqual(expect.arrayContaining(['$autocapture', '$feature_flag_called', '$pageleave']));
  await context.close();
});
