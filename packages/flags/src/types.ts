/** One flag as it is stored and as the definitions feed has it. Odd values are tolerated: such a flag matches nobody. */
export interface FlagDefinition {
  readonly id: number;
  readonly key: string;
  readonly active: boolean;
  readonly version?: number;
  readonly ensure_experience_continuity?: boolean;
  /** `device_id` puts people into a rollout by their device; anything else by their distinct id. */
  readonly bucketing_identifier?: string | null;
  readonly evaluation_runtime?: string | null;
  /** {@link FlagFilters}, unchecked. */
  readonly filters: unknown;
}

/** Whom a flag is for and what they get, in the wire's shape; what is stored may differ and is read with care. */
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
  /** The older shape of `holdout`. */
  holdout_groups?: { variant?: string | null; rollout_percentage?: number | null }[] | null;
}

export interface FlagCondition {
  properties?: FlagProperty[];
  /** 0 to 100, fractions allowed; absent or null is 100. */
  rollout_percentage?: number | null;
  /** Gives this variant instead of the one by hash, when it exists. */
  variant?: string | null;
  /** Present: overrules the flag's (null: people). */
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

/** Cohorts that are computed from properties, by id: `{ type: 'AND' | 'OR', values }`. All others are asked of the subject. */
export type Cohorts = Readonly<Record<string, unknown>>;

/** For whom flags are evaluated. */
export interface Subject {
  readonly distinctId: string;
  readonly deviceId?: string | undefined;
  /** The identifier that stands in for the distinct id (experience continuity); undefined: none does. */
  hashKey?(flagKey: string): string | undefined;
  /** Stored properties under those of the request; with `$initial_x` of people who only have an x. */
  readonly personProperties: Readonly<Record<string, unknown>>;
  /** The groups that the subject belongs to, by group type index. */
  readonly groups: Readonly<Record<number, { readonly key: string; readonly properties: Readonly<Record<string, unknown>> }>>;
  /** Membership of cohorts that are lists; undefined when that is not known. */
  isInStaticCohort?(id: number): boolean | undefined;
  /** True when a property that is absent here may exist: flags that turn on one say so by `inconclusive`. */
  readonly incomplete?: boolean;
}

export interface Environment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of dates without a zone, as `Europe/Berlin`; default UTC. */
  readonly timeZone?: string | undefined;
  /** Searches anywhere in the text; null: the pattern is invalid or too much. The default is bounded in length, not in time. */
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
  /** As stored, normally JSON text; null when there is none or the flag is off. */
  readonly payload: unknown;
  readonly reason: ReasonCode;
  /** Position of the condition that decided. */
  readonly conditionIndex: number | null;
  /** Present when something unknown (a property, a cohort, an error) could have changed the result. */
  readonly inconclusive?: true;
}
