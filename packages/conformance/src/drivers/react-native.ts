import type { ClientOptions, Store } from '@tidemark/client';
import { createFakePlatform, type FakePlatform } from '@tidemark/client/testing';
import { createNativeClient, type ReactNativeOptions, type RecorderPort, type StoragePort } from '@tidemark/react-native';
import { type Beginning, HOST, PROJECT_KEY, type Start, type Started } from './driver.js';
import { recorder } from './recorder.js';

let starts = 0;

/** Storage of a phone: synchronous (MMKV) or asynchronous (AsyncStorage). */
export type StorageKind = 'at once' | 'later';

/** The React Native SDK on a phone with fake network, clock, timers and storage. */
export const startOnPhone =
  (kind: StorageKind): Start =>
  (options = {}, before = {}) =>
    launch(kind, createFakePlatform(), options, before);

async function launch(kind: StorageKind, platform: FakePlatform, options: ClientOptions, before: Beginning): Promise<Started> {
  const { queued, before_send } = recorder(options.before_send);
  const all: ReactNativeOptions = {
    host: HOST,
    disable_remote_config: true,
    captureAppLifecycleEvents: false,
    ...options,
    before_send,
    storage: storages[kind](platform.store),
    recorder: nativeRecorder(),
    appState: { addEventListener: (_type, listener) => ({ remove: listen(platform, () => listener('background')) }) },
  };
  before.world?.(platform);
  const client = createNativeClient(before.apiKey ?? PROJECT_KEY, all, platform);
  before.client?.(client);
  await client.ready();
  await platform.settle();
  return {
    client,
    platform,
    queued,
    queuedAs: (event) => queued.filter((other) => other.event === event),
    restart: (more = {}, next = {}) => {
      const world = { stored: platform.stored, now: platform.clock.now(), seed: ++starts };
      return launch(kind, createFakePlatform(world), { ...options, ...more }, next);
    },
  };
}

/** A recorder that only claims to record; the native side does the recording. */
function nativeRecorder(): RecorderPort {
  let records = false;
  return {
    start: async () => {
      records = true;
    },
    stop: async () => {
      records = false;
    },
    isRecording: async () => records,
  };
}

const storages: Record<StorageKind, (store: Store) => StoragePort> = {
  'at once': ({ get, set, remove }) => ({ getItem: get, setItem: set, removeItem: remove }),
  later: ({ get, set, remove }) => ({
    getItem: async (key) => get(key),
    setItem: async (key, text) => set(key, text),
    removeItem: async (key) => remove(key),
  }),
};

const listen = (platform: FakePlatform, listener: () => void): (() => void) => platform.onHide?.(listener) ?? (() => {});
