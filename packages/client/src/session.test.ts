import { describe, expect, it } from 'vitest';
import { startClient } from './testing/index.js';

const MINUTE = 60_000;

describe('sessions', () => {
  it('have an idle time that can be set', async () => {
    const { client, platform } = startClient({ session_idle_timeout_seconds: 60 });
    const id = client.getSessionId();
    await platform.advance(MINUTE);
    expect(client.getSessionId()).not.toBe(id);
  });

  it('go on after a reload and are shared by tabs', async () => {
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
});
