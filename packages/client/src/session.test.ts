import { describe, expect, it } from 'vitest';
import { createFakePlatform, startClient } from './testing/index.js';

const MINUTE = 60_000;

describe('sessions', () => {
  it('the idle time can be configured', async () => {
    const { client, platform } = startClient({ session_idle_timeout_seconds: 60 });
    const id = client.capture('a')?.properties.$session_id;
    await platform.advance(MINUTE - 1);
    expect(client.getSessionId()).toBe(id);
    expect(client.capture('b')?.properties.$session_id).toBe(id);
    // the last event counts, not the first
    await platform.advance(MINUTE - 1);
    expect(client.getSessionId()).toBe(id);
    await platform.advance(1);
    const next = client.getSessionId();
    expect(next).not.toBe(id);
    expect(client.getSessionId()).toBe(next);
  });

  it('a session continues after a reload and is shared by tabs', async () => {
    const one = startClient();
    const id = one.client.getSessionId();
    one.client.capture('a');
    await one.platform.advance(1000);
    const two = one.restart();
    expect(two.client.getSessionId()).toBe(id);
    await one.platform.advance(31 * MINUTE);
    const fresh = one.client.getSessionId();
    await two.platform.advance(31 * MINUTE);
    expect(two.client.getSessionId()).toBe(fresh);
  });

  it('a session ends if the clock is set back by more than the idle time, and continues otherwise', async () => {
    let behind = 0;
    const platform = createFakePlatform();
    const { now } = platform.clock;
    platform.clock.now = () => now() - behind;
    const { client } = startClient({ disable_flags: true }, { platform });
    const id = client.capture('a')?.properties.$session_id;
    behind = 10 * MINUTE;
    expect(client.capture('a')?.properties.$session_id).toBe(id);
    behind = 60 * 24 * MINUTE;
    const next = client.capture('a')?.properties.$session_id;
    expect(next).not.toBe(id);
    await platform.advance(29 * MINUTE);
    expect(client.capture('a')?.properties.$session_id).toBe(next);
    await platform.advance(31 * MINUTE);
    expect(client.getSessionId()).not.toBe(next);
  });
});
