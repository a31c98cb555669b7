import { comparedVariants, readVariants } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { type Change, changeExperiment } from './change.js';
import { ofParameters, storable } from './create.js';
import { withIds } from './metric-list.js';
import type { UpdateFields } from './schema.js';
import { requireDateOrder, started } from './stages.js';
import type { ExperimentRow, ExperimentState } from './store.js';
import { areSame, setHoldout, variantJson } from './variants.js';

/** Updates an experiment. @throws ApiError not_found, conflict, permission_denied, invalid_input */
export const patchExperiment = (context: ProjectContext, id: number, fields: UpdateFields): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (before, change) => {
    const { feature_flag_key: key } = fields;
    requireVersion(before, fields);
    if (key !== undefined && key !== before.flag.key) {
      throw new ApiError(
        'invalid_input',
        'The feature flag of an experiment cannot be changed. Duplicate it instead.',
        'feature_flag_key',
      );
    }
    const dates = datesOf(fields, before);
    const parameters = await parametersOf(fields, before, change);
    const holdout = fields.holdout && storable(fields.holdout);
    if (holdout !== undefined) await setHoldout(change, before, holdout);
    const state: Partial<ExperimentState> = { ...plain(fields, context), ...dates, ...(parameters ? { parameters } : {}) };
    if (!before.start_date && dates.start_date) {
      const { flag } = before;
      const draft = { ...before, parameters: parameters ?? before.parameters, flag: flagAfter(flag, fields) };
      Object.assign(state, await started(draft, dates.start_date, change));
    }
    const runs = (state.start_date ?? before.start_date) && !(state.end_date === undefined ? before.end_date : state.end_date);
    if (state.archived && runs)
      throw new ApiError('invalid_input', 'A running experiment must be ended before it is archived.', 'archived');
    return state;
  });

/** Refuses a change of another version than the present one. A deleted experiment is refused as such. @throws ApiError conflict */
function requireVersion(row: ExperimentRow, { version, deleted }: UpdateFields): void {
  const isGone = row.deleted && deleted !== false;
  if (version === undefined || version === null || version === row.version || isGone) return;
  const who = row.modifier?.first_name || row.modifier?.email || 'Somebody';
  const conflict = new ApiError('conflict', `${who} has changed this experiment meanwhile.`, 'version');
  conflict.body.extra = { version: row.version, updated_at: isoTime(row.updated_at), last_modified_by: row.modifier };
  throw conflict;
}

/** The flag with the variants that the same request gives it. */
function flagAfter(flag: ExperimentRow['flag'], { parameters }: UpdateFields): ExperimentRow['flag'] {
  const variants = parameters?.feature_flag_variants;
  return variants ? { ...flag, filters: withVariants(flag.filters, storable({ variants })) } : flag;
}

function datesOf({ start_date: start, end_date: end }: UpdateFields, before: ExperimentRow): Partial<ExperimentState> {
  if (start === null && before.start_date) {
    throw new ApiError('invalid_input', 'A started experiment becomes a draft again by a reset.', 'start_date');
  }
  requireDateOrder(start ?? before.start_date, end === undefined ? before.end_date : end);
  return {
    ...(start === undefined ? {} : { start_date: start }),
    ...(end === undefined ? {} : { end_date: end }),
  };
}

/** The parameters to store; changes the variants of the flag if the request has others. @throws ApiError invalid_input */
async function parametersOf(fields: UpdateFields, before: ExperimentRow, { changeFlag }: Change): Promise<JsonObject | null> {
  if (fields.parameters === undefined) return null;
  const { feature_flag_variants: variants, ...parameters } = storable(fields.parameters);
  const former = before.parameters['feature_flag_variants'];
  const stored = before.start_date && former ? { ...parameters, feature_flag_variants: former } : parameters;
  if (!variants || areSame(readVariants(variants), comparedVariants(before))) return stored;
  if (before.start_date) {
    const message = 'The variants of a started experiment cannot be changed. Reset it before.';
    throw new ApiError('invalid_input', message, 'parameters');
  }
  await ofParameters(changeFlag(before, { filters: withVariants(before.flag.filters, { variants }) }));
  return stored;
}

const withVariants = (filters: JsonObject, { variants }: JsonObject): JsonObject => ({
  ...filters,
  multivariate: {
    ...(isObject(filters['multivariate']) ? filters['multivariate'] : {}),
    variants: readVariants(variants).map(variantJson),
  },
});

/** The fields that depend on no other field; undefined fields do not change. */
function plain(fields: UpdateFields, { deps }: ProjectContext): Partial<ExperimentState> {
  const newId = () => deps.ids.uuid();
  const { metrics, metrics_secondary: secondary, stats_config: stats, description } = fields;
  const all = {
    name: fields.name,
    description: description === null ? '' : description,
    archived: fields.archived,
    deleted: fields.deleted,
    exposure_criteria: fields.exposure_criteria === null ? {} : fields.exposure_criteria,
    metrics: metrics === undefined ? undefined : withIds(metrics ?? [], newId),
    metrics_secondary: secondary === undefined ? undefined : withIds(secondary ?? [], newId),
    stats_config: stats === undefined ? undefined : storable(stats),
    holdout: fields.holdout && storable(fields.holdout),
    conclusion: fields.conclusion,
    conclusion_comment: fields.conclusion_comment,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
