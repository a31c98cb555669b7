import { createFakePlatform } from '@tidemark/client/testing';
import { expect, test } from 'vitest';
import { createPhone, startApp } from '../testing/start-app.js';
import { VERSION } from '../version.js';
import { type PosthogPlugin, posthogPlugin } from './posthog-plugin.js';

/** The plugin's module: what was called, in order, and whether its native side records. */
function createPlugin(isNew: boolean, native = { records: false }) {
  const calls: unknown[][] = [];
  const call =
    (name: string, records = native.records) =>
    async (...given: unknown[]) => {
      calls.push([name, ...given]);
      native.records = name === 'startSession' || name === 'endSession' ? native.records : records;
    };
  const plugin: PosthogPlugin = {
    start: call('start', true),
    startSession: call('startSession'),
    endSession: call('endSession'),
    identify: async (...given) => void calls.push(['identify', ...given]),
    startRecording: call('startRecording', true),
    stopRecording: call('stopRecording', false),
    isEnabled: async () => native.records,
    ...(isNew ? { setup: call('setup', true), setOptOut: async (...given) => void calls.push(['setOptOut', ...given]) } : {}),
  };
  return { plugin, native, calls, names: () => calls.map(([name]) => name) };
}

async function startWith({ plugin }: ReturnType<typeof createPlugin>, more?: Record<string, unknown>) {
  const platform = createFakePlatform();
  platform.answer('/array/', { body: { sessionRecording: { sampleRate: '0.999' } } });
  const app = startApp(
    { recorder: posthogPlugin(plugin, more), session_recording: { maskAllImages: false } },
    createPhone(),
    platform,
  );
  await app.client.ready();
  await platform.settle();
  return app;
}

const CLIENT = { apiKey: 'tmk_0123456789abcdef', host: 'http://tidemark', requestHeaders: {}, sdkVersion: VERSION };
const REPLAY = {
  maskAllTextInputs: true,
  maskAllImages: false,
  captureLog: false,
  captureNetworkTelemetry: false,
  sampleRate: 1,
  throttleDelayMs: 500,
};

test('RPP-5 posthog-react-native-session-replay starts with the session, the host and the masking', async () => {
  const fake = createPlugin(false);
  const { client } = await startWith(fake, { throttleDelayMs: 500, maskAllTextInputs: false });
  const who = { distinctId: client.getDistinctId(), anonymousId: client.getAnonymousId() };
  expect(fake.calls).toEqual([
    ['start', client.getSessionId(), { ...CLIENT, ...who }, REPLAY, { endpoint: '/s/' }],
    ['identify', who.distinctId, who.anonymousId],
    ['startRecording', true],
  ]);
});

test('@posthog/react-native-plugin starts with recording and nothing else', async () => {
  const fake = createPlugin(true);
  const { client } = await startWith(fake, { throttleDelayMs: 500 });
  const who = { distinctId: client.getDistinctId(), anonymousId: client.getAnonymousId() };
  expect(fake.calls[0]).toEqual([
    'setup',
    client.getSessionId(),
    { ...CLIENT, ...who },
    {
      sessionReplay: { enabled: true, sdkReplayConfig: REPLAY, decideReplayConfig: { endpoint: '/s/' } },
      push: { capturePushNotificationSubscriptions: false, capturePushNotificationOpened: false },
    },
  ]);
  expect(fake.names()).toEqual(['setup', 'identify', 'setOptOut', 'startRecording']);
});

test('the plugin starts once, and follows sessions, persons and consent', async () => {
  const fake = createPlugin(true);
  const { client, platform } = await startWith(fake);
  const since = async (act: () => void) => {
    fake.calls.length = 0;
    act();
    await platform.settle();
    return fake.calls;
  };
  const anonymous = client.getAnonymousId();
  const goesOn = [
    ['identify', 'user-123', anonymous],
    ['setOptOut', false],
    ['startRecording', true],
  ];
  expect(await since(() => client.identify('user-123'))).toEqual(goesOn);
  const moves = await since(() => client.resetSessionId());
  expect(moves).toEqual([['stopRecording'], ['endSession'], ['startSession', client.getSessionId()], ...goesOn]);
  expect(await since(() => client.optOut())).toEqual([['stopRecording'], ['setOptOut', true]]);
  expect(await since(() => client.optIn())).toEqual(goesOn);
});

test('RPP-5 the plugin stops recording if the project now masks more than at its start', async () => {
  const phone = createPhone();
  const startAgain = async (maskAllInputs: boolean, seed: number) => {
    const fake = createPlugin(true);
    const platform = createFakePlatform({ seed });
    platform.answer('/array/', { body: { sessionRecording: { masking: { maskAllInputs } } } });
    const { client } = startApp({ recorder: posthogPlugin(fake.plugin) }, phone, platform);
    await client.ready();
    await platform.advance(60_000);
    return [client.isSessionReplayActive(), fake.native.records];
  };
  expect(await startAgain(false, 1)).toEqual([true, true]);
  // begins as the project was the last time
  expect(await startAgain(true, 2)).toEqual([false, false]);
  expect(await startAgain(true, 3)).toEqual([true, true]);
});

test('a plugin that still records after a reload of the JavaScript switches to the current session', async () => {
  const fake = createPlugin(false, { records: true });
  const { client } = await startWith(fake);
  expect(fake.calls.slice(0, 2)).toEqual([['endSession'], ['startSession', client.getSessionId()]]);
  expect(fake.names()).not.toContain('start');
});

test('a plugin that failed to start is started at the next try', async () => {
  const fake = createPlugin(false);
  const { start } = fake.plugin;
  fake.plugin.start = async () => {
    throw new Error('not linked');
  };
  const { client, platform } = await startWith(fake);
  expect(client.isSessionReplayActive()).toBe(false);
  fake.plugin.start = start;
  await platform.advance(4000);
  expect(fake.names()).toContain('start');
  expect(client.isSessionReplayActive()).toBe(true);
});
