import type { User } from '../../auth/index.js';
import type { JsonObject } from '../../kernel/json.js';

/** What a request sets of a flag: all that a version keeps. */
export interface FlagState {
  key: string;
  /** What it is for, in words. */
  name: string;
  filters: JsonObject;
  active: boolean;
  deleted: boolean;
  ensure_experience_continuity: boolean;
  bucketing_identifier: 'distinct_id' | 'device_id';
  evaluation_runtime: 'all' | 'client' | 'server';
  evaluation_contexts: string[];
  is_remote_configuration: boolean;
  has_encrypted_payloads: boolean;
  has_enriched_analytics: boolean;
  tags: string[];
  usage_dashboard_id: number | null;
  analytics_dashboards: number[];
}

export const STATE_FIELDS = [
  'key',
  'name',
  'filters',
  'active',
  'deleted',
  'ensure_experience_continuity',
  'bucketing_identifier',
  'evaluation_runtime',
  'evaluation_contexts',
  'is_remote_configuration',
  'has_encrypted_payloads',
  'has_enriched_analytics',
  'tags',
  'usage_dashboard_id',
  'analytics_dashboards',
] as const satisfies readonly (keyof FlagState)[];

/** An early access feature that a flag decides, as flags show it. */
export interface FeatureOfFlag {
  id: string;
  name: string;
  description: string;
  stage: string;
  documentation_url: string;
  payload: JsonObject;
}

/** A flag as the database has it, with what hangs on it. */
export interface FlagRow extends FlagState {
  id: number;
  version: number;
  created_by: number | null;
  /** Who made it. */
  author: User | null;
  created_at: Date;
  updated_at: Date;
  last_modified_by: number | null;
  /** Who changed it last. */
  editor: User | null;
  last_called_at: Date | null;
  /** Ids of experiments that are not deleted, in the order of making. */
  experiment_set: number[];
  /** Those of them that run. */
  running_experiments: number[];
  features: FeatureOfFlag[];
  /** Surveys that ask only whom it is on for, in the order of making. */
  surveys: { id: string }[];
  /** Whether everybody gets the same value from its conditions. */
  is_constant: boolean;
}
