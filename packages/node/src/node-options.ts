import type { BeforeSend } from '@tidemark/client';
import type { DefinitionsCache } from './definitions/definitions-cache.js';

/** Settings of the client. Times are milliseconds. */
export interface NodeOptions {
  /** Host of the service, such as `https://analytics.example.com`. */
  host: string;
  /** A personal API key with the scope `feature_flag:read`: flags are then evaluated by this process, without a request. */
  personalApiKey?: string;

  /** Events that are sent without waiting for the interval. Default 20. */
  flushAt?: number;
  /** Time after which fewer are sent. Default 5000. */
  flushInterval?: number;
  /** Events in one request, of 5 MB at most. Default 100. */
  maxBatchSize?: number;
  /** Events in the queue while they cannot be sent, at most 64 MB; the oldest are dropped. Default 10000. */
  maxQueueSize?: number;
  /** Sends bodies as plain JSON. */
  disableCompression?: boolean;
  /** Time that a request for events may take. Default 10000. */
  requestTimeout?: number;
  /**
   * How often a request for events that failed is made again before its events are dropped, which a warning and `shutdown` count.
   * Default: until the events are stored, or `maxQueueSize` newer ones wait.
   */
  maxRetries?: number;

  /** Timeout of each flag request. Default 3000. */
  featureFlagRequestTimeoutMs?: number;
  /** How often a flag request that got no answer (or 502, 504) is made again. Default 1. */
  featureFlagRequestMaxRetries?: number;
  /** Interval in which the definitions of flags are loaded. Default 30000. */
  featureFlagsPollingInterval?: number;
  /** Definitions shared with other processes. */
  definitionsCache?: DefinitionsCache;
  /** False: a personal key does not make flags evaluated here. */
  enableLocalEvaluation?: boolean;
  /** Makes no flag requests: flags are only evaluated locally. */
  onlyEvaluateLocally?: boolean;
  /** Only flags without contexts, or with one of these. */
  evaluationContexts?: readonly string[];
  /** `$feature_flag_called` is sent once for each combination of person, flag and value; so many are remembered. Default 50000. */
  maxFlagCallsRemembered?: number;

  /** Sees each event before it is queued; gives it back, changed or not, or null to drop it. */
  before_send?: BeforeSend | BeforeSend[];
  /** Another spelling of `before_send`. */
  beforeSend?: BeforeSend | BeforeSend[];
  /** Captures uncaught exceptions and unhandled rejections. Default false. */
  enableExceptionAutocapture?: boolean;
  /** Adds the source lines around each frame of an exception. Default true. */
  enableSourceContext?: boolean;
  /** Keeps the service from looking up a place for the address of the request, which is that of the server. Default true; calls may differ. */
  disableGeoip?: boolean;
  /** Properties of each event; those of the call override them. */
  properties?: Readonly<Record<string, unknown>>;
  /** Starts opted out until `optIn` is called. */
  optedOut?: boolean;
  /** Turns debug logging on. */
  debug?: boolean;
}
