import type { CapturedEvent, Properties } from './event.js';
import type { FlagValue } from './flags/types.js';

/** Values that are known before the first request, such as from a server that rendered the page. Fields have two spellings. */
export interface Bootstrap {
  /** Who the person is. */
  distinctId?: string;
  distinctID?: string;
  /** Whether that id is of an identified person, as with `identify`. Default: it is the anonymous id of a new visitor. */
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

/** Receives the complete event. Returns it, changed or not, or null to drop it. */
export type BeforeSend = (event: CapturedEvent) => CapturedEvent | null | undefined;

export type PersonProfiles = 'always' | 'identified_only' | 'never';

/** Paths below `api_host`, for a proxy that has other paths than the service. Each comment is the default. */
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

/** Options of all client libraries. Times are in milliseconds unless the name has another unit. */
export interface ClientOptions {
  /** Host of the service, without a path. Default: `''`, the origin of the page. */
  api_host?: string;
  /** Another host for flag requests. */
  flags_api_host?: string;
  /** Other paths, for a proxy. */
  paths?: Paths;
  /** Distinguishes several clients of one page: it is part of every storage key. */
  name?: string;
  /** Who gets a person profile. Default `identified_only`: persons that were identified. */
  person_profiles?: PersonProfiles;
  /** The person and the flags until the server has answered. */
  bootstrap?: Bootstrap;
  /** Called once, when the client is ready. */
  loaded?: (client: import('./client.js').Client) => void;
  /** Logs what the client does. */
  debug?: boolean;

  /** Default 3000; 0: no limit. After it, flags count as settled without an answer. Each retry has the same timeout. */
  feature_flag_request_timeout_ms?: number;
  /** How often a flag request is retried that got no answer, or 502 or 504. Default 1. */
  feature_flag_request_max_retries?: number;
  /** Cached flags older than this are marked stale and requested again. Default: no limit. */
  feature_flag_cache_ttl_ms?: number;
  /** Makes no flag requests; bootstrap and overrides still work. */
  disable_flags?: boolean;
  /** Puts the known flags on every event. Default true. */
  send_feature_flags?: boolean;
  /** Called with every new set of flags, from the bootstrapped one on. */
  onFeatureFlags?: import('./flags/types.js').FlagsListener;

  /** Changes or drops each event before it is queued; several run in order. A hook that throws drops the event. */
  before_send?: BeforeSend | BeforeSend[];
  /** Names of properties that are never sent. */
  property_denylist?: string[];
  /** Changes the properties of each event, before `before_send` runs. */
  sanitize_properties?: (properties: Properties, event: string) => Properties;
  /** Longer texts are cut. Default 65535 characters; 0: never. */
  properties_string_max_length?: number;

  /** Starts opted out until `optIn` is called. */
  opt_out_by_default?: boolean;
  /** Treats the browser's Do Not Track as an opt-out. Default false. */
  respect_dnt?: boolean;
  /** `always`: nothing is stored on the device. `on_reject`: after the person has opted out, events are still sent, but nothing is stored. */
  cookieless_mode?: 'always' | 'on_reject';

  /** Number of queued events that are sent at once, without waiting for the interval. Default 50: about as many as fit into the request of a page that ends. */
  flushAt?: number;
  /** Default 3000. */
  flushInterval?: number;
  /** Events in one request. Default 100. */
  maxBatchSize?: number;
  /** Events in the queue while they cannot be sent; the oldest are dropped. Default 1000. */
  maxQueueSize?: number;
  /** Sends bodies as plain JSON. */
  disable_compression?: boolean;
  /** Headers of every request; with them, browsers send a CORS preflight first. */
  request_headers?: Record<string, string>;
  /** Called once when three requests in a row got no answer while the browser is online: most often because of an ad blocker. */
  on_blocked?: () => void;
  /** Limits the events of `capture`; more are dropped. */
  rate_limiting?: {
    /** Default 10. */
    events_per_second?: number;
    /** Default ten times the rate. */
    events_burst_limit?: number;
  };

  /** True: `identify` with the id of another person resets the client first, as in posthog-js. Default false: the call is ignored, with a warning. */
  reset_on_identify?: boolean;
  /** Idle time after which a new session begins: 60 to 36000 seconds, default 1800. */
  session_idle_timeout_seconds?: number;
  /** Returns the id of a new device. */
  get_device_id?: (generated: string) => string;
  /** Never changes the anonymous id: `identify` sends no `$anon_distinct_id`, and `reset` keeps the id. */
  reuseAnonymousId?: boolean;

  /** Does not request the project's remote config. */
  disable_remote_config?: boolean;
  /** The breadcrumbs of `addExceptionStep`. */
  exception_steps?: {
    /** Default true. */
    enabled?: boolean;
    /** Limit of all steps together in UTF-8 bytes; the oldest are dropped. Default 32768. */
    max_bytes?: number;
  };
  /** False: never records, even if the project records sessions. */
  session_recording?: boolean | Record<string, unknown>;
}
