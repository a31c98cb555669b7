import type { ClientOptions } from '@tidemark/client';
import { flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test, vi } from 'vitest';
import type { Start, Started } from '../drivers/driver.js';
import { reloadFlags } from '../drivers/seen.js';

const MINUTE = 60_000;

export function recordingContract(start: Start): void {
  /** A client that has applied the recording settings of its remote config. */
  async function startWith(
    sessionRecording: unknown,
    options: ClientOptions = {},
    values: Record<string, boolean | string> = {},
  ) {
    const started = await start(
      { disable_remote_config: false, ...options },
      {
        world: (platform) => {
          platform.answer('/array/', { body: { hasFeatureFlags: true, sessionRecording } });
          platform.answer('/flags/', { body: flagsAnswer(values) });
        },
      },
    );
    await settled(started);
    return started;
  }
  /** Browsers load the recorder when the page is idle. */
  async function settled({ platform }: Started): Promise<void> {
    for (let turn = 0; turn < 3; turn++) {
      await platform.advance(1_000);
      await vi.dynamicImportSettled();
    }
  }
  const active = ({ client }: Started) => client.isSessionReplayActive();
  const complaints = ({ platform }: Started, of: RegExp) => platform.warnings().filter((sentence) => of.test(sentence));

  describe('session recording', () => {
    test('RPL-1 RPL-2 RPL-3 it is active from start to stop, and both can be called twice', async () => {
      const started = await startWith({});
      const { client } = started;
      expect(active(started)).toBe(true);
      client.stopSessionRecording();
      client.stopSessionRecording();
      expect(active(started)).toBe(false);
      client.startSessionRecording();
      client.startSessionRecording();
      expect(active(started)).toBe(true);
    });

    test('RPL-1 RPL-2 it is not active before a start, nor after an opt-out until an opt-in', async () => {
      const started = await startWith({}, { opt_out_by_default: true });
      const { client } = started;
      client.startSessionRecording();
      expect(active(started)).toBe(false);
      client.optIn();
      await settled(started);
      expect(active(started)).toBe(true);
      client.optOut();
      client.startSessionRecording();
      expect(active(started)).toBe(false);
    });

    test.each([
      ['off', false, undefined, false],
      ['off', false, true, false],
      ['missing', undefined, undefined, false],
      ['malformed', 'yes', undefined, false],
      ['on', {}, false, false],
      ['on', {}, true, true],
      ['on', {}, undefined, true],
    ])('RPL-4 the project has %s (%j), the options %s: %s', async (_word, remote, session_recording, recorded) => {
      const started = await startWith(remote, session_recording === undefined ? {} : { session_recording });
      started.client.startSessionRecording();
      await settled(started);
      expect(active(started)).toBe(recorded);
    });

    test.each([
      ['f', { f: true }, true],
      ['f', { f: false }, false],
      ['f', {}, false],
      ['f', { f: 'any' }, true],
      [{ flag: 'f', variant: 'test' }, { f: 'test' }, true],
      [{ flag: 'f', variant: 'test' }, { f: 'control' }, false],
    ])('RPL-5 linked flag %j with %j: %s', async (linkedFlag, values, recorded) => {
      const started = await startWith({ linkedFlag }, {}, values);
      expect(active(started)).toBe(recorded);
      expect(started.queuedAs('$feature_flag_called').length).toBeGreaterThan(0);
    });

    test('RPL-5 it follows the flag, and stops when the project switches recording off', async () => {
      const started = await startWith({ linkedFlag: 'f' });
      expect(active(started)).toBe(false);
      await reloadFlags(started, { body: flagsAnswer({ f: true }) });
      expect(active(started)).toBe(true);
      await reloadFlags(started, { body: flagsAnswer({ f: false }) });
      expect(active(started)).toBe(false);
    });

    test('RPL-6 whole sessions are recorded by the sample rate of the project', async () => {
      for (const [sampleRate, all] of [
        ['1.00', true],
        ['0.0', false],
      ] as const) {
        const visit = await startWith({ sampleRate });
        for (let session = 0; session < 20; session++) {
          expect(active(visit)).toBe(all);
          visit.client.resetSessionId();
        }
      }
      const started = await startWith({ sampleRate: '0.5' });
      const { client } = started;
      const seen = new Map<string, boolean>();
      for (let session = 0; session < 40; session++) {
        client.resetSessionId();
        const recorded = active(started);
        seen.set(client.getSessionId(), recorded);
        client.stopSessionRecording();
        client.startSessionRecording();
        client.capture('a');
        expect(active(started)).toBe(recorded);
      }
      expect(seen.size).toBe(40);
      expect(new Set(seen.values())).toEqual(new Set([true, false]));
    });

    test('RPL-6 a new sample rate at the next start decides again', async () => {
      const first = await startWith({ sampleRate: '0' });
      await first.platform.advance(MINUTE);
      const world = (platform: Started['platform']) =>
        platform.answer('/array/', { body: { hasFeatureFlags: true, sessionRecording: { sampleRate: '1' } } });
      const next = await first.restart({}, { world });
      await settled(next);
      expect(next.client.getSessionId()).toBe(first.client.getSessionId());
      expect(active(next)).toBe(true);
    });

    test('RPL-7 RPL-8 a trigger event starts it for its session, unless a hook drops the event', async () => {
      let dropped = true;
      const before_send: ClientOptions['before_send'] = (event) => (event.event === 'Bought' && dropped ? null : event);
      const started = await startWith({ eventTriggers: ['Bought'] }, { before_send });
      const { client } = started;
      client.capture('Looked');
      client.capture('Bought');
      expect(active(started)).toBe(false);
      dropped = false;
      client.capture('Bought');
      expect(active(started)).toBe(true);
      client.capture('Looked');
      expect(active(started)).toBe(true);

      await started.platform.advance(1_000);
      const answered = (platform: Started['platform']) =>
        platform.answer('/array/', { body: { sessionRecording: { eventTriggers: ['Bought'] } } });
      const again = await started.restart({}, { world: answered });
      await settled(again);
      expect(active(again)).toBe(true);
      again.client.resetSessionId();
      expect(active(again)).toBe(false);
      again.client.capture('Bought');
      expect(active(again)).toBe(true);
    });

    test('RPL-7 a trigger event before the remote config has loaded counts', async () => {
      const started = await start(
        { disable_remote_config: false },
        {
          world: (platform) => platform.answer('/array/', { body: { sessionRecording: { eventTriggers: ['Opened'] } } }),
          client: (client) => void client.capture('Opened'),
        },
      );
      await settled(started);
      expect(active(started)).toBe(true);
    });

    test.each([
      [{ sampleRate: '0.0' }, {}, false],
      [{ sampleRate: '1.0' }, {}, true],
      [{ sampleRate: '1.0', linkedFlag: 'f' }, { f: false }, false],
      [{ sampleRate: '1.0', linkedFlag: 'f', triggerMatchType: 'all' }, { f: true }, true],
    ])('RPL-12 all conditions must hold: %j, flags %j, with the trigger event: %s', async (remote, values, recorded) => {
      const started = await startWith({ ...remote, eventTriggers: ['Bought'] }, {}, values);
      expect(active(started)).toBe(false);
      started.client.capture('Bought');
      expect(active(started)).toBe(recorded);
    });

    test.each([{ sampleRate: '1.5' }, { sampleRate: -1 }, { sampleRate: 'half' }, { minimumDurationMilliseconds: -5 }])(
      'RPL-15 %j counts as not set, with a warning',
      async (remote) => {
        const started = await startWith(remote);
        expect(active(started)).toBe(true);
        expect(complaints(started, /sample rate|minimum duration/)).toHaveLength(1);
      },
    );

    test('RPL-15 unset controls have no effect, and neither has the minimum duration', async () => {
      const unset = { sampleRate: null, linkedFlag: null, eventTriggers: [], urlTriggers: [] };
      expect(active(await startWith({ ...unset, minimumDurationMilliseconds: 5000 }))).toBe(true);
    });
  });
}
