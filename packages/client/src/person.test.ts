import { describe, expect, it } from 'vitest';
import { startClient } from './testing/index.js';

describe('the ids of a person', () => {
  it('the application can provide the device id, and an error of its function is ignored', () => {
    expect(startClient({ get_device_id: (generated) => `dev-${generated}` }).client.getDeviceId()).toMatch(/^dev-/);
    const broken = startClient({
      get_device_id: () => {
        throw new Error('no');
      },
    });
    expect(broken.client.getDeviceId()).not.toBe('');
  });
});

describe('identify', () => {
  it('a number becomes text, with a warning', () => {
    const { client, platform } = startClient();
    Reflect.apply(client.identify, client, [12345]);
    expect(client.getDistinctId()).toBe('12345');
    expect(platform.warnings()).toHaveLength(1);
  });

  it('identify with another id is ignored, or resets first if the options say so', () => {
    const ignoring = startClient();
    const resetting = startClient({ reset_on_identify: true });
    for (const { client } of [ignoring, resetting]) {
      client.identify('user-1', { plan: 'pro' });
      client.register({ cart: 3 });
      client.identify('user-1');
      client.identify('user-2');
    }
    expect(ignoring.client.getDistinctId()).toBe('user-1');
    expect(ignoring.platform.warnings()).toHaveLength(1);
    const { client, queuedAs, platform } = resetting;
    const [first, second] = queuedAs('$identify');
    expect(client.getDistinctId()).toBe('user-2');
    expect(second).toMatchObject({ distinct_id: 'user-2', properties: { $anon_distinct_id: client.getAnonymousId() } });
    expect(second?.properties.$anon_distinct_id).not.toBe(first?.properties.$anon_distinct_id);
    expect(client.capture('a')?.properties).not.toHaveProperty('cart');
    expect(platform.warnings()).toEqual([]);
  });

  const circular: Record<string, unknown> = { plan: 'pro', big: 1n };
  circular.self = circular;

  it.each([
    ['null', null, null],
    ['circular', circular, {}],
  ])('the server gets properties that are %s, and flags are loaded', async (_, set, setOnce) => {
    const { client, platform, queuedAs, restart } = startClient();
    const anonymous = client.getAnonymousId();
    Reflect.apply(client.identify, client, ['user-1', set, setOnce]);
    Reflect.apply(client.identify, client, ['user-1', set, setOnce]);
    Reflect.apply(client.setPersonProperties, client, [set, setOnce]);
    expect(queuedAs('$identify')).toMatchObject([{ distinct_id: 'user-1', properties: { $anon_distinct_id: anonymous } }]);
    expect(queuedAs('$set')).toEqual([]);
    await platform.advance(5_000);
    const requested = { distinct_id: 'user-1', person_properties: set ? { plan: 'pro', big: '1' } : {} };
    expect(platform.requestsTo('/flags/').at(-1)?.body).toMatchObject(requested);
    await restart().platform.advance(50);
    expect(platform.warnings().filter((text) => text.includes('Storage'))).toEqual([]);
  });
});

describe('person properties', () => {
  it('they are removed by name', () => {
    const { client, queued } = startClient();
    client.unsetPersonProperties(['email']);
    expect(queued).toMatchObject([{ event: '$set', properties: { $unset: ['email'] } }]);
  });

  it("person_profiles 'always' gives every visitor a profile", () => {
    expect(startClient({ person_profiles: 'always' }).client.capture('a')?.properties.$process_person_profile).toBe(true);
  });
});
