import { eventually, type Firefox, findFirefox, launchFirefox, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// scripts/test.mjs says so when the machine has no Firefox
describe.runIf(findFirefox())('the app in Firefox', () => {
  let service: Service;
  let firefox: Firefox;
  let dashboard = 0;
  beforeAll(async () => {
    [service, firefox] = await Promise.all([startService(), launchFirefox()]);
    const batch = Array.from({ length: 30 }, (_, at) => ({
      event: '$pageview',
      distinct_id: `user-${at % 7}`,
      timestamp: new Date(Date.now() - (at % 6) * 86_400_000).toISOString(),
    }));
    const body = { api_key: service.account.projectKey, historical_migration: true, batch };
    expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
    const made = await service.post('/api/projects/@current/dashboards/', { name: 'Numbers' });
    dashboard = Number((made.body as { id: number }).id);
    for (const display of ['ActionsLineGraph', 'ActionsBar', 'BoldNumber']) {
      const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }], trendsFilter: { display } };
      const query = { kind: 'InsightVizNode', source };
      const { status } = await service.post('/api/projects/@current/insights/', {
        name: display,
        query,
        dashboards: [dashboard],
      });
      expect(status).toBe(201);
    }
  });
  afterAll(async () => {
    await firefox?.close();
    await service?.close();
  });

  /** Waits for an expression to become true in the page. */
  const becomes = (expression: string) =>
    eventually(async () => expect([expression, await firefox.evaluate(expression)]).toEqual([expression, true]));
  const shows = (text: string) => becomes(`document.body.innerText.includes(${JSON.stringify(text)})`);
  const collectFaults = () =>
    firefox.evaluate(`void (window.faults = [],
      addEventListener('error', ({ message }) => faults.push(message)),
      addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason))),
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => faults.push(violatedDirective + ' ' + blockedURI)),
      console.error = (...parts) => faults.push(parts.join(' ')))`);
  const faults = () => firefox.evaluate<string[]>('window.faults');
  /** Types into a field as the browser would: React hears the event of its own setter. */
  const type = (selector: string, text: string) =>
    firefox.evaluate(`void ((field) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(text)});
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })(document.querySelector(${JSON.stringify(selector)}))`);

  test('people log in, a question has a chart and numbers, and a dashboard is drawn', async () => {
    await firefox.goto(`${service.url}/login`);
    await becomes(`!!document.querySelector('input[name=email]')`);
    await collectFaults();
    await type('input[name=email]', service.account.email);
    await type('input[name=password]', service.account.password);
    await firefox.click('button[type=submit]');
    await becomes(`/^\\/p\\/\\d+$/.test(location.pathname)`);
    await shows('Dashboards');

    // within the app, so that what the page collects stays
    await firefox.click('nav a[href$="/insights"]');
    await firefox.click('main a[href$="/insights/new"]');
    await shows('New insight');
    await becomes(`!!document.querySelector('main .chart svg path')`);
    await becomes(`/Page view/.test(document.querySelector('main table')?.innerText)`);

    await firefox.click('nav a[href$="/dashboards"]');
    await firefox.click(`main a[href$="/dashboards/${dashboard}"]`);
    await shows('BoldNumber');
    await becomes(`document.querySelectorAll('main .chart svg').length >= 3`);
    // tiles stand side by side and have a height: the grid is laid out
    const tiles = await firefox.evaluate<{ width: number; height: number }[]>(
      `[...document.querySelectorAll('main ul > li')].filter((item) => item.querySelector('a')).map((item) => item.getBoundingClientRect()).map(({ width, height }) => ({ width, height }))`,
    );
    expect(tiles.length).toBeGreaterThanOrEqual(3);
    for (const { width, height } of tiles) {
      expect(width).toBeGreaterThan(100);
      expect(height).toBeGreaterThan(100);
    }
    expect(await faults()).toEqual([]);
  });
});
