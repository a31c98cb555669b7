import { describe, expect, it, vi } from 'vitest';
import { createFakePlatform, flagsAnswer, startClient } from '../testing/index.js';

describe('requests for flags', () => {
  it('each attempt has its timeout, 3000 ms by default, and flags are ready after the first (HTP-7)', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'hang', 'hang');
    const started = platform.clock.now();
    const ready = client.whenFlagsReady().then(() => platform.clock.now() - started);
    const heard: unknown[] = [];
    client.onFeatureFlags((_active, _values, { error }) => heard.push([platform.clock.now() - started, error]));
    await platform.advance(3000);
    expect(client.flags.snapshot('a').status).toBe('loading');
    await platform.advance(17_000);
    const requests = platform.requestsTo('/flags/').map(({ at }) => at - started);
    expect(requests).toEqual([5, 3305]);
    expect(await ready).toBe(3005);
    expect(heard[0]).toEqual([3005, true]);
    expect(client.flags.snapshot('a').status).toBe('error');
  });

  it('the response to a second attempt, made after a timeout, is used', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'hang', { body: flagsAnswer({ a: true }) });
    await platform.advance(3010);
    expect(client.flags.snapshot('a').status).toBe('error');
    await platform.advance(1000);
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', enabled: true });
  });

  it.each([1000, 3100, 5000])('flags of another person settle in time, also %d ms after a request that hangs', async (after) => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'hang');
    await platform.advance(after);
    client.reset();
    let waited = Number.POSITIVE_INFINITY;
    const before = platform.clock.now();
    void client.whenFlagsReady().then(() => (waited = platform.clock.now() - before));
    await platform.advance(20_000);
    expect(waited).toBeLessThanOrEqual(3000);
    expect(client.flags.status()).toBe('error');
  });

  it('the response for another person is used, though the request of an earlier one took its whole time', async () => {
    const { client, platform } = startClient({ feature_flag_request_max_retries: 0 });
    platform.answer('/flags/', 'hang', { body: flagsAnswer({ a: true }) });
    await platform.advance(2000);
    client.reset();
    await platform.advance(20_000);
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', enabled: true });
    expect(client.flags.status()).toBe('ready');
  });

  it('flags are ready after an opt-out that makes a new person, without a request', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', { body: flagsAnswer({ a: true }) });
    await platform.advance(50);
    client.optOut({ clear: true });
    const ready = vi.fn();
    void client.whenFlagsReady().then(ready);
    await platform.advance(50);
    expect(ready).toHaveBeenCalled();
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', value: undefined });
    expect(platform.requestsTo('/flags/')).toHaveLength(1);
  });

  it('flags are ready after an opt-out with clear during a request', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', async () => {
      client.optOut({ clear: true });
      return { body: flagsAnswer({ a: true }) };
    });
    const errors: boolean[] = [];
    client.onFeatureFlags((_active, _values, { error }) => errors.push(error));
    await platform.advance(10_000);
    expect(client.flags.status()).toBe('ready');
    expect(errors).not.toContain(true);
  });

  it('flags are those of the new person after an opt-out with cookieless_mode on_reject', async () => {
    const { client, platform } = startClient({ cookieless_mode: 'on_reject' });
    platform.answer('/flags/', { body: flagsAnswer({ a: true }) }, { body: flagsAnswer({ b: true }) });
    await platform.advance(50);
    client.optOut();
    await platform.advance(50);
    expect(client.flags.snapshot('b')).toMatchObject({ status: 'ready', enabled: true });
    expect(client.getFeatureFlags()).toEqual({ b: true });
    expect(platform.requestsTo('/flags/')[1]?.body).toMatchObject({ distinct_id: client.getDistinctId() });
  });

  it('a promise that is made after the shutdown resolves', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'hang');
    const over = client.shutdown();
    await platform.advance(40_000);
    await over;
    const ready = vi.fn();
    void client.whenFlagsReady().then(ready);
    await platform.settle();
    expect(ready).toHaveBeenCalled();
  });

  it.each([
    ['opt_out_by_default is set', { opt_out_by_default: true }, undefined],
    ['automated browser', {}, 'automated browser'],
  ])('a page that only reads flags gets the reason once at debug why none are requested: %s', async (why, options, refusal) => {
    const platform = createFakePlatform();
    if (refusal) platform.refusal = () => refusal;
    const { client } = startClient({ debug: true, ...options }, { platform });
    await platform.advance(50);
    client.getFeatureFlag('a');
    client.reloadFeatureFlags();
    await platform.advance(50);
    const lines = platform.logged.filter(({ text }) => text.includes('no flags are requested'));
    expect(lines).toMatchObject([{ text: expect.stringContaining(why) }]);
    expect(platform.requestsTo('/flags/')).toHaveLength(0);
  });

  it.each([
    ['the person opted out', { opt_out_by_default: true }, undefined],
    ['the browser is automated', {}, 'automated browser'],
    ['flags are disabled', { disable_flags: true }, undefined],
  ])('flags are ready at once, without a request, if %s', async (_why, options, refusal) => {
    const platform = createFakePlatform();
    if (refusal) platform.refusal = () => refusal;
    const { client } = startClient(options, { platform });
    const heard: unknown[] = [];
    client.onFeatureFlags((active, values, context) => heard.push([active, values, context]));
    client.flags.snapshot('a');
    const renders: string[] = [];
    client.flags.subscribe('a', () => renders.push(client.flags.snapshot('a').status));
    await platform.advance(50);
    await client.whenFlagsReady();
    expect(heard).toEqual([[[], {}, { error: false }]]);
    expect([client.flags.status(), client.flags.snapshot('a').status]).toEqual(['ready', 'ready']);
    if (!('disable_flags' in options)) expect(renders).toEqual(['ready']);
    expect(platform.requests).toEqual([]);
  });

  it('flags are ready at once if the last visit found that the project has none', async () => {
    const visit = createFakePlatform();
    visit.answer('/array/', { body: { hasFeatureFlags: false } });
    const first = startClient({ disable_remote_config: false }, { platform: visit });
    await first.platform.advance(1000);
    const { client, platform } = first.restart();
    expect(client.flags.status()).toBe('ready');
    await client.whenFlagsReady();
    await platform.advance(1000);
    expect(platform.requestsTo('/flags/')).toEqual([]);
  });

  it('flags wait for the server after an opt-in', async () => {
    const { client, platform } = startClient({ opt_out_by_default: true });
    platform.answer('/flags/', { body: flagsAnswer({ a: true }) });
    await platform.advance(50);
    client.optIn();
    const ready = client.whenFlagsReady().then(() => client.isFeatureEnabled('a'));
    await platform.advance(50);
    expect(await ready).toBe(true);
  });

  it('calls that begin during a pause resolve', async () => {
    const { client, platform } = startClient({ feature_flag_request_max_retries: 0 });
    platform.answer('/flags/', 'fail');
    for (let count = 0; count < 3; count++) {
      client.reloadFeatureFlags();
      await platform.advance(1000);
    }
    client.reset();
    await platform.advance(50);
    await client.whenFlagsReady();
    expect(client.flags.snapshot('a').status).toBe('error');
  });

  it('a response for an earlier person is ignored', async () => {
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

  it('after three failed calls in a row there is a pause of a minute', async () => {
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

  it('a failed request is repeated when the network is back, and no other', async () => {
    const { client, platform } = startClient();
    platform.answer('/flags/', 'fail', 'fail', { body: flagsAnswer({ a: true }) });
    await platform.advance(1000);
    expect(client.flags.snapshot('a').status).toBe('error');
    platform.setOnline(false);
    platform.setOnline(true);
    await platform.advance(1000);
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', enabled: true });
    const before = platform.requestsTo('/flags/').length;
    platform.setOnline(true);
    await platform.advance(1000);
    expect(platform.requestsTo('/flags/')).toHaveLength(before);
    platform.answer('/flags/', 'fail');
    client.reloadFeatureFlags();
    await platform.advance(1000);
    await client.shutdown();
    const count = platform.requests.length;
    platform.setOnline(true);
    await platform.advance(1000);
    expect(platform.requests).toHaveLength(count);
  });

  it('disable_flags and an opt-out prevent requests', async () => {
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

  it('requests go to the configured flags host and path', async () => {
    const { platform } = startClient({ api_host: 'https://a', flags_api_host: 'https://b/', paths: { flags: '/x/' } });
    await platform.advance(100);
    expect(platform.requests[0]?.url).toBe('https://b/x/?v=2');
  });
});
