/** The remote config of a project: `/array/<key>/config`, and part of the answer of `/flags/` on request. */
export interface RemoteConfig {
  token: string;
  supportedCompression: ('gzip' | 'gzip-js')[];
  hasFeatureFlags: boolean;
  captureDeadClicks: boolean;
  capturePerformance: false | { network_timing: boolean; web_vitals: boolean; web_vitals_allowed_metrics: string[] | null };
  /** Snake case on the wire, unlike its neighbours. */
  autocapture_opt_out: boolean;
  autocaptureExceptions: boolean | { endpoint: string };
  /** Path that events go to once the config is known. */
  analytics: { endpoint: string };
  elementsChainAsString: boolean;
  errorTracking: { autocaptureExceptions: boolean; suppressionRules: unknown[] };
  sessionRecording: false | SessionRecordingConfig;
  heatmaps: boolean;
  surveys: boolean | unknown[];
  productTours: boolean;
  defaultIdentifiedOnly: boolean;
  conversations: boolean;
  logs: { captureConsoleLogs: boolean };
  /** Must be a list: clients iterate it. */
  siteApps: unknown[];
  quotaLimited?: ('feature_flags' | 'recordings')[];
  isAuthenticated: boolean;
  toolbarParams: Record<string, unknown>;
}

export interface SessionRecordingConfig {
  endpoint: string;
  consoleLogRecordingEnabled: boolean;
  recorderVersion: 'v2';
  /** A decimal in [0,1] as text; null: all. */
  sampleRate: string | null;
  minimumDurationMilliseconds: number | null;
  /** A flag that must be on; with `variant`, that variant of it. */
  linkedFlag: string | { flag: string; variant: string | null } | null;
  networkPayloadCapture: { recordBody?: boolean; recordHeaders?: boolean } | null;
  masking: { maskAllInputs?: boolean; maskTextSelector?: string; blockSelector?: string } | null;
  /** Pages that recording starts on, and pages it pauses on. */
  urlTriggers: UrlCondition[];
  urlBlocklist: UrlCondition[];
  /** Names of events that recording starts with. */
  eventTriggers: string[];
  /** Whether all conditions must be met or one is enough; null: all. */
  triggerMatchType: 'all' | 'any' | null;
  scriptConfig: null;
}

export interface UrlCondition {
  /** A regular expression. */
  url: string;
  matching: 'regex';
}
