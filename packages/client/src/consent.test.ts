import { describe, expect, it } from 'vitest';
import { createFakePlatform, startClient } from './testing/index.js';

describe('consent', () => {
  it('a person who is opted out by default has only the choice stored', async () => {
    const { client, platform } = startClient({ opt_out_by_default: true });
    client.capture('a');
    await platform.advance(1000);
    expect(platform.writes).toEqual([]);
    expect(platform.requests).toEqual([]);
  });

  it('the opt-out signal of the platform overrides later options (CON-7)', () => {
    const platform = createFakePlatform();
    expect(startClient({}, { platform }).client.isOptedOut()).toBe(false);
    platform.refusal = () => 'Do Not Track';
    const { client } = startClient({}, { platform });
    client.setConfig({ respect_dnt: false });
    expect(client.isOptedOut()).toBe(true);
  });

  it('cookieless mode "always" stores nothing, and captures (CON-7)', async () => {
    const { client, platform, queued } = startClient({ cookieless_mode: 'always' });
    client.capture('a');
    await platform.advance(10_000);
    expect(queued[0]?.properties.$cookieless_mode).toBe(true);
    expect(platform.writes).toEqual([]);
    expect(platform.requestsTo('/batch/')).toHaveLength(1);
  });

  it('cookieless mode "on_reject" continues without storage after an opt-out, as a new person (CON-7)', async () => {
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

  it('changes call listeners', () => {
    const { client } = startClient();
    const heard: string[] = [];
    const stop = client.on('consent', (status) => heard.push(status));
    client.optOut();
    client.optIn();
    stop();
    client.optOut();
    expect(heard).toEqual(['denied', 'granted']);
  });

  it('a choice that cannot be stored lasts in memory, with a warning', () => {
    const platform = createFakePlatform();
    const { client } = startClient({ disable_flags: true }, { platform });
    platform.storeFails = true;
    client.optOut();
    expect(client.isOptedOut()).toBe(true);
    expect(platform.warnings().join()).toContain('The answer to consent could not be stored');
  });

  it('debug mode logs once why nothing is captured', async () => {
    const platform = createFakePlatform();
    platform.refusal = () => 'automated browser; set opt_out_useragent_filter';
    const { client } = startClient({}, { platform });
    const lines = () => platform.logged.filter(({ text }) => text.includes('automated browser; set opt_out_useragent_filter'));
    client.capture('a');
    expect(lines()).toEqual([]);
    client.debug();
    client.capture('a');
    client.capture('b');
    expect(lines()).toHaveLength(1);
    expect(lines()[0]?.text).toContain('Not captured');
  });

  it('an opt-out with clear removes everything, also after a later opt-in', async () => {
    const { client, platform } = startClient();
    client.identify('ada', { email: 'ada@example.com' });
    client.register({ plan: 'gold' });
    client.capture('before');
    client.optOut({ clear: true });
    client.register({ plan: 'gold' });
    client.optOut({ clear: true });
    await platform.advance(1000);
    expect([...platform.stored.keys()]).toEqual(['tm.tmk_test.default.consent']);
    client.optIn();
    await platform.advance(1000);
    expect(JSON.stringify([...platform.stored])).not.toMatch(/ada|gold|before/);
  });
});
