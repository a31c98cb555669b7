import type { FakeAnswer } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import { PROJECT_KEY, type Start } from '../drivers/driver.js';
import { complaints, flagRequests } from '../drivers/seen.js';

export function remoteConfigContract(start: Start): void {
  const startWith = (answer: FakeAnswer) =>
    start({ disable_remote_config: false }, { world: (platform) => platform.answer('/array/', answer) });
  const restartWith = (first: Awaited<ReturnType<Start>>, answer: FakeAnswer) =>
    first.restart({}, { world: (platform) => platform.answer('/array/', answer) });

  describe('remote config', () => {
    test('RCF-1 RCF-3 it is requested once, and listeners are called', async () => {
      const heard: unknown[] = [];
      const { platform } = await start(
        { disable_remote_config: false },
        {
          world: (made) => made.answer('/array/', { body: { hasFeatureFlags: false, autocapture_opt_out: true } }),
          client: (client) => {
            client.on('config', (loaded) => heard.push(loaded));
            // which requests it as well, when none is cached
            client.optIn();
          },
        },
      );
      await platform.advance(1_000);
      expect(platform.requestsTo(`/array/${PROJECT_KEY}/config`)).toMatchObject([{ method: 'GET' }]);
      expect(heard).toEqual([{ hasFeatureFlags: false, autocapture_opt_out: true }]);
    });

    test('RCF-1 if it says that there are flags, flags are requested', async () => {
      const { platform } = await startWith({ body: { hasFeatureFlags: true } });
      await platform.advance(1_000);
      expect(flagRequests(platform)).toBe(1);
      // also when the last visit cached that there are none
      const first = await startWith({ body: { hasFeatureFlags: false } });
      await first.platform.advance(1_000);
      const next = await restartWith(first, { body: { hasFeatureFlags: true } });
      await next.platform.advance(1_000);
      expect(flagRequests(next.platform)).toBe(1);
    });

    test('RCF-2 RCF-3 the stored one is in force at the next start, also after a 503', async () => {
      const first = await startWith({ body: { hasFeatureFlags: false } });
      await first.platform.advance(1_000);
      let last = first;
      // twice: a failure must not be cached
      for (let starts = 0; starts < 2; starts++) {
        last = await restartWith(last, { status: 503 });
        await last.platform.advance(1_000);
        expect(flagRequests(last.platform)).toBe(0);
        expect(complaints(last.platform)).toEqual([]);
      }
    });

    test.each<FakeAnswer>([{ status: 503 }, 'fail', { body: 'not json' }, { body: { hasFeatureFlags: 'odd' } }])(
      'RCF-2 RCF-3 it may fail or be malformed: %j',
      async (answer) => {
        const { client, platform } = await startWith(answer);
        await platform.advance(1_000);
        expect(client.capture('a')).toBeDefined();
        expect(complaints(platform)).toEqual([]);
      },
    );
  });
}
