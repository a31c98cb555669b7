import type { RemoteConfig } from './remote-config.js';

/** A flags request; the comment of a field gives its older name. */
export interface FlagsRequest {
  /** `$token`, `api_key` */
  token?: string;
  /** `$distinct_id` */
  distinct_id?: string | number;
  /** `$groups` */
  groups?: Record<string, string | number>;
  /** `$properties` */
  person_properties?: Record<string, unknown>;
  /** `$group_properties` */
  group_properties?: Record<string, Record<string, unknown>>;
  $anon_distinct_id?: string;
  $device_id?: string;
  geoip_disable?: boolean;
  /** true: nothing is evaluated, and `distinct_id` may be absent. */
  disable_flags?: boolean;
  /** `flag_keys_to_evaluate` */
  flag_keys?: string[];
}

export interface FlagDetail {
  key: string;
  enabled: boolean;
  variant: string | null;
  reason: { code: string; condition_index: number | null; description: string };
  metadata: {
    id: number;
    version: number;
    description: string | null;
    /** JSON text, not a JSON value. */
    payload: string | null;
  };
  /** The flag could not be evaluated; clients ignore it. */
  failed?: true;
}

/** `/flags?v=2`, `/decide?v=4` */
export interface FlagsV2Response {
  flags: Record<string, FlagDetail>;
  errorsWhileComputingFlags: boolean;
  requestId: string;
  /** Epoch milliseconds. */
  evaluatedAt: number;
  quotaLimited?: ('feature_flags' | 'recordings')[];
}

/** `/flags?v=1`, `/decide?v=3` */
export interface FlagsV1Response {
  featureFlags: Record<string, boolean | string>;
  featureFlagPayloads: Record<string, string>;
  errorsWhileComputingFlags: boolean;
  requestId: string;
  quotaLimited?: ('feature_flags' | 'recordings')[];
}

/** `/decide?v=1` lists enabled keys; `/decide?v=2` maps them to their values. */
export interface DecideResponse {
  featureFlags: string[] | Record<string, boolean | string>;
  errorsWhileComputingFlags: boolean;
}

/** A flags response with the project's remote config merged in (`config=true`, and every `/decide`). */
export type WithConfig<Answer> = Answer & RemoteConfig;
