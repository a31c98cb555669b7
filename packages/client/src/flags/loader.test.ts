import { describe, expect, it } from 'vitest';
import { flagsAnswer, startClient } from '../testing/index.js';

describe('asking the server', () => {
  it('gives each attempt its time, 3000 ms by default (HTP-7)', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'hang', 'hang');
    let ready = 0;
    void client.whenFlagsReady().then(() => {
      ready = platform.clock.now();
    });
    await platform.advance(20_000);
    const made = platform.requestsTo('/flags/').map(({ at }) => at);
    expect((made[1] ?? 0) - (made[0] ?? 0)).toBe(3300);
    expect(ready - (made[0] ?? 0)).toBe(6300);
    expect(client.flags.snapshot('a').status).toBe('error');
  });

  it('throws an answer away that is for somebody else', async () => {
    const { client, platform } = startClient();
    platform.answer(
      '/flags/',
      async () => {
        client.identify('user-1');
        return { body: flagsAnswer({ who: 'anonymous' }) };
      },
      { body: flagsAnswer({ who: 'user-1' }) },
    );
    await platform.advance(50);
    expect(client.getFeatureFlags()).toEqual({ who: 'user-1' });
    expect(platform.requestsTo('/flags/')).toHaveLength(2);
  });

  it('rests for a minute when three calls in a row got no answer', async () => {
    const { client, platform } = startClient({ feature_flag_request_max_retries: 0 });
    platform.answer('/flags/', 'fail');
    for (let count = 0; count < 10; count++) {
      client.reloadFeatureFlags();
      await platform.advance(1000);
    }
    expect(platform.requestsTo('/flags/')).toHaveLength(3);
    await platform.advance(60_000);
    client.reloadFeatureFlags();
    await platform.advance(1000);
    expect(platform.requestsTo('/flags/')).toHaveLength(4);
    expect(platform.logged.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('is done again when the network is back, where it had failed, and not otherwise', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'fail', 'fail', { body: flagsAnswer({ a: true }) });
    await platform.advance(1000);
    expect(client.flags.snapshot('a').status).toBe('error');
    platform.setOnline(false);
    platform.setOnline(true);
    await platform.advance(1000);
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', enabled: true });
    const asked = platform.requestsTo('/flags/').length;
    platform.setOnline(true);
    await platform.advance(1000);
    expect(platform.requestsTo('/flags/')).toHaveLength(asked);
    platform.answer('/flags/', 'fail');
    client.reloadFeatureFlags();
    await platform.advance(1000);
    await client.shutdown();
    const made = platform.requests.length;
    platform.setOnline(true);
    await platform.advance(1000);
    expect(platform.requests).toHaveLength(made);
  });

  it('is left alone with disable_flags and while opted out', async () => {
    const off = startClient({ disable_flags: true });
    const out = startClient({ opt_out_by_default: true });
    for (const { client, platform } of [off, out]) {
      client.reloadFeatureFlags();
      await platform.advance(100);
      expect(platform.requests).toEqual([]);
      await client.whenFlagsReady();
    }
    out.client.optIn();
    await out.platform.advance(100);
    expect(out.platform.requests).toHaveLength(1);
  });

  it('goes to a host and path of its own when told to', async () => {
    const { platform } = startClient({ api_host: 'https://a', flags_api_host: 'https://b/', paths: { flags: '/x/' } });
    await platform.advance(100);
    expect(platform.requests[0]?.url).toBe('https://b/x/?v=2');
  });
});
