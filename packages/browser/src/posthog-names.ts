import type { Client } from '@tidemark/client';

/** Methods under the names that posthog-js gives them. Each does what the method does that its comment names. */
export interface PosthogNames {
  /** `getDistinctId` */
  get_distinct_id(): string;
  /** `getSessionId` */
  get_session_id(): string;
  /** `registerOnce` */
  register_once: Client['registerOnce'];
  /** `registerForSession` */
  register_for_session: Client['registerForSession'];
  /** `optIn` */
  opt_in_capturing(): void;
  /** `optOut` */
  opt_out_capturing(): void;
  /** Whether `getConsentStatus` says `granted`. */
  has_opted_in_capturing(): boolean;
  /** `isOptedOut` */
  has_opted_out_capturing(): boolean;
  /** Not `isOptedOut`. */
  is_capturing(): boolean;
  /** `getConsentStatus` */
  get_explicit_consent_status: Client['getConsentStatus'];
  /** `setConfig`; options have the names of Tidemark, see `anySpelling`. */
  set_config: Client['setConfig'];
  /** `isSessionReplayActive` */
  sessionRecordingStarted(): boolean;
}

/**
 * Adds to the client the method names of posthog-js that differ from Tidemark's, for code that was written for posthog-js. Returns the same client.
 * Only pages that import this function load the names.
 * @example
 * const posthog = withPosthogNames(init('tmk_…', { api_host: 'https://analytics.example.com' }));
 * posthog.opt_out_capturing();
 */
export function withPosthogNames<Given extends Client>(client: Given): Given & PosthogNames {
  // each looks its method up when it is called: features replace methods of the client
  const names: PosthogNames = {
    get_distinct_id: () => client.getDistinctId(),
    get_session_id: () => client.getSessionId(),
    register_once: (properties) => client.registerOnce(properties),
    register_for_session: (properties) => client.registerForSession(properties),
    opt_in_capturing: () => client.optIn(),
    opt_out_capturing: () => client.optOut(),
    has_opted_in_capturing: () => client.getConsentStatus() === 'granted',
    has_opted_out_capturing: () => client.isOptedOut(),
    is_capturing: () => !client.isOptedOut(),
    get_explicit_consent_status: () => client.getConsentStatus(),
    set_config: (options) => client.setConfig(options),
    sessionRecordingStarted: () => client.isSessionReplayActive(),
  };
  return Object.assign(client, names);
}
