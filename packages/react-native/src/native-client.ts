import { type Client, copied, createClient, exceptions, flags, type Properties, readOptions, resume } from '@tidemark/client';
import { appLifecycle } from './app-lifecycle.js';
import { createDeferredClient } from './deferred-client.js';
import { nativePlatform, type Surroundings } from './native-platform.js';
import { ALIASES, type GivenOptions, OPTION_NAMES } from './option-names.js';
import { DEFAULT_HOST, FLUSH_AT, type ReactNativeOptions } from './options.js';
import { sessionRecording } from './recording/index.js';
import { createScreens } from './screens.js';
import { openStoredState } from './stored-state.js';

/** The client with the methods that only apps have. */
export interface NativeClient extends Client {
  /**
   * Captures that the person sees a screen; its name is on all events from now on.
   * @example client.screen('Cart', { items: 3 })
   */
  screen(name: string, properties?: Properties): void;
  /** The screen that was shown last. */
  currentScreen(): string | undefined;
  /** Fulfilled when the stored values have been read; earlier calls are queued until then. Never rejects. */
  ready(): Promise<void>;
}

/** A client on any surroundings; apps call `init`. */
export function createNativeClient(apiKey: string, given: GivenOptions, surroundings: Surroundings): NativeClient {
  const { options, similar } = readOptions<ReactNativeOptions>(given, OPTION_NAMES, ALIASES);
  for (const [name, known] of similar) surroundings.log.warn(`[tidemark] The option ${name} is unknown: did you mean ${known}?`);
  const { host = DEFAULT_HOST, captureAppLifecycleEvents = true, app, appState, recorder } = options;
  const screens = createScreens();
  const { client, attach, captureLater, feature } = createDeferredClient(apiKey, surroundings, options);
  const { store, hydrated } = openStoredState(options.storage, apiKey, surroundings.timers, surroundings.log, () =>
    client.optOut({ clear: true }),
  );
  const start = () => {
    const features = [feature, flags(), screens.feature, exceptions('hermes'), resume()];
    if (recorder) features.push(sessionRecording(recorder, appState));
    features.push(...(options.features ?? []));
    if (captureAppLifecycleEvents) features.push(appLifecycle(app, appState));
    const own = { ...options, api_host: host, flushAt: options.flushAt ?? FLUSH_AT };
    attach(createClient(apiKey, own, nativePlatform(surroundings, store, options), features));
  };
  const ready = hydrated?.then(start);
  if (!hydrated) start();
  return Object.assign(client, {
    screen: (name: string, properties?: Properties) => {
      const timestamp = surroundings.clock.now();
      const given = copied(properties);
      captureLater(() => screens.show(name, given, { timestamp }));
    },
    currentScreen: screens.current,
    ready: () => ready ?? Promise.resolve(),
  });
}
