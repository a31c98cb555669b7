import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startClient } from './testing/index.js';

describe('no method throws', () => {
  const names = Object.entries(startClient().client)
    .filter(([name, method]) => typeof method === 'function' && name !== 'shutdown')
    .map(([name]) => name);

  it.each(names)('%s does not throw, for any arguments', async (name) => {
    const { client, platform, restart } = startClient();
    const method: unknown = Reflect.get(client, name);
    if (typeof method !== 'function') throw new Error('not a method');
    const circular: Record<string, unknown> = { big: 1n };
    circular.self = circular;
    const broken = {
      toJSON() {
        throw new Error('no');
      },
    };
    for (const odd of [circular, { broken }, null, undefined, Symbol('odd'), 1n]) {
      Reflect.apply(method, client, ['name', odd, odd]);
      Reflect.apply(method, client, [odd, odd, odd]);
    }
    fc.assert(
      fc.property(fc.array(fc.anything(), { maxLength: 3 }), (given) => void Reflect.apply(method, client, given)),
      { numRuns: 50 },
    );
    client.optIn();
    await platform.advance(10_000);
    const event = client.capture('after', { n: 1 });
    expect(event).toMatchObject({
      event: 'after',
      distinct_id: client.getDistinctId(),
      properties: { n: 1, $session_id: client.getSessionId(), $device_id: client.getDeviceId() },
    });
    for (const id of [client.getDistinctId(), client.getSessionId(), client.getDeviceId()]) expect(id).toMatch(/^\S/);
    await client.flush();
    expect(JSON.stringify(platform.requestsTo('/batch/'))).toContain('"after"');
    expect(restart().client.getDistinctId()).toBe(client.getDistinctId());
    expect(client.flags.snapshot('unheard of')).toMatchObject({ key: 'unheard of', value: undefined, status: 'error' });
  });

  it('no method throws or rejects if the platform fails', async () => {
    const { client, platform } = startClient();
    client.capture('before');
    platform.clock.now = platform.ids.uuid7 = () => {
      throw new TypeError('Date.now is not a function');
    };
    client.capture('after');
    const promises = [client.flush(), client.shutdown(0)];
    await platform.advance(1);
    expect(await Promise.all(promises)).toEqual([undefined, undefined]);
    expect(platform.logged).toContainEqual({ level: 'error', text: expect.stringContaining('capture failed:') });
  });
});
