import type { Log, Properties } from '@tidemark/client';

/** Where values are kept: the shape of AsyncStorage, or of a store that answers at once (MMKV). */
export interface StoragePort {
  getItem(key: string): Promise<string | null> | string | null | undefined;
  setItem(key: string, text: string): Promise<void> | void;
  removeItem(key: string): Promise<void> | void;
}

/** Whether the app is in front: the shape of React Native's `AppState`. */
export interface AppStatePort {
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
}

/** Whether there is a network: the shape of NetInfo. */
export interface NetworkPort {
  addEventListener(listener: (state: { isConnected: boolean | null }) => void): () => void;
}

/** Which app, and which version of it. What is not known is left out. */
export interface AppInfo {
  version?: string | undefined;
  build?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
}

/** What a recorder is told of the session that it records. */
export interface RecorderSettings {
  sessionId: string;
  /** Who the person is now. */
  distinctId: string;
  anonymousId: string;
  /** The project's key. */
  apiKey: string;
  /** Where the service is, such as `https://analytics.example.com`, without a slash at its end. */
  host: string;
  /** Path that snapshots are posted to: `/s/`. */
  path: string;
  requestHeaders: Record<string, string>;
  /** Nothing is sent of sessions that are shorter; what was recorded until then goes with the rest. Milliseconds; 0: no limit. */
  minimumDurationMs: number;
  maskAllInputs: boolean;
  maskAllImages: boolean;
  recordConsole: boolean;
}

/**
 * Records the screen in native code. It takes the snapshots, hides in them what must be hidden, and sends them itself; when, and which
 * session, is decided here. Calls come one after the other: the next when the last is fulfilled. What it throws is logged.
 */
export interface RecorderPort {
  /** Records from now on. Called again while it records when something in the settings is another: most often, the session. */
  start(settings: RecorderSettings): Promise<void> | void;
  /** Sends what was recorded, and records no more. `discard`: the person opted out, so what was not sent is thrown away. */
  stop(how: { discard: boolean }): Promise<void> | void;
  /** Whether it records: asked for a while after it was told something, which it is told again when it does something else. */
  isRecording?(): Promise<boolean> | boolean;
  /** Told the name of every event that is captured, whether or not it records: for recorders with triggers of their own. */
  eventCaptured?(event: string): Promise<void> | void;
}

/** What the app hands over; this package asks React Native for nothing by itself. */
export interface Ports {
  storage: StoragePort;
  appState?: AppStatePort;
  network?: NetworkPort;
  app?: AppInfo;
  /** Records sessions when the project wants them. */
  recorder?: RecorderPort;
  /** Properties of the device on each event, such as `$os`, `$os_version`, `$device_model`. */
  device?: Properties;
  log?: Log;
}
