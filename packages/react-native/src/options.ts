import type { ClientOptions, Feature } from '@tidemark/client';
import type { Ports } from './ports.js';
import type { RecordingOptions } from './recording/index.js';

/** Options of the client, and modules of the app. */
export interface ReactNativeOptions
  extends Omit<ClientOptions, 'api_host' | 'flags_api_host' | 'respect_dnt' | 'cookieless_mode'>,
    Ports {
  /** Host of the service, such as `https://analytics.example.com`. Default: `http://localhost:8000`, where `npm start` serves it. */
  host?: string;
  /** Events that are sent without waiting for the interval. Default 20. */
  flushAt?: number;
  /** Captures that the app was installed, updated, opened and left. Default true. */
  captureAppLifecycleEvents?: boolean;
  /** How the `recorder` records. False: never, even if the project records sessions. */
  session_recording?: boolean | RecordingOptions;
  /** Optional parts of the library, such as `surveys()`. */
  features?: Feature[];
}

export const DEFAULT_HOST = 'http://localhost:8000';

/** Events: fewer than pages wait for, since an app may be ended at any moment. */
export const FLUSH_AT = 20;
