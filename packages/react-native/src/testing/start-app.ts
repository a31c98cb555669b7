import { type CapturedEvent, isRecord } from '@tidemark/client';
import { createFakePlatform, type FakePlatform } from '@tidemark/client/testing';
import { createNativeClient, type NativeClient } from '../native-client.js';
import type { ReactNativeOptions } from '../options.js';
import type { StoragePort } from '../ports.js';

/** A phone: its storage outlives apps. */
export interface Phone {
  storage: StoragePort;
  stored: Map<string, string>;
  /** Tells listeners of the app's state. */
  become(state: string): void;
  setConnected(isConnected: boolean | null): void;
  listening(): number;
}

export function createPhone(
  stored = new Map<string, string>(),
  wait = async () => {},
): Phone & Pick<Required<ReactNativeOptions>, 'appState' | 'network'> {
  const states = new Set<(state: string) => void>();
  const connections = new Set<(state: { isConnected: boolean | null }) => void>();
  return {
    stored,
    storage: {
      getItem: async (key) => {
        await wait();
        return stored.get(key) ?? null;
      },
      setItem: async (key, text) => void stored.set(key, text),
      removeItem: async (key) => void stored.delete(key),
    },
    appState: {
      addEventListener: (_type, listener) => {
        states.add(listener);
        return { remove: () => void states.delete(listener) };
      },
    },
    network: {
      addEventListener: (listener) => {
        connections.add(listener);
        return () => void connections.delete(listener);
      },
    },
    become: (state) => {
      for (const listener of states) listener(state);
    },
    setConnected: (isConnected) => {
      for (const listener of connections) listener({ isConnected });
    },
    listening: () => states.size + connections.size,
  };
}

export interface StartedApp {
  client: NativeClient;
  platform: FakePlatform;
  sent(): CapturedEvent[];
  /** Sends what is queued, and gives all events that were sent. */
  flushed(): Promise<CapturedEvent[]>;
}

/** An app that starts on the phone. */
export function startApp(
  { flushAt = 1_000, ...options }: Omit<Partial<ReactNativeOptions>, 'flushAt'> & { flushAt?: number | 'default' } = {},
  phone: Pick<Required<ReactNativeOptions>, 'storage'> & Partial<ReactNativeOptions> = createPhone(),
  platform: FakePlatform = createFakePlatform(),
): StartedApp {
  const { storage, appState, network } = phone;
  const all: ReactNativeOptions = {
    host: 'http://tidemark',
    captureAppLifecycleEvents: false,
    ...(flushAt === 'default' ? {} : { flushAt }),
    storage,
    ...(appState ? { appState } : {}),
    ...(network ? { network } : {}),
    ...options,
  };
  const client = createNativeClient('tmk_0123456789abcdef', all, platform);
  const sent = () =>
    platform.requestsTo('/batch/').flatMap(({ body }) => (isRecord(body) ? (body['batch'] as CapturedEvent[]) : []));
  return {
    client,
    platform,
    sent,
    flushed: async () => {
      await client.flush();
      return sent();
    },
  };
}
