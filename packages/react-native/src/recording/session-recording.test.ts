import { createFakePlatform } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import type { ReactNativeOptions } from '../options.js';
import type { RecorderPort } from '../ports.js';
import { createRecorder, type FakeRecorder } from '../testing/recorder.js';
import { createPhone, type StartedApp, startApp } from '../testing/start-app.js';

const MINUTE = 60_000;

interface Recorded extends StartedApp {
  native: FakeRecorder;
  phone: ReturnType<typeof createPhone>;
}

/** An app with a recorder, whose project says this of recordings. */
async function record(
  sessionRecording: unknown = {},
  options: Partial<ReactNativeOptions> = {},
  phone = createPhone(),
  seed = 0,
): Promise<Recorded> {
  const native = createRecorder();
  const platform = createFakePlatform({ seed });
  platform.answer('/array/', { body: { hasFeatureFlags: false, sessionRecording } });
  const app = startApp({ recorder: native.recorder, ...options }, phone, platform);
  await app.client.ready();
  await platform.settle();
  return { ...app, native, phone };
}
const stops = ({ native }: Recorded) => native.calls.flatMap((note) => ('stop' in note ? [note.stop] : []));

describe('calls of the recorder', () => {
  test('RPL-2 RPL-14 start has the session of the events, the ids and the host, and is called once', async () => {
    const { client, native, platform, flushed } = await record({}, { request_headers: { 'x-proxy': '1' } });
    client.startSessionRecording();
    client.startSessionRecording();
    await platform.settle();
    expect(native.started()).toEqual([
      {
        sessionId: client.getSessionId(),
        distinctId: client.getDistinctId(),
        anonymousId: client.getAnonymousId(),
        apiKey: client.apiKey,
        host: 'http://tidemark',
        path: '/s/',
        requestHeaders: { 'x-proxy': '1' },
        minimumDurationMs: 0,
        maskAllInputs: true,
        maskAllImages: true,
        recordConsole: false,
      },
    ]);
    client.capture('a');
    expect((await flushed())[0]?.properties['$session_id']).toBe(native.started()[0]?.sessionId);
  });

  test('RPL-3 stop is called once, and nothing after it', async () => {
    const app = await record();
    app.client.stopSessionRecording();
    app.client.stopSessionRecording();
    app.client.capture('a');
    app.client.resetSessionId();
    await app.platform.advance(MINUTE);
    expect(stops(app)).toEqual([{ discard: false }]);
    expect(app.native.started()).toHaveLength(1);
  });

  test.each([undefined, { clear: true }])('RPL-2 opting out (%j) discards unsent data', async (how) => {
    const app = await record();
    app.client.optOut(how);
    await app.platform.settle();
    expect(stops(app)).toEqual([{ discard: true }]);
    app.client.startSessionRecording();
    await app.platform.settle();
    expect(app.native.started()).toHaveLength(1);
    app.client.optIn();
    await app.platform.settle();
    expect(app.native.started()).toHaveLength(2);
  });

  test('an opt-out after the end of a recording discards its unsent data too', async () => {
    const app = await record();
    app.client.stopSessionRecording();
    app.client.optOut();
    app.client.optOut();
    await app.platform.settle();
    expect(stops(app)).toEqual([{ discard: false }, { discard: true }]);
    const none = await record(false);
    none.client.optOut();
    await none.platform.advance(MINUTE);
    expect(none.native.calls).toEqual([]);
  });

  test('RPL-14 a new session and a new person, in order', async () => {
    const { client, native, platform } = await record();
    const first = client.getSessionId();
    const anonymous = client.getAnonymousId();
    client.identify('user-123');
    client.setPersonProperties({ plan: 'pro' });
    client.resetSessionId();
    const second = client.getSessionId();
    client.reset();
    await platform.settle();
    expect(native.started().map(({ sessionId, distinctId }) => [sessionId, distinctId])).toEqual([
      [first, anonymous],
      [first, 'user-123'],
      [second, 'user-123'],
      [client.getSessionId(), client.getDistinctId()],
    ]);
  });

  test('RPL-14 only sessions of the sample start it, decided by their ids', async () => {
    const { client, native, platform } = await record({ sampleRate: '0.5' });
    const recorded: string[] = client.isSessionReplayActive() ? [client.getSessionId()] : [];
    for (let session = 0; session < 30; session++) {
      client.resetSessionId();
      if (client.isSessionReplayActive()) recorded.push(client.getSessionId());
      await platform.settle();
    }
    expect(native.started().map(({ sessionId }) => sessionId)).toEqual(recorded);
    expect(recorded.length).toBeGreaterThan(0);
    expect(recorded.length).toBeLessThan(31);
  });

  test('RPL-14 it gets the names of captured events, that of the trigger right after its start', async () => {
    const { client, native, platform } = await record(
      { eventTriggers: ['Bought'] },
      { before_send: (event) => (event.event === 'Dropped' ? null : event) },
    );
    for (const event of ['Looked', 'Dropped', 'Bought', 'Left']) client.capture(event);
    await platform.settle();
    const order = native.calls.map((note) => ('event' in note ? note.event : Object.keys(note)[0]));
    expect(order).toEqual(['Looked', 'start', 'Bought', 'Left']);
  });

  test('RPL-11 it gets the minimum duration, also if the remote config arrives later', async () => {
    const phone = createPhone();
    const first = await record({ minimumDurationMilliseconds: 5000 }, {}, phone);
    expect(first.native.started().map(({ minimumDurationMs }) => minimumDurationMs)).toEqual([5000]);
    await first.platform.advance(1000);
    const next = await record({ minimumDurationMilliseconds: 9000 }, {}, phone, 1);
    expect(next.native.started().map(({ minimumDurationMs }) => minimumDurationMs)).toEqual([5000, 9000]);
    expect(new Set(next.native.started().map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  test.each([
    [{}, {}, [true, true, false]],
    [{ masking: { maskAllInputs: false }, consoleLogRecordingEnabled: true }, {}, [false, true, true]],
    [
      { masking: { maskAllInputs: false }, consoleLogRecordingEnabled: true },
      { maskAllInputs: true, recordConsole: false },
      [true, true, false],
    ],
    [{ masking: { maskAllInputs: true } }, { maskAllInputs: false, maskAllImages: false }, [false, false, false]],
    [{ masking: 'odd' }, { recordConsole: true }, [true, true, true]],
  ])('RPP-5 masking: the project %j, the app %j', async (remote, session_recording, expected) => {
    const { native } = await record(remote, { session_recording });
    expect(
      native.started().map(({ maskAllInputs, maskAllImages, recordConsole }) => [maskAllInputs, maskAllImages, recordConsole]),
    ).toEqual([expected]);
  });

  test('RPL-12 conditions about addresses are ignored, and so is their "any"', async () => {
    const url = [{ url: '.', matching: 'regex' }];
    const remote = { urlTriggers: url, urlBlocklist: url, triggerMatchType: 'any', sampleRate: '1', eventTriggers: ['Bought'] };
    const { client } = await record(remote);
    expect(client.isSessionReplayActive()).toBe(false);
    client.capture('Bought');
    expect(client.isSessionReplayActive()).toBe(true);
  });

  test('RPL-7 automatically captured app starts are triggers too', async () => {
    const { client } = await record({ eventTriggers: ['Application Opened'] }, { captureAppLifecycleEvents: true });
    expect(client.isSessionReplayActive()).toBe(true);
  });

  test('without a recorder a call of the app warns', async () => {
    const platform = createFakePlatform();
    platform.answer('/array/', { body: { sessionRecording: {} } });
    const { client } = startApp({}, createPhone(), platform);
    await client.ready();
    await platform.settle();
    client.startSessionRecording();
    expect([client.isSessionReplayActive(), platform.warnings().length]).toEqual([false, 1]);
  });

  test('shutdown stops it, and its state is not checked any more', async () => {
    const app = await record();
    await app.client.shutdown();
    await app.platform.settle();
    expect([stops(app), app.phone.listening()]).toEqual([[{ discard: false }], 0]);
    app.native.records = true;
    await app.platform.advance(MINUTE);
    expect([stops(app).length, app.platform.pendingTimers()]).toEqual([1, 0]);
  });
});

describe('sessions that have ended', () => {
  test('the recorder stops after the idle time of a session, and the next event starts it with a new session', async () => {
    const app = await record();
    const { client, native, platform } = app;
    await platform.advance(20 * MINUTE);
    client.capture('still here');
    await platform.advance(29 * MINUTE);
    expect(stops(app)).toEqual([]);
    await platform.advance(2 * MINUTE);
    expect([stops(app).length, client.isSessionReplayActive()]).toEqual([1, false]);
    await platform.advance(60 * MINUTE);
    expect(native.started()).toHaveLength(1);
    client.capture('back again');
    await platform.settle();
    const [first, second] = native.started();
    expect([native.started().length, second?.sessionId]).toEqual([2, client.getSessionId()]);
    expect(second?.sessionId).not.toBe(first?.sessionId);
  });

  test('with idleAfterMs it stops earlier, and continues the same session', async () => {
    const app = await record({}, { session_recording: { idleAfterMs: 5 * MINUTE } });
    await app.platform.advance(6 * MINUTE);
    expect(stops(app)).toHaveLength(1);
    app.client.capture('back again');
    await app.platform.settle();
    expect(new Set(app.native.started().map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(app.native.started()).toHaveLength(2);
  });

  test('when the app returns to the foreground a new session is recorded', async () => {
    const { client, native, phone, platform } = await record();
    phone.become('background');
    await platform.advance(45 * MINUTE);
    phone.become('active');
    await platform.settle();
    expect(native.started().map(({ sessionId }) => sessionId)).toHaveLength(2);
    expect(native.started()[1]?.sessionId).toBe(client.getSessionId());
    expect(client.isSessionReplayActive()).toBe(true);
  });
});

describe('a recorder that ignores calls', () => {
  test('it is started again until it records', async () => {
    const { client, native, platform } = await record();
    native.records = false;
    native.obeys = false;
    await platform.advance(1500);
    native.obeys = true;
    await platform.advance(2500);
    expect([native.records, client.isSessionReplayActive(), platform.warnings()]).toEqual([true, true, []]);
  });

  test('it is stopped again if it starts by itself', async () => {
    const app = await record();
    app.client.stopSessionRecording();
    await app.platform.advance(10_000);
    app.native.records = true;
    await app.platform.advance(30_000);
    expect([app.native.records, stops(app).length]).toEqual([false, 2]);
    app.native.records = true;
    app.phone.become('active');
    await app.platform.advance(2000);
    expect(app.native.records).toBe(false);
  });

  test('if it never starts, recording is inactive and one warning is logged', async () => {
    const { client, native, phone, platform } = await record();
    native.records = false;
    native.obeys = false;
    await platform.advance(MINUTE);
    expect(client.isSessionReplayActive()).toBe(false);
    expect(platform.warnings()).toHaveLength(1);
    native.obeys = true;
    phone.become('active');
    await platform.advance(4000);
    expect([native.records, client.isSessionReplayActive()]).toEqual([true, true]);
  });

  test('errors that it throws do not reach the app', async () => {
    const { client, native, platform } = await record();
    native.broken = new Error('not linked');
    client.resetSessionId();
    await platform.settle();
    expect([client.isSessionReplayActive(), platform.warnings().join()]).toEqual([false, expect.stringContaining('not linked')]);
    native.broken = undefined;
    client.resetSessionId();
    await platform.settle();
    expect([client.isSessionReplayActive(), native.records]).toEqual([true, true]);
  });

  test('it is awaited for ten seconds at most', async () => {
    const never = new Promise<void>(() => {});
    const heard: string[] = [];
    const recorder: RecorderPort = { start: () => never, stop: () => void heard.push('stop') };
    const { client, platform } = await record({}, { recorder });
    client.stopSessionRecording();
    await platform.advance(9000);
    expect(heard).toEqual([]);
    await platform.advance(2000);
    expect(heard).toEqual(['stop']);
  });
});
