import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pageWith, type Site, startSite, storedEvents } from './browser-site.js';
import { openVisitor, restore, type Tab, type Visitor } from './testing/tabs.js';

let service: Service;
let browser: Browser;
let site: Site;
let visitor: Visitor;
let options: object = {};
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser({ backForwardCache: true })]);
  site = await startSite(() => ({ html: pageWith(service.url, service.account.projectKey, { options }) }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
beforeEach(async () => {
  visitor = await openVisitor(browser);
  return async () => {
    expect(visitor.errors).toEqual([]);
    await visitor.close();
  };
});

const idOf = (tab: Tab) => tab.evaluate<string>('tidemark.getDistinctId()');
/** Waits until an expression in a tab has this value. */
const becomes = (tab: Tab, expression: string, value: unknown) =>
  eventually(async () => expect(await tab.evaluate(expression)).toEqual(value));

describe.each(['localStorage+cookie', 'cookie'])('two tabs of a visitor with persistence %s', (persistence) => {
  beforeEach(() => {
    options = { persistence };
  });

  test('a reset in one tab is not undone by the other', async () => {
    const one = await visitor.open(site.url);
    await one.evaluate(`tidemark.identify('ada')`);
    const two = await visitor.open(site.url);
    expect(await idOf(two)).toBe('ada');
    await one.evaluate('tidemark.reset()');
    const anonymous = await idOf(one);
    // cookies fire no event, so the next call reads the new value
    await becomes(two, 'tidemark.getDistinctId()', anonymous);
    await two.evaluate(`(tidemark.setPersonProperties({ plan: 'pro' }), tidemark.group('company', 'acme'))`);
    await one.reload();
    expect(await idOf(one)).toBe(anonymous);
    expect(await idOf(two)).toBe(anonymous);
  });

  test('super properties that both tabs register are merged', async () => {
    const one = await visitor.open(site.url);
    const two = await visitor.open(site.url);
    await one.evaluate(`tidemark.register({ plan: 'pro' })`);
    await two.evaluate(`tidemark.register({ theme: 'dark' })`);
    await one.reload();
    const { plan, theme } = await one.evaluate<Record<string, unknown>>(`tidemark.capture('a').properties`);
    expect([plan, theme]).toEqual(['pro', 'dark']);
  });

  test('an opt-out in one tab stops capture in the other', async () => {
    const one = await visitor.open(site.url);
    const two = await visitor.open(site.url);
    await one.evaluate('tidemark.optOut()');
    await becomes(two, 'tidemark.isOptedOut()', true);
    expect(await two.evaluate(`tidemark.capture('secret') === undefined`)).toBe(true);
    await one.evaluate('tidemark.optIn()');
    await becomes(two, 'tidemark.isOptedOut()', false);
  });
});

describe('a page restored from the back/forward cache', () => {
  beforeEach(() => {
    options = {};
  });

  test('it has the person who was identified meanwhile', async () => {
    const tab = await visitor.open(site.url);
    const anonymous = await idOf(tab);
    await tab.goto(`${site.url}/login`);
    await tab.evaluate(`tidemark.identify('user-9')`);
    await restore(tab);
    expect(await idOf(tab)).toBe('user-9');
    await tab.evaluate(`(tidemark.capture('bought'), tidemark.group('company', 'acme'), tidemark.flush())`);
    await tab.goto(`${site.url}/third`);
    expect(await idOf(tab)).toBe('user-9');
    await eventually(async () => {
      const bought = (await storedEvents(service, [anonymous, 'user-9'])).filter(({ event }) => event === 'bought');
      expect(bought.map(({ distinctId }) => distinctId)).toEqual(['user-9']);
    });
  });

  test('it follows an opt-out of another page', async () => {
    const tab = await visitor.open(site.url);
    await tab.goto(`${site.url}/settings`);
    await tab.evaluate('tidemark.optOut()');
    await restore(tab);
    expect(await tab.evaluate(`[tidemark.isOptedOut(), tidemark.capture('secret') === undefined]`)).toEqual([true, true]);
  });

  test('it captures one more page view, and a loaded page captures one', async () => {
    const tab = await visitor.open(site.url);
    const id = await idOf(tab);
    await tab.goto(`${site.url}/next`);
    await restore(tab);
    await tab.evaluate('tidemark.flush()');
    await eventually(async () => {
      const views = (await storedEvents(service, [id])).filter(({ event }) => event === '$pageview');
      const seen = views.map(({ properties }) => `${properties['$pathname']} ${properties['navigation_type'] ?? 'load'}`);
      // clock skew is corrected by the delay of each request, so a slow request changes the order
      expect(seen.sort()).toEqual(['/ load', '/ traverse', '/next load']);
    });
  });
});

test('an automated browser logs once why nothing is captured, and its flags are ready', async () => {
  options = { opt_out_useragent_filter: false, debug: true };
  const lines: string[] = [];
  visitor.context.on('console', (message) => lines.push(message.text()));
  const tab = await visitor.open(site.url);
  await tab.evaluate('tidemark.whenFlagsReady()');
  await becomes(tab, `tidemark.flags.snapshot('welcome').status`, 'ready');
  await tab.evaluate(`(tidemark.capture('a'), tidemark.capture('b'), tidemark.capture(''))`);
  await expect.poll(() => lines.join()).toContain('capture needs the name of an event.');
  expect(lines.filter((line) => line.includes('automated browser; set opt_out_useragent_filter'))).toHaveLength(1);
});
