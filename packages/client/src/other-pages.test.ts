import { describe, expect, it } from 'vitest';
import { createFakePlatform, flagsAnswer, type Started, startClient } from './testing/index.js';

/** Two tabs of one visitor; with `cookies`, nothing tells a tab what the other one stores. */
async function twoTabs(storage: 'localStorage' | 'cookies', options = {}): Promise<[Started, Started]> {
  const platform = createFakePlatform({ reportsChanges: storage === 'localStorage' });
  const one = startClient({ disable_flags: true, ...options }, { platform });
  await platform.advance(300);
  return [one, one.restart()];
}
/** Lets both tabs hear of what was stored. */
const settle = async (...tabs: Started[]) => {
  for (const { platform } of tabs) await platform.advance(5);
};

describe.each(['localStorage', 'cookies'] as const)('two tabs that share %s', (storage) => {
  it('they have one person: a reset in one is not undone by the other', async () => {
    const [one, two] = await twoTabs(storage);
    one.client.identify('ada');
    await settle(one, two);
    expect(two.client.capture('a')).toMatchObject({ distinct_id: 'ada', properties: { $is_identified: true } });
    one.client.reset();
    await settle(one, two);
    two.client.setPersonProperties({ plan: 'pro' });
    two.client.group('company', 'acme');
    await settle(one, two);
    const next = one.restart().client;
    expect(next.getDistinctId()).toBe(one.client.getDistinctId());
    expect(two.client.getDistinctId()).toBe(one.client.getDistinctId());
    expect(next.getDistinctId()).not.toBe('ada');
  });

  it('they have one person: identify in one is not undone by the other', async () => {
    const [one, two] = await twoTabs(storage);
    const anonymous = two.client.getDistinctId();
    one.client.identify('user-9');
    await settle(one, two);
    two.client.group('company', 'acme');
    expect(two.client.capture('bought')?.distinct_id).toBe('user-9');
    expect(two.client.getAnonymousId()).toBe(anonymous);
    expect(one.restart().client.getDistinctId()).toBe('user-9');
  });

  it('they have one consent: an opt-out stops capture in both, and an opt-in resumes it', async () => {
    const [one, two] = await twoTabs(storage);
    one.client.optOut();
    await settle(one, two);
    expect(two.client.capture('secret')).toBeUndefined();
    expect(two.client.isOptedOut()).toBe(true);
    expect(two.client.getConsentStatus()).toBe('denied');
    two.client.optIn();
    await settle(two, one);
    expect(one.client.capture('again')).toBeDefined();
  });

  it('they keep queued events during an opt-out, and send them afterwards', async () => {
    const [one, two] = await twoTabs(storage);
    two.client.capture('before');
    one.client.optOut();
    await two.platform.advance(60_000);
    two.platform.hide();
    expect(two.platform.requestsTo('/batch/')).toEqual([]);
    one.client.optIn();
    await settle(one, two);
    // where nothing is reported, the next call looks
    two.client.capture('after');
    await two.platform.advance(60_000);
    expect(JSON.stringify(two.platform.requestsTo('/batch/'))).toContain('"before"');
  });

  it('an opt-out with clear in one tab clears both', async () => {
    const [one, two] = await twoTabs(storage);
    one.client.identify('ada');
    one.client.register({ plan: 'gold' });
    await settle(one, two);
    two.client.capture('before');
    one.client.optOut({ clear: true });
    await settle(one, two);
    expect(two.client.getDistinctId()).not.toBe('ada');
    await two.platform.advance(1000);
    expect([...two.platform.stored.keys()]).toEqual(['tm.tmk_test.default.consent']);
    two.client.optIn();
    expect(two.client.capture('after')?.properties).toMatchObject({ $is_identified: false });
    await two.platform.advance(60_000);
    expect(JSON.stringify([...two.platform.stored])).not.toMatch(/ada|gold|before/);
    expect(JSON.stringify(two.platform.requests)).not.toContain('"before"');
  });

  it('an opt-out with cookieless_mode on_reject makes both cookieless', async () => {
    const [one, two] = await twoTabs(storage, { cookieless_mode: 'on_reject' });
    const before = two.client.getDistinctId();
    one.client.optOut();
    await settle(one, two);
    const event = two.client.capture('after');
    expect(event?.properties['$cookieless_mode']).toBe(true);
    expect(event?.distinct_id).not.toBe(before);
    await two.platform.advance(1000);
    expect([...two.platform.stored.keys()]).toEqual(['tm.tmk_test.default.consent']);
  });

  it('their super properties and groups are merged', async () => {
    const [one, two] = await twoTabs(storage);
    one.client.register({ plan: 'pro', old: true });
    one.client.group('company', 'acme');
    await settle(one, two);
    two.client.register({ theme: 'dark' });
    two.client.group('team', 'blue');
    await settle(two, one);
    one.client.unregister('old');
    one.client.registerOnce({ theme: 'light', size: 'l' });
    const properties = one.restart().client.capture('a')?.properties;
    expect(properties).toMatchObject({ plan: 'pro', theme: 'dark', size: 'l' });
    expect(properties?.['$groups']).toEqual({ company: 'acme', team: 'blue' });
    expect(properties).not.toHaveProperty('old');
  });

  it('super properties that both register at the same moment are merged', async () => {
    const [one, two] = await twoTabs(storage);
    one.client.register({ plan: 'pro' });
    two.client.register({ theme: 'dark' });
    await settle(one, two);
    expect(one.restart().client.capture('a')?.properties).toMatchObject({ plan: 'pro', theme: 'dark' });
  });

  it('groups that both join at the same moment are merged', async () => {
    const [one, two] = await twoTabs(storage);
    one.client.group('company', 'acme');
    two.client.group('team', 'blue');
    await settle(one, two);
    expect(one.restart().client.getGroups()).toEqual({ company: 'acme', team: 'blue' });
  });

  it('they share the session that begins with a reset', async () => {
    const [one, two] = await twoTabs(storage);
    expect(two.client.getSessionId()).toBe(one.client.getSessionId());
    two.client.registerForSession({ cart: 'full' });
    one.client.reset();
    await settle(one, two);
    const properties = two.client.capture('a')?.properties;
    expect(properties?.['$session_id']).toBe(one.client.getSessionId());
    expect(properties).not.toHaveProperty('cart');
  });
});

describe('a tab that is notified of another tab’s change', () => {
  it('it calls listeners at once, without an API call', async () => {
    const [one, two] = await twoTabs('localStorage');
    const heard: unknown[] = [];
    two.client.on('identity', ({ reason, distinctId, adopted }) => heard.push([reason, distinctId, adopted]));
    two.client.on('consent', (status) => heard.push(status));
    one.client.identify('ada');
    await settle(one);
    one.client.reset();
    await settle(one);
    one.client.optOut();
    await settle(one);
    expect(heard).toEqual([['identify', 'ada', true], ['reset', one.client.getDistinctId(), true], 'denied']);
  });

  it('it loads the flags of the new person, and keeps the cache that the other tab wrote', async () => {
    const [one, two] = await twoTabs('localStorage', { disable_flags: false });
    two.platform.answer('/flags/', { body: flagsAnswer({ beta: true }) });
    await two.platform.advance(50);
    expect(two.client.isFeatureEnabled('beta')).toBe(true);
    two.platform.answer('/flags/', 'hang');
    one.platform.answer('/flags/', { body: flagsAnswer({ gamma: true }) });
    one.client.reset();
    await one.platform.advance(1000);
    expect(two.client.isFeatureEnabled('beta')).toBeUndefined();
    await two.platform.advance(50);
    const last = two.platform.requestsTo('/flags/').at(-1)?.body;
    expect(last).toMatchObject({ distinct_id: one.client.getDistinctId() });
    expect(one.restart().client.isFeatureEnabled('gamma')).toBe(true);
  });

  it('it does the same when restored from the back/forward cache', async () => {
    const [restored, login] = await twoTabs('localStorage');
    restored.platform.isFrozen = true;
    login.client.identify('user-9');
    await settle(login);
    restored.platform.thaw();
    expect(restored.client.capture('bought')?.distinct_id).toBe('user-9');
    restored.client.group('company', 'acme');
    await settle(restored);
    expect(login.restart().client.getDistinctId()).toBe('user-9');
  });

  it('it keeps the person if the storage is emptied without an opt-out', async () => {
    const [one] = await twoTabs('localStorage');
    one.client.identify('ada');
    one.platform.stored.clear();
    one.platform.thaw();
    await one.platform.advance(1000);
    expect(one.client.getDistinctId()).toBe('ada');
    expect(one.restart().client.getDistinctId()).toBe('ada');
  });

  it('it does not read the storage for each event if the platform reports changes', async () => {
    const [one] = await twoTabs('localStorage');
    const { get } = one.platform.store;
    let reads = 0;
    one.platform.store.get = (key) => {
      reads++;
      return get(key);
    };
    for (let i = 0; i < 100; i++) {
      one.client.capture('a');
      await one.platform.advance(5);
    }
    expect(reads).toBeLessThan(60);
  });
});

it('new ids are stored at once, so that a page that ends after its first event makes no second person', () => {
  const { client, restart } = startClient();
  client.capture('a');
  expect(restart().client.getDistinctId()).toBe(client.getDistinctId());
  client.identify('ada');
  expect(restart().client.getDistinctId()).toBe('ada');
});

it('a client reads each stored value once when it starts', async () => {
  const first = startClient({ disable_flags: true });
  first.client.identify('ada');
  await first.platform.advance(300);
  const platform = createFakePlatform({ stored: first.platform.stored });
  const { get } = platform.store;
  const reads: string[] = [];
  platform.store.get = (key) => {
    reads.push(key);
    return get(key);
  };
  const asks = { name: 'asks', setup: (client: Started['client']) => void client.getDistinctId() };
  startClient({ disable_flags: true }, { platform, features: [asks] });
  expect(reads.length).toBeGreaterThan(5);
  expect(reads).toEqual([...new Set(reads)]);
});
