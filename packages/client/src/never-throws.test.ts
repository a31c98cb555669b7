import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startClient } from './testing/index.js';

describe('no method throws', () => {
  const names = Object.entries(startClient().client)
    .filter(([name, method]) => typeof method === 'function' && name !== 'shutdown')
    .map(([name]) => name);

  it.each(names)('%s, whatever it is given', async (name) => {
    const { client, platform } = startClient();
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
    expect(typeof client.getDistinctId()).toBe('string');
    expect(client.flags.snapshot('name').key).toBe('name');
  });
});
