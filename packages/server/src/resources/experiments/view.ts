import { type Access, accessOf } from '../../access/index.js';
import { baselineOf, comparedVariants, statusOf } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { ExperimentRow } from './store.js';
import { variantJson } from './variants.js';

/** Experiments as responses show them; `access`: the caller's access to experiments. */
export async function experimentViews(context: ProjectContext, access: Access, rows: readonly ExperimentRow[]) {
  const flags = await accessOf(context, 'feature_flag');
  return rows.map((row) => view(access, flags, row));
}

/** {@link experimentViews} of one experiment. */
export async function experimentView(context: ProjectContext, access: Access, row: ExperimentRow) {
  return view(access, await accessOf(context, 'feature_flag'), row);
}

const view = (access: Access, flags: Access, row: ExperimentRow) => {
  const { created_by: _, ...flag } = row.flag;
  const variants = comparedVariants(row);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    start_date: isoTime(row.start_date),
    end_date: isoTime(row.end_date),
    feature_flag_key: row.flag.key,
    feature_flag: flags.levelOn(row.flag) === 'none' ? null : flag,
    holdout: row.holdout,
    exposure_cohort: null,
    parameters: { ...row.parameters, feature_flag_variants: variants.map(variantJson) },
    secondary_metrics: [],
    saved_metrics: [],
    saved_metrics_ids: [],
    scheduling_config: null,
    type: 'product' as const,
    filters: {},
    archived: row.archived,
    deleted: row.deleted,
    created_by: row.author,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    version: row.version,
    last_modified_by: row.modifier,
    metrics: row.metrics,
    metrics_secondary: row.metrics_secondary,
    stats_config: row.stats_config,
    exposure_criteria: row.exposure_criteria,
    conclusion: row.conclusion,
    conclusion_comment: row.conclusion_comment,
    shipped_variant: row.shipped_variant,
    baseline: baselineOf(variants),
    status: statusOf(row),
    user_access_level: access.levelOn(row),
  };
};
