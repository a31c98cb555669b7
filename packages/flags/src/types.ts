/** A flag as the database stores it and the local-evaluation feed sends it. Malformed values are tolerated: such a flag matches nobody. */
export interface FlagDefinition {
  readonly id: number;
  readonly key: string;
  readonly active: boolean;
  readonly version?: number;
  readonly ensure_experience_continuity?: boolean;
  /** `device_id` hashes the device id for rollouts; any other value the distinct id. */
  readonly bucketing_identifier?: string | null;
  readonly evaluation_runtime?: string | null;
  /** {@link FlagFilters}, not validated. */
  readonly filters: unknown;
}

/** Conditions and variants of a flag, in the wire's shape. Stored values may differ from this type and are read defensively. */
export interface FlagFilters {
  groups?: FlagCondition[];
  multivariate?: { variants: FlagVariant[] } | null;
  /** By variant key, or `true` for a flag without variants. */
  payloads?: Record<string, unknown>;
  aggregation_group_type_index?: number | null;
  early_exit?: boolean | null;
  feature_enrollment?: boolean | null;
  super_groups?: FlagCondition[] | null;
  holdout?: { id: number | string; exclusion_percentage: number } | null;
  /** Legacy shape of `holdout`. */
  holdout_groups?: { variant?: string | null; rollout_percentage?: number | null }[] | null;
}

export interface FlagCondition {
  properties?: FlagProperty[];
  /** 0 to 100, fractions allowed; default 100. */
  rollout_percentage?: number | null;
  /** Forces this variant, when it exists, instead of the hashed one. */
  variant?: string | null;
  /** Present: overrides the flag's group type (null: people). */
  aggregation_group_type_index?: number | null;
}

export interface FlagVariant {
  key: string;
  name?: string | null;
  rollout_percentage: number;
}

export interface FlagProperty {
  key: string;
  type?: 'person' | 'group' | 'cohort' | 'flag' | 'person_metadata';
  /** Default `exact`. */
  operator?: string | null;
  value?: unknown;
  group_type_index?: number | null;
  negation?: boolean | null;
}

/** Dynamic cohorts by id: `{ type: 'AND' | 'OR', values }`. For all others the subject's `isInStaticCohort` decides. */
export type Cohorts = Readonly<Record<string, unknown>>;

/** The person, device and groups that flags are evaluated for. */
export interface Subject {
  readonly distinctId: string;
  readonly deviceId?: string | undefined;
  /** The identifier that replaces the distinct id of a flag (experience continuity); undefined: none. */
  hashKey?(flagKey: string): string | undefined;
  /** Stored properties, overridden by those of the request. The caller adds an absent `$initial_x` from `x`. */
  readonly personProperties: Readonly<Record<string, unknown>>;
  /** The subject's groups, by group type index. */
  readonly groups: Readonly<Record<number, { readonly key: string; readonly properties: Readonly<Record<string, unknown>> }>>;
  /** Membership of a static cohort; undefined: unknown. */
  isInStaticCohort?(id: number): boolean | undefined;
  /** True: properties may exist that are absent here. Flags that depend on one become `inconclusive`. */
  readonly incomplete?: boolean;
}

export interface Environment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Time zone of dates without one, such as `Europe/Berlin`; default UTC. */
  readonly timeZone?: string | undefined;
  /** Searches anywhere in the text; null: the pattern is invalid or too expensive. The default bounds the length, not the time. */
  matchesRegex?(pattern: string, text: string): boolean | null;
}

export type ReasonCode =
  | 'missing_dependency'
  | 'flag_disabled'
  | 'no_group_type'
  | 'no_condition_match'
  | 'out_of_rollout_bound'
  | 'condition_match'
  | 'holdout_condition_value'
  | 'super_condition_value';

export interface FlagResult {
  readonly key: string;
  /** False, true, or the variant's key. */
  readonly value: boolean | string;
  readonly variant: string | null;
  /** The stored payload, normally JSON text; null: none, or the flag is off. */
  readonly payload: unknown;
  readonly reason: ReasonCode;
  /** Index of the deciding condition. */
  readonly conditionIndex: number | null;
  /** Present when something unknown (a property, a cohort, an error) could change the result. */
  readonly inconclusive?: true;
}
