import type { ClientOptions, Feature } from '@tidemark/client';
import type { Ports } from './ports.js';
import type { RecordingOptions } from './recording/index.js';

/** Settings of the client, and what the app hands over. */
export interface ReactNativeOptions
  extends Omit<ClientOptions, 'api_host' | 'flags_api_host' | 'respect_dnt' | 'cookieless_mode'>,
    Ports {
  /** Where the service is, such as `https://analytics.example.com`. Default: `http://localhost:8000`, as `npm start` serves it. */
  host?: string;
  /** Events that are sent without waiting for the interval. Default 20. */
  flushAt?: number;
  /** Captures that the app was installed, updated, opened and left. Default true. */
  captureAppLifecycleEvents?: boolean;
  /** How the `recorder` records. False: not at all, whatever the project says. */
  session_recording?: boolean | RecordingOptions;
  /** More parts of the library, such as `surveys()`. */
  features?: Feature[];
}

export const DEFAULT_HOST = 'http://localhost:8000';

/** Events: fewer than pages wait for, since an app may be ended at any moment. */
export const FLUSH_AT = 20;
