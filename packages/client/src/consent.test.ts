import { describe, expect, it } from 'vitest';
import { createFakePlatform, startClient } from './testing/index.js';

describe('consent', () => {
  it('writes nothing but the choice for those who are out from the start', async () => {
    const { client, platform } = startClient({ opt_out_by_default: true });
    client.capture('a');
    await platform.advance(1000);
    expect(platform.writes).toEqual([]);
    expect(platform.requests).toEqual([]);
  });

  it('follows the refusal that the platform tells of, whatever options become (CON-7)', () => {
    const platform = createFakePlatform();
    expect(startClient({}, { platform }).client.isOptedOut()).toBe(false);
    platform.doNotTrack = () => true;
    const { client } = startClient({}, { platform });
    client.setConfig({ respect_dnt: false });
    expect(client.isOptedOut()).toBe(true);
  });

  it('stores nothing where no consent is asked for, and still captures (CON-7)', async () => {
    const { client, platform, queued } = startClient({ cookieless_mode: 'always' });
    client.capture('a');
    await platform.advance(10_000);
    expect(queued[0]?.properties.$cookieless_mode).toBe(true);
    expect(platform.writes).toEqual([]);
    expect(platform.requestsTo('/batch/')).toHaveLength(1);
  });

  it('goes on without storage after a refusal, as somebody new (CON-7)', async () => {
    const { client, platform, queued } = startClient({ cookieless_mode: 'on_reject' });
    client.capture('a');
    const before = client.getDistinctId();
    client.optOut();
    await platform.advance(1000);
    expect([...platform.stored.keys()]).toEqual(['tm.tmk_test.default.consent']);
    client.capture('b');
    expect(client.getDistinctId()).not.toBe(before);
    expect(queued.map(({ event, properties }) => [event, properties.$cookieless_mode])).toEqual([
      ['a', undefined],
      ['b', true],
    ]);
  });

  it('tells listeners', () => {
    const { client } = startClient();
    const heard: string[] = [];
    const stop = client.on('consent', (status) => heard.push(status));
    client.optOut();
    client.optIn();
    stop();
    client.optOut();
    expect(heard).toEqual(['denied', 'granted']);
  });

  it('holds in memory where it cannot be stored', () => {
    const platform = createFakePlatform();
    platform.storeFails = true;
    const { client } = startClient({}, { platform });
    client.optOut();
    expect(client.isOptedOut()).toBe(true);
  });
});
