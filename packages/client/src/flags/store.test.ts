import { describe, expect, it } from 'vitest';
import { flagsAnswer, loadedFlags, reloadFlags, startClient } from '../testing/index.js';

describe('the cache', () => {
  it('the next visit uses it until the server has responded (FLG-23)', async () => {
    const first = await loadedFlags({ a: 'x' }, { a: [1] });
    await first.platform.advance(1000);
    const next = first.restart();
    expect(next.client.flags.snapshot('a')).toMatchObject({ value: 'x', payload: [1], status: 'stale', source: 'cache' });
    next.platform.answer('/flags/', { body: flagsAnswer({ a: 'x' }, { a: [1] }) });
    await next.platform.advance(50);
    expect(next.client.flags.snapshot('a')).toMatchObject({ value: 'x', status: 'ready', source: 'server' });
  });

  it('another person does not get it', async () => {
    const first = await loadedFlags({ a: true });
    await first.platform.advance(1000);
    const next = first.restart({ bootstrap: { distinctId: 'user-1', isIdentifiedId: true } });
    expect(next.client.getFeatureFlags()).toEqual({});
  });

  it('it expires after its time to live, and flags are loaded again', async () => {
    const started = await loadedFlags({ a: true }, {}, { feature_flag_cache_ttl_ms: 60_000 });
    started.platform.answer('/flags/', 'hang');
    await started.platform.advance(60_010);
    expect(started.client.flags.snapshot('a').status).toBe('stale');
    expect(started.requests()).toHaveLength(2);
  });
});

describe('the store', () => {
  it('it returns one object per key until the flag changes, and notifies only listeners of changed keys', async () => {
    const started = await loadedFlags({ a: true, b: 'x' }, { b: { deep: [1] } });
    const { flags } = started.client;
    const notified: string[] = [];
    const [a, b, none] = [flags.snapshot('a'), flags.snapshot('b'), flags.snapshot('none')];
    const active = flags.activeKeys();
    for (const key of ['a', 'b', 'none', null]) flags.subscribe(key, () => notified.push(`${key}`));
    await reloadFlags(started, { body: flagsAnswer({ a: true, b: 'x' }, { b: { deep: [1] } }) });
    expect(notified).toEqual([]);
    expect([flags.snapshot('a'), flags.snapshot('b'), flags.snapshot('none')].map((now, i) => now === [a, b, none][i])).toEqual([
      true,
      true,
      true,
    ]);
    expect(flags.activeKeys()).toBe(active);
    await reloadFlags(started, { body: flagsAnswer({ a: true, b: 'y' }, { b: { deep: [1] } }) });
    expect(notified).toEqual(['b', 'null']);
    expect(flags.snapshot('a')).toBe(a);
    expect(flags.snapshot('b')).toMatchObject({ value: 'y', enabled: true, variant: 'y', reason: 'Matched condition set 1' });
    notified.length = 0;
    await reloadFlags(started, { status: 500 });
    expect(flags.snapshot('b')).toMatchObject({ value: 'y', status: 'stale' });
    expect(notified).toEqual(['a', 'b', 'none', 'null']);
  });

  it('its status goes from loading to ready or error', async () => {
    const { client, platform } = startClient();
    expect(client.flags.snapshot('a').status).toBe('loading');
    platform.answer('/flags/', { status: 503 }, { body: flagsAnswer({}) });
    await platform.advance(50);
    expect(client.flags.snapshot('a').status).toBe('error');
    client.reloadFeatureFlags();
    await platform.advance(50);
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', source: undefined, value: undefined });
  });

  it('bootstrapped flags are in the server snapshot, now and later', async () => {
    const { client } = await loadedFlags({ a: false }, {}, { bootstrap: { featureFlags: { a: true } } });
    expect(client.flags.serverSnapshot('a')).toMatchObject({ value: true, status: 'ready', source: 'bootstrap' });
    expect(client.flags.serverSnapshot('a')).toBe(client.flags.serverSnapshot('a'));
    expect(client.flags.serverSnapshot('b').status).toBe('loading');
    expect(client.flags.serverActiveKeys()).toEqual(['a']);
    expect(client.flags.activeKeys()).toEqual([]);
  });

  it('a listener that throws does not stop the others, and a removed one is not called', async () => {
    const started = await loadedFlags({ a: true });
    const { flags } = started.client;
    flags.snapshot('a');
    const notified: number[] = [];
    flags.subscribe('a', () => {
      throw new Error('mine');
    });
    const stop = flags.subscribe('a', () => notified.push(1));
    flags.subscribe('a', () => notified.push(2));
    stop();
    await reloadFlags(started, { body: flagsAnswer({ a: false }) });
    expect(notified).toEqual([2]);
  });
});
