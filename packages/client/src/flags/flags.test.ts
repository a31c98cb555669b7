import { describe, expect, it } from 'vitest';
import { createBootstrapStore } from '../index.js';
import { flagsAnswer, loadedFlags, startClient } from '../testing/index.js';

describe('$feature_flag_called', () => {
  it('a missing flag is reported as missing, but not before flags have loaded', async () => {
    const early = startClient();
    early.client.getFeatureFlag('none');
    expect(early.queued).toEqual([]);
    const { client, queued } = await loadedFlags({ a: true });
    client.getFeatureFlag('none');
    expect(queued[0]?.properties).toMatchObject({ $feature_flag: 'none', $feature_flag_error: 'flag_missing' });
  });

  it('it is short only if the server allows it and the flag has no experiment (FLC-6, FLC-7)', async () => {
    const answer = flagsAnswer({ a: true, b: true, c: true }, {}, { minimalFlagCalledEvents: true });
    const withExperiment = JSON.parse(JSON.stringify(answer));
    withExperiment.flags.a.metadata.has_experiment = false;
    withExperiment.flags.b.metadata.has_experiment = true;
    const { client, platform, queuedAs } = startClient();
    platform.context = () => ({ $current_url: 'https://x', $os: 'Linux', $referrer: 'r', $referring_domain: 'd' });
    platform.answer('/flags/', { body: withExperiment });
    await platform.advance(50);
    client.register({ plan: 'pro', utm_source: 'mail', gclid: 'g' });
    client.group('company', 'c');
    await platform.advance(50);
    for (const key of ['a', 'b', 'c']) client.getFeatureFlag(key);
    const [short, full, unknown] = queuedAs('$feature_flag_called').map(({ properties }) => Object.keys(properties).sort());
    expect(short).toEqual(
      [
        '$feature_flag',
        '$feature_flag_evaluated_at',
        '$feature_flag_has_experiment',
        '$feature_flag_id',
        '$feature_flag_reason',
        '$feature_flag_request_id',
        '$feature_flag_response',
        '$feature_flag_version',
        '$groups',
        '$lib',
        '$lib_version',
        '$os',
        '$process_person_profile',
        '$referring_domain',
        '$session_id',
        'gclid',
        'utm_source',
      ].sort(),
    );
    for (const names of [full, unknown]) expect(names).toEqual(expect.arrayContaining(['plan', '$current_url', '$feature/a']));
    expect(client.capture('other')?.properties).toHaveProperty('plan', 'pro');
  });
});

describe('bootstrap', () => {
  it.each(['null', '{"featureFlags":null,"featureFlagPayloads":null}'])('it may be %s, as servers write it', (json) => {
    const { client } = startClient({ bootstrap: JSON.parse(json) });
    expect(client.flags.snapshot('a')).toMatchObject({ value: undefined, status: 'loading' });
    expect(createBootstrapStore(JSON.parse(json)).serverActiveKeys()).toEqual([]);
  });

  it('it may have values without payloads', () => {
    const { client } = startClient({ bootstrap: JSON.parse('{"featureFlags":{"a":"x"},"featureFlagPayloads":null}') });
    expect(client.getFeatureFlagResult('a')).toEqual({ key: 'a', enabled: true, variant: 'x', payload: null });
  });
});

describe('override', () => {
  it('overrides win until they are cleared, and are not reported', async () => {
    const { client, queued } = await loadedFlags({ a: false, b: true }, { b: 1 });
    client.featureFlags.override({ a: 'variant', extra: true }, { a: { p: 1 } });
    expect(client.getFeatureFlag('a')).toBe('variant');
    expect(client.getFeatureFlagPayload('a')).toEqual({ p: 1 });
    expect(client.getFeatureFlags()).toEqual({ a: 'variant', b: true, extra: true });
    expect(client.flags.snapshot('a')).toMatchObject({ source: 'override', status: 'ready' });
    client.featureFlags.override(['a']);
    expect(client.getFeatureFlags()).toEqual({ a: true, b: true });
    client.featureFlags.override(false);
    expect(client.getFeatureFlags()).toEqual({ a: false, b: true });
    expect(queued).toEqual([]);
  });
});
