import { type Log, type Platform, type Store, type Timers, uuid7Maker, withMessages } from '@tidemark/client';
import type { ReactNativeOptions } from './options.js';
import { VERSION } from './version.js';

/** What the client takes from the JavaScript engine; the rest of a platform are the app's ports. */
export interface Surroundings {
  clock: Platform['clock'];
  timers: Timers;
  ids: Platform['ids'];
  log: Log;
  fetch: Platform['fetch'];
}

/** The JavaScript engine that we run in. */
export function ownSurroundings(log: Log = console): Surroundings {
  return {
    clock: { now: () => Date.now() },
    // longer ones run at once
    timers: {
      set: (run, ms) => setTimeout(run, Math.min(ms, 2e9)),
      clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
    },
    ids: { uuid7: uuid7Maker(() => Date.now(), fillRandomly) },
    log,
    fetch: async (url, request) => {
      const response = await fetch(url, request);
      // read here, where the request can be given up
      const text = await response.text();
      return { status: response.status, header: (name) => response.headers.get(name), text: async () => text };
    },
  };
}

/** The platform, made of the modules of the app. */
export function nativePlatform(
  { clock, timers, ids, log, fetch }: Surroundings,
  store: Store,
  options: ReactNativeOptions,
): Platform {
  const { appState, network, app = {}, device } = options;
  let isOnline = true;
  const common = { ...device, ...appProperties(app) };
  return {
    clock,
    timers,
    ids,
    log: withMessages(log),
    fetch,
    library: { name: 'tidemark-react-native', version: VERSION },
    store,
    context: () => common,
    ...(network
      ? {
          online: {
            isOnline: () => isOnline,
            // not called when the network is lost: the queue checks `isOnline` before each request
            onChange: (listener) => {
              let before = isOnline;
              return network.addEventListener(({ isConnected }) => {
                isOnline = isConnected !== false;
                if (isOnline && !before) listener();
                before = isOnline;
              });
            },
          },
        }
      : {}),
    ...(appState
      ? {
          onHide: (listener) => {
            const subscription = appState.addEventListener('change', (state) => {
              if (state === 'background') listener();
            });
            return () => subscription.remove();
          },
        }
      : {}),
  };
}

/** What is not known is left out. */
function appProperties({ version, build, name, namespace }: NonNullable<ReactNativeOptions['app']>): Record<string, string> {
  const all = { $app_version: version, $app_build: build, $app_name: name, $app_namespace: namespace };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Engines without Web Crypto make bytes that are random enough for the ids of events, and are no secrets. */
function fillRandomly(bytes: Uint8Array<ArrayBuffer>): void {
  if (typeof crypto === 'object' && typeof crypto.getRandomValues === 'function') crypto.getRandomValues(bytes);
  else for (let i = 0; i < bytes.length; i++) bytes[i] = Math.random() * 256;
}
