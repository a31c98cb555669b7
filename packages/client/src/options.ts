import type { CapturedEvent, Properties } from './event.js';
import type { FlagValue } from './flags/types.js';

/** Values known before the first request; both spellings of the fields are understood. */
export interface Bootstrap {
  /** Who the person is. */
  distinctId?: string;
  distinctID?: string;
  /** Whether that id is a known person's, as with `identify`; else it is the anonymous id of somebody new. */
  isIdentifiedId?: boolean;
  isIdentifiedID?: boolean;
  /** Values by flag. */
  featureFlags?: Record<string, FlagValue>;
  /** Payloads by flag, parsed. */
  featureFlagPayloads?: Record<string, unknown>;
  /** A UUID version 7; its embedded time is the start of the session. */
  sessionId?: string;
  sessionID?: string;
}

/** Sees the assembled event; gives it back, changed or not, or null to drop it. */
export type BeforeSend = (event: CapturedEvent) => CapturedEvent | null | undefined;

export type PersonProfiles = 'always' | 'identified_only' | 'never';

/** Paths below `api_host`, for those who serve the library through a proxy with paths of its own. */
export interface Paths {
  /** `/batch/` */
  batch?: string;
  /** `/flags/` */
  flags?: string;
  /** `/array/<key>/config` */
  config?: string;
  /** `/s/` */
  replay?: string;
  /** `/api/early_access_features/` */
  early_access?: string;
  /** `/api/surveys/` */
  surveys?: string;
}

/** What every client library understands. Times are milliseconds unless the name says otherwise. */
export interface ClientOptions {
  /** Where events and flag requests go, without a path. Default: `''`, the page's own origin. */
  api_host?: string;
  /** Another host for flag requests. */
  flags_api_host?: string;
  /** Other paths, for a proxy. */
  paths?: Paths;
  /** Keeps several clients of one page apart: part of every storage key. */
  name?: string;
  /** Who gets a person profile: default `identified_only`, those that were identified. */
  person_profiles?: PersonProfiles;
  /** Who the person is and their flags, before the server has answered. */
  bootstrap?: Bootstrap;
  /** Called once, when the client is ready. */
  loaded?: (client: import('./client.js').Client) => void;
  /** Logs what the client does. */
  debug?: boolean;

  /** Default 3000. After it, flags count as settled without an answer; a second attempt has the same time behind that. 0: no limit. */
  feature_flag_request_timeout_ms?: number;
  /** How often a flag request that got no answer (or 502, 504) is made again. Default 1. */
  feature_flag_request_max_retries?: number;
  /** Cached values older than this are marked stale and asked for again. Default: no limit. */
  feature_flag_cache_ttl_ms?: number;
  /** Makes no flag request on its own; bootstrap and overrides still work. */
  disable_flags?: boolean;
  /** Puts the known flags on every event. Default true. */
  send_feature_flags?: boolean;
  /** Called with every new set of flags, from the bootstrapped one on. */
  onFeatureFlags?: import('./flags/types.js').FlagsListener;

  /** Sees each event before it is queued; several run in order. One that throws drops the event. */
  before_send?: BeforeSend | BeforeSend[];
  /** Names of properties that are never sent. */
  property_denylist?: string[];
  /** Last look at the properties of an event before `before_send`. */
  sanitize_properties?: (properties: Properties, event: string) => Properties;
  /** Longer texts are cut. Default 65535 characters; 0: never. */
  properties_string_max_length?: number;

  /** Starts opted out until `optIn` is called. */
  opt_out_by_default?: boolean;
  /** Treats the browser's Do Not Track as an opt-out. Default false. */
  respect_dnt?: boolean;
  /** `always`: nothing is stored on the device. `on_reject`: the same once the person has refused, instead of sending nothing. */
  cookieless_mode?: 'always' | 'on_reject';

  /** Events that are sent without waiting for the interval. Default 50, about what browsers let a page hand over as it goes. */
  flushAt?: number;
  /** Default 3000. */
  flushInterval?: number;
  /** Events in one request. Default 100. */
  maxBatchSize?: number;
  /** Events kept while they cannot be sent; the oldest goes first. Default 1000. */
  maxQueueSize?: number;
  /** Sends bodies as plain JSON. */
  disable_compression?: boolean;
  /** Added to every request; browsers then ask the service first (CORS preflight). */
  request_headers?: Record<string, string>;
  /** Called once when three requests in a row were refused before they left: most often an ad blocker. */
  on_blocked?: () => void;
  /** How many events `capture` takes; more are dropped. */
  rate_limiting?: {
    /** Default 10. */
    events_per_second?: number;
    /** Default ten times the rate. */
    events_burst_limit?: number;
  };

  /** `identify` with another id than that of the person first resets the client, as posthog-js goes over to the other person. Default false: it is ignored, with a warning. */
  reset_on_identify?: boolean;
  /** Idle time after which a new session begins: 60 to 36000 seconds, default 1800. */
  session_idle_timeout_seconds?: number;
  /** Makes the ids of new devices. */
  get_device_id?: (generated: string) => string;
  /** One anonymous id for good: identify sends no `$anon_distinct_id`, reset keeps the id. */
  reuseAnonymousId?: boolean;

  /** Does not ask the server what the project switches on. */
  disable_remote_config?: boolean;
  /** What `addExceptionStep` keeps. */
  exception_steps?: {
    /** Default true. */
    enabled?: boolean;
    /** UTF-8 bytes of all steps together. Default 32768. */
    max_bytes?: number;
  };
  /** False: no recording, whatever the server says. */
  session_recording?: boolean | Record<string, unknown>;
}
