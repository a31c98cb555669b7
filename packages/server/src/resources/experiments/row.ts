import type { User } from '../../auth/index.js';
import type { JsonObject } from '../../kernel/json.js';

/** What an experiment says of itself; the rest is its flag's. */
export interface ExperimentState {
  name: string;
  description: string;
  start_date: Date | null;
  end_date: Date | null;
  archived: boolean;
  deleted: boolean;
  /** Holds `feature_flag_variants` from the start on: results stay what they are when the flag changes. */
  parameters: JsonObject;
  exposure_criteria: JsonObject;
  metrics: JsonObject[];
  metrics_secondary: JsonObject[];
  stats_config: JsonObject;
  holdout: JsonObject | null;
  conclusion: string | null;
  conclusion_comment: string | null;
  shipped_variant: string | null;
}

/** An experiment as the database has it. */
export interface ExperimentRow extends ExperimentState {
  id: number;
  created_by: number | null;
  author: User | null;
  created_at: Date;
  updated_at: Date;
  flag: FlagOfExperiment;
}

/** Its flag, as experiments show it. */
export interface FlagOfExperiment {
  id: number;
  key: string;
  name: string;
  filters: JsonObject;
  active: boolean;
  deleted: boolean;
  ensure_experience_continuity: boolean;
  version: number;
  created_by: number | null;
}

export const STATUSES = ['draft', 'running', 'paused', 'complete'] as const;
export type ExperimentStatus = (typeof STATUSES)[number];

/** Where an experiment is between its making and its end. */
export function statusOf({ start_date, end_date, flag }: ExperimentRow): ExperimentStatus {
  if (!start_date) return 'draft';
  if (end_date) return 'complete';
  return flag.active ? 'running' : 'paused';
}
