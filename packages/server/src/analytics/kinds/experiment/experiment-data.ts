import { sql } from 'kysely';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { Db } from '../../../ports/db.js';

/** What the results of an experiment depend on, as it is stored. */
export interface ExperimentData {
  id: number;
  name: string;
  created_by: number | null;
  start_date: Date | null;
  end_date: Date | null;
  /** Has `feature_flag_variants` once the experiment has started. */
  parameters: JsonObject;
  exposure_criteria: JsonObject;
  metrics: JsonObject[];
  metrics_secondary: JsonObject[];
  stats_config: JsonObject;
  flag: { key: string; filters: JsonObject; active: boolean };
}

/** Reads an experiment of the project; null: there is none, or it is deleted. */
export async function readExperimentData(db: Db, projectId: number, id: number): Promise<ExperimentData | null> {
  const { rows } = await sql<ExperimentData>`
    select e.id, e.name, e.created_by, e.start_date, e.end_date, e.parameters, e.exposure_criteria, e.metrics,
      e.metrics_secondary, e.stats_config,
      jsonb_build_object('key', f.key, 'filters', f.filters, 'active', f.active) as flag
    from experiments e join feature_flags f on f.id = e.feature_flag_id
    where e.project_id = ${projectId} and e.id = ${id} and not e.deleted`.execute(db);
  return rows[0] ?? null;
}

export const EXPERIMENT_STATUSES = ['draft', 'running', 'paused', 'complete'] as const;
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];

/** The stage of an experiment. */
export function statusOf({
  start_date,
  end_date,
  flag,
}: Pick<ExperimentData, 'start_date' | 'end_date' | 'flag'>): ExperimentStatus {
  if (!start_date) return 'draft';
  if (end_date) return 'complete';
  return flag.active ? 'running' : 'paused';
}

/** A variant of a flag. Its percentage is of the people for whom the flag is on. */
export interface Variant {
  key: string;
  name: string | null;
  rollout_percentage: number;
}

/** Reads the variants of stored JSON; leaves malformed ones out. */
export const readVariants = (value: Json | undefined): Variant[] =>
  (Array.isArray(value) ? value.filter(isObject) : []).flatMap(({ key, name, rollout_percentage: share }) =>
    typeof key === 'string' && key !== ''
      ? [{ key, name: typeof name === 'string' ? name : null, rollout_percentage: typeof share === 'number' ? share : 0 }]
      : [],
  );

/** The variants of a flag. */
export const variantsOf = ({ multivariate }: JsonObject): Variant[] =>
  isObject(multivariate) ? readVariants(multivariate['variants']) : [];

/** The variants that an experiment compares: those at its start, or those of its flag before it. */
export const comparedVariants = ({
  start_date,
  parameters,
  flag,
}: Pick<ExperimentData, 'start_date' | 'parameters' | 'flag'>): Variant[] =>
  start_date && parameters['feature_flag_variants']
    ? readVariants(parameters['feature_flag_variants'])
    : variantsOf(flag.filters);

/** The variant that the others are compared with: `control`, or else the first. */
export const baselineOf = (variants: readonly Variant[]): string | null =>
  variants.find(({ key }) => key === 'control')?.key ?? variants[0]?.key ?? null;
