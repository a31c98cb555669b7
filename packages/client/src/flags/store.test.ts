import { describe, expect, it } from 'vitest';
import { flagsAnswer, loadedFlags, reloadFlags, startClient } from '../testing/index.js';

describe('the cache', () => {
  it('serves the next visit until the server has answered (FLG-23)', async () => {
    const first = await loadedFlags({ a: 'x' }, { a: [1] });
    await first.platform.advance(1000);
    const next = first.restart();
    expect(next.client.flags.snapshot('a')).toMatchObject({ value: 'x', payload: [1], status: 'stale', source: 'cache' });
    next.platform.answer('/flags/', { body: flagsAnswer({ a: 'x' }, { a: [1] }) });
    await next.platform.advance(50);
    expect(next.client.flags.snapshot('a')).toMatchObject({ value: 'x', status: 'ready', source: 'server' });
  });

  it('is not served to another person', async () => {
    const first = await loadedFlags({ a: true });
    await first.platform.advance(1000);
    const next = first.restart({ bootstrap: { distinctId: 'user-1', isIdentifiedId: true } });
    expect(next.client.getFeatureFlags()).toEqual({});
  });

  it('grows stale when it may only live so long, and is asked for again', async () => {
    const started = await loadedFlags({ a: true }, {}, { feature_flag_cache_ttl_ms: 60_000 });
    started.platform.answer('/flags/', 'hang');
    await started.platform.advance(60_010);
    expect(started.client.flags.snapshot('a').status).toBe('stale');
    expect(started.requests()).toHaveLength(2);
  });
});

describe('the store', () => {
  it('returns one object per key until it changes, and notifies only listeners of changed keys', async () => {
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

  it('goes from loading to ready, or to error', async () => {
    const { client, platform } = startClient();
    expect(client.flags.snapshot('a').status).toBe('loading');
    platform.answer('/flags/', { status: 503 }, { body: flagsAnswer({}) });
    await platform.advance(50);
    expect(client.flags.snapshot('a').status).toBe('error');
    client.reloadFeatureFlags();
    await platform.advance(50);
    expect(client.flags.snapshot('a')).toMatchObject({ status: 'ready', source: undefined, value: undefined });
  });

  it('shows the server what bootstrap says, now and later', async () => {
    const { client } = await loadedFlags({ a: false }, {}, { bootstrap: { featureFlags: { a: true } } });
    expect(client.flags.serverSnapshot('a')).toMatchObject({ value: true, status: 'ready', source: 'bootstrap' });
    expect(client.flags.serverSnapshot('a')).toBe(client.flags.serverSnapshot('a'));
    expect(client.flags.serverSnapshot('b').status).toBe('loading');
    expect(client.flags.serverActiveKeys()).toEqual(['a']);
    expect(client.flags.activeKeys()).toEqual([]);
  });

  it('goes on telling after a listener threw, and stops for one that left', async () => {
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
