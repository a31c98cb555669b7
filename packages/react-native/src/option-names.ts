import type { OptionNames, Spellings } from '@tidemark/client';
import type { ReactNativeOptions } from './options.js';

/** Options as `init` takes them: `flushAt` or `flush_at`, and some under the names of other libraries. */
export type GivenOptions = Spellings<
  ReactNativeOptions & { [Name in keyof typeof ALIASES]?: ReactNativeOptions[(typeof ALIASES)[Name]] }
>;

/** All options of `init`. */
export const OPTION_NAMES: OptionNames<ReactNativeOptions> = {
  host: true,
  flushAt: true,
  captureAppLifecycleEvents: true,
  session_recording: true,
  features: true,
  storage: true,
  appState: true,
  network: true,
  app: true,
  recorder: true,
  device: true,
  log: true,
  paths: true,
  name: true,
  person_profiles: true,
  bootstrap: true,
  loaded: true,
  debug: true,
  feature_flag_request_timeout_ms: true,
  feature_flag_request_max_retries: true,
  feature_flag_cache_ttl_ms: true,
  disable_flags: true,
  send_feature_flags: true,
  onFeatureFlags: true,
  before_send: true,
  property_denylist: true,
  sanitize_properties: true,
  properties_string_max_length: true,
  opt_out_by_default: true,
  flushInterval: true,
  maxBatchSize: true,
  maxQueueSize: true,
  disable_compression: true,
  request_headers: true,
  on_blocked: true,
  rate_limiting: true,
  reset_on_identify: true,
  session_idle_timeout_seconds: true,
  get_device_id: true,
  reuseAnonymousId: true,
  disable_remote_config: true,
  exception_steps: true,
};

/** Options by the names that other libraries give them. */
export const ALIASES = {
  api_host: 'host',
  opt_out_capturing_by_default: 'opt_out_by_default',
} as const satisfies Record<string, keyof ReactNativeOptions>;
