import type { Log, Properties } from '@tidemark/client';

/** Storage of the app: the interface of AsyncStorage, or a synchronous store (MMKV). */
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

/** Settings of a recorder for one session. */
export interface RecorderSettings {
  sessionId: string;
  /** Who the person is now. */
  distinctId: string;
  anonymousId: string;
  /** The project's key. */
  apiKey: string;
  /** Host of the service, such as `https://analytics.example.com`, without a slash at its end. */
  host: string;
  /** Path that snapshots are posted to: `/s/`. */
  path: string;
  requestHeaders: Record<string, string>;
  /** Minimum duration of a session in milliseconds; 0: none. Data is sent once it is reached. */
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
  /** Sends the recorded data and stops. `discard`: the person has opted out, so unsent data is dropped. */
  stop(how: { discard: boolean }): Promise<void> | void;
  /** Whether it records. The client polls this for a while after `start` and `stop`, and repeats the call when the state differs. */
  isRecording?(): Promise<boolean> | boolean;
  /** Receives the name of every captured event, recording or not, for recorders with event triggers of their own. */
  eventCaptured?(event: string): Promise<void> | void;
}

/** Modules of the app. This package imports nothing of React Native by itself. */
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
