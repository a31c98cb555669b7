import type { OptionNames, Spellings } from '@tidemark/client';
import type { NodeOptions } from './node-options.js';

/** Where the service is: `host`, or as the library for pages calls it. */
type Host = { host: string } | { api_host: string } | { apiHost: string };

/** Options as `init` takes them: `flushAt` or `flush_at`, and some under the names of posthog-node. */
export type GivenNodeOptions = Spellings<Omit<NodeOptions, 'host'>> & Host;

/** All options of `init`. */
export const OPTION_NAMES: OptionNames<NodeOptions> = {
  host: true,
  personalApiKey: true,
  flushAt: true,
  flushInterval: true,
  maxBatchSize: true,
  maxQueueSize: true,
  disableCompression: true,
  requestTimeout: true,
  maxRetries: true,
  featureFlagRequestTimeoutMs: true,
  featureFlagRequestMaxRetries: true,
  featureFlagsPollingInterval: true,
  definitionsCache: true,
  enableLocalEvaluation: true,
  onlyEvaluateLocally: true,
  evaluationContexts: true,
  maxFlagCallsRemembered: true,
  before_send: true,
  beforeSend: true,
  enableExceptionAutocapture: true,
  enableSourceContext: true,
  disableGeoip: true,
  properties: true,
  optedOut: true,
  debug: true,
};

/** Options by the names that other libraries give them. */
export const ALIASES = {
  api_host: 'host',
  opt_out_by_default: 'optedOut',
  opt_out_capturing_by_default: 'optedOut',
  feature_flag_request_timeout_ms: 'featureFlagRequestTimeoutMs',
} as const satisfies Record<string, keyof NodeOptions>;
