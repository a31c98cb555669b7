import { randomUUID } from 'node:crypto';
import { Analytics } from '@segment/analytics-node';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, type Site, startSite, storedEvents } from './browser-site.js';
import { bundledScript } from './testing/bundled-script.js';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
let browser: Browser;
let site: Site;
let page = '';
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite(() => ({ html: page }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

interface Person {
  distinct_ids: string[];
  properties: Record<string, unknown>;
}

async function personOf(distinctId: string): Promise<Person | undefined> {
  const { body } = await service.get(`/api/projects/@current/persons/?distinct_id=${encodeURIComponent(distinctId)}`);
  return (body as { results: Person[] }).results[0];
}

test('@segment/analytics-node with the host changed: each call is stored once, with its person and group', async () => {
  const analytics = new Analytics({ writeKey: service.account.projectKey, host: service.url });
  const errors: unknown[] = [];
  analytics.on('error', (error) => errors.push(error));
  const timestamp = new Date('2026-01-02T03:04:05Z');
  analytics.track({ anonymousId: 'node-anon', event: 'Looked', properties: { shelf: 3 } });
  analytics.identify({ userId: 'node-user', anonymousId: 'node-anon', traits: { email: 'n@example.com' } });
  analytics.page({ userId: 'node-user', name: 'Prices', properties: { url: 'https://shop.example/prices' } });
  analytics.screen({ userId: 'node-user', name: 'Home' });
  analytics.group({ userId: 'node-user', groupId: 'acme', traits: { plan: 'team' } });
  analytics.track({ userId: 'node-user', event: 'Bought', timestamp, context: { groupId: 'acme', ip: '81.2.69.142' } });
  analytics.alias({ userId: 'node-user', previousId: 'node-old' });
  analytics.track({ userId: 'node-user', event: 'Retried', messageId: 'one-and-only' });
  analytics.track({ userId: 'node-user', event: 'Retried', messageId: 'one-and-only' });
  await analytics.closeAndFlush();
  expect(errors).toEqual([]);

  const events = await storedEvents(service, ['node-anon', 'node-user']);
  expect(events.map(({ event }) => event).sort()).toEqual(
    ['$create_alias', '$groupidentify', '$identify', '$pageview', '$screen', 'Bought', 'Looked', 'Retried'].sort(),
  );
  const bought = events.find(({ event }) => event === 'Bought');
  expect(bought?.properties).toMatchObject({ $groups: { company: 'acme' }, $ip: '81.2.69.142', $lib: '@segment/analytics-node' });
  expect(Math.abs(Date.parse(`${bought?.timestamp}`) - timestamp.getTime())).toBeLessThan(60_000);
  await eventually(async () => {
    const person = await personOf('node-old');
    expect(person?.distinct_ids.sort()).toEqual(['node-anon', 'node-old', 'node-user']);
    expect(person?.properties).toMatchObject({ email: 'n@example.com' });
  });
  await eventually(async () => {
    const { body } = await service.get('/api/projects/@current/groups/?group_type_index=0');
    expect((body as { results: unknown[] }).results).toMatchObject([{ group_key: 'acme', group_properties: { plan: 'team' } }]);
  });
});

test('@segment/analytics-node gets an error for a wrong key, and does not try again', async () => {
  const analytics = new Analytics({ writeKey: 'tmk_wrong', host: service.url });
  const errors: unknown[] = [];
  analytics.on('error', (error) => errors.push(error));
  analytics.track({ userId: 'nobody', event: 'Lost' });
  await analytics.closeAndFlush();
  expect(errors).toHaveLength(1);
});

test('@segment/analytics-next in Chromium loads its settings from the service, and its calls are stored', async () => {
  const user = `web-user-${randomUUID()}`;
  const script = await bundledScript(`import { AnalyticsBrowser } from '@segment/analytics-next';
        window.analytics = AnalyticsBrowser.load({ writeKey: '${service.account.projectKey}', cdnURL: '${service.url}' });
        window.viewed = analytics.page();`);
  page = `<!doctype html><title>Shop</title><script type="module">${script}</script>`;
  const watched = await openPage(browser);
  await watched.page.goto(`${site.url}/prices?utm_source=news`);
  // the SDK gives a page view the user at the time of its own loading
  await watched.page.evaluate('viewed.then(() => true)');
  const anonymous = await watched.page.evaluate<string>('analytics.user().then((user) => user.anonymousId())');
  await watched.page.evaluate(`analytics.identify('${user}', { email: 'w@example.com' })`);
  await watched.page.evaluate(`analytics.track('Bought', { total: 42 })`);
  await watched.page.evaluate(`analytics.group('acme', { plan: 'team' })`);
  await eventually(async () => {
    const events = await storedEvents(service, [anonymous, user]);
    expect(events.map(({ event }) => event).sort()).toEqual(['$groupidentify', '$identify', '$pageview', 'Bought']);
    expect(events.find(({ event }) => event === '$pageview')).toMatchObject({
      distinctId: anonymous,
      properties: {
        $current_url: `${site.url}/prices?utm_source=news`,
        $pathname: '/prices',
        title: 'Shop',
        $lib: 'analytics.js',
      },
    });
    expect(events.find(({ event }) => event === 'Bought')?.properties).toMatchObject({ total: 42 });
  });
  await eventually(async () => {
    const person = await personOf(user);
    expect(person?.distinct_ids.sort()).toEqual([anonymous, user].sort());
    expect(person?.properties).toMatchObject({ email: 'w@example.com' });
  });
  expect(watched.errors).toEqual([]);
  await watched.close();
});
