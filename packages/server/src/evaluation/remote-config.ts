import type { RemoteConfig } from '@tidemark/wire';
import type { Definitions } from './definitions.js';
import { matchesOrigin } from './recording-config.js';
import { hasSurveys } from './surveys.js';

/** Remote configuration for clients of an origin; `now` in epoch milliseconds. Each switch makes SDKs load or send something. */
export function remoteConfig(apiToken: string, definitions: Definitions, origin: string | undefined, now: number): RemoteConfig {
  const { switches } = definitions;
  return {
    token: apiToken,
    supportedCompression: ['gzip', 'gzip-js'],
    // with false, clients never request flags
    hasFeatureFlags: definitions.flags.some((flag) => flag.active),
    captureDeadClicks: switches.deadClicks,
    capturePerformance: (switches.networkTiming || switches.webVitals) && {
      network_timing: switches.networkTiming,
      web_vitals: switches.webVitals,
      web_vitals_allowed_metrics: null,
    },
    autocapture_opt_out: switches.noAutocapture,
    autocaptureExceptions: switches.exceptions && { endpoint: '/e/' },
    analytics: { endpoint: '/i/v0/e/' },
    elementsChainAsString: true,
    errorTracking: { autocaptureExceptions: switches.exceptions, suppressionRules: [] },
    sessionRecording: mayRecord(definitions, origin) && definitions.recording,
    heatmaps: switches.heatmaps,
    surveys: hasSurveys(definitions, now),
    productTours: false,
    defaultIdentifiedOnly: true,
    conversations: false,
    logs: { captureConsoleLogs: false },
    siteApps: [],
    isAuthenticated: false,
    toolbarParams: {},
  };
}

/** Apps send no origin: the list concerns sites only. */
function mayRecord({ recordingOrigins }: Definitions, origin: string | undefined): boolean {
  return recordingOrigins === null || origin === undefined || recordingOrigins.some((pattern) => matchesOrigin(pattern, origin));
}
