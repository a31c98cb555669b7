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

/** What the app hands over; this package asks React Native for nothing by itself. */
export interface Ports {
  storage: StoragePort;
  appState?: AppStatePort;
  network?: NetworkPort;
  app?: AppInfo;
  /** Properties of the device on each event, such as `$os`, `$os_version`, `$device_model`. */
  device?: Properties;
  log?: Log;
}
