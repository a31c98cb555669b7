import { comparedVariants, readVariants, type Variant, variantsOf } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import { recordActivity } from '../activity/index.js';
import { createFlag, type FlagRow, readFlag } from '../feature-flags/index.js';
import { experimentEntry } from './activity.js';
import { type Change, flagAccess, toolsOf } from './change.js';
import { withIds } from './metric-list.js';
import type { CreateFields, DuplicateFields } from './schema.js';
import { begin, requireDateOrder } from './stages.js';
import { type ExperimentRow, type ExperimentState, insertExperiment, readExperiment, updateExperiment } from './store.js';
import { areSame, holdoutOf, setHoldout, variantJson } from './variants.js';

const EVEN_SPLIT: readonly Variant[] = [
  { key: 'control', name: 'Control', rollout_percentage: 50 },
  { key: 'test', name: 'Test', rollout_percentage: 50 },
];

/** Creates an experiment, and a flag when none has the key. @throws ApiError permission_denied, invalid_input */
export function createExperiment(context: ProjectContext, fields: CreateFields): Promise<ExperimentRow> {
  const { name, feature_flag_key: key, start_date: start = null } = fields;
  const end = fields.end_date ?? null;
  requireDateOrder(start, end);
  return inTransaction(context.deps.db, async (tx) => {
    const change = toolsOf(tx, context);
    const { feature_flag_variants: variants, rollout_percentage: share, ...parameters } = storable(fields.parameters);
    const wanted = variants ? readVariants(variants) : null;
    const rollout = typeof share === 'number' ? share : 100;
    const flag = await flagFor(change, { key, name, variants: wanted, share: rollout, hasStarted: start !== null });
    const compared = wanted ?? variantsOf(flag.filters);
    const shipped = fields.shipped_variant ?? null;
    if (shipped !== null && !(end && compared.some((one) => one.key === shipped))) {
      refuse('Only an experiment that has ended can have a shipped variant, and it is one of its own.', 'shipped_variant');
    }
    const state: ExperimentState = {
      name,
      description: fields.description ?? '',
      start_date: null,
      end_date: null,
      archived: fields.archived ?? false,
      deleted: false,
      parameters,
      exposure_criteria: fields.exposure_criteria ?? {},
      metrics: withIds(fields.metrics ?? [], () => context.deps.ids.uuid()),
      metrics_secondary: withIds(fields.metrics_secondary ?? [], () => context.deps.ids.uuid()),
      stats_config: storable(fields.stats_config),
      // an existing flag may have a holdout
      holdout: fields.holdout ? storable(fields.holdout) : holdoutOf(flag.filters),
      conclusion: fields.conclusion ?? null,
      conclusion_comment: fields.conclusion_comment ?? null,
      shipped_variant: shipped,
    };
    return insert(change, flag, state, start && { start, end, compared });
  });
}

/** Creates a draft with the metrics and rules of another experiment. @throws ApiError permission_denied, invalid_input */
export function duplicateExperiment(
  context: ProjectContext,
  row: ExperimentRow,
  { name, feature_flag_key: key }: DuplicateFields,
): Promise<ExperimentRow> {
  return inTransaction(context.deps.db, async (tx) => {
    const change = toolsOf(tx, context);
    const title = name ?? `${row.name.slice(0, 393)} (Copy)`;
    // with the same flag the copy compares the current variants of the flag
    const isOther = key !== undefined && key !== null && key !== row.flag.key;
    const flag = isOther
      ? await flagFor(change, { key, name: title, variants: null, share: 100, otherwise: comparedVariants(row) })
      : await flagFor(change, { key: row.flag.key, name: title, variants: null, share: 100, otherwise: null });
    const { feature_flag_variants: _, ...parameters } = row.parameters;
    const newId = () => context.deps.ids.uuid();
    return insert(
      change,
      flag,
      {
        name: title,
        description: row.description,
        start_date: null,
        end_date: null,
        archived: false,
        deleted: false,
        parameters,
        exposure_criteria: row.exposure_criteria,
        metrics: withIds(
          row.metrics.map(({ uuid: _uuid, ...metric }) => metric),
          newId,
        ),
        metrics_secondary: withIds(
          row.metrics_secondary.map(({ uuid: _uuid, ...metric }) => metric),
          newId,
        ),
        stats_config: row.stats_config,
        holdout: row.holdout,
        conclusion: null,
        conclusion_comment: null,
        shipped_variant: null,
      },
      null,
    );
  });
}

async function insert(
  change: Change,
  flag: FlagRow,
  state: ExperimentState,
  past: { start: Date; end: Date | null; compared: readonly Variant[] } | null,
): Promise<ExperimentRow> {
  const { tx, context, now } = change;
  const { project, principal, deps } = context;
  const made = { ...state, feature_flag_id: flag.id, created_by: principal.userId };
  const id = await insertExperiment(tx, project.id, made, now);
  await setHoldout(change, await read(change, id), state.holdout);
  if (past) {
    const begun = await begin(await read(change, id), past, change);
    await updateExperiment(tx, project.id, id, { ...state, ...begun, end_date: past.end }, now);
  }
  const row = await read(change, id);
  await recordActivity(tx, deps, experimentEntry(context, row, 'created'));
  return row;
}

async function read({ tx, context }: Change, id: number): Promise<ExperimentRow> {
  const row = await readExperiment(tx, context.project.id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

interface FlagRequest {
  key: string;
  /** Name of the experiment. */
  name: string;
  /** The variants that an existing flag must have; null: any. */
  variants: readonly Variant[] | null;
  /** Whether the variants are those of an earlier start: the flag may give them to other shares of the people by now. */
  hasStarted?: boolean;
  /** Percentage of everybody for whom a new flag is on. */
  share: number;
  /** The variants of a new flag without `variants`; null: the flag must exist. */
  otherwise?: readonly Variant[] | null;
}

/** The flag with the key, created if necessary. @throws ApiError permission_denied, does_not_exist, invalid_input */
async function flagFor({ tx, context }: Change, wanted: FlagRequest): Promise<FlagRow> {
  const { key, name, variants, share, hasStarted = false, otherwise = EVEN_SPLIT } = wanted;
  const [flag, access] = await Promise.all([readFlag(tx, context.project.id, { key }), flagAccess(context)]);
  if (flag) {
    access.requireOn(flag, 'viewer');
    const present = variantsOf(flag.filters);
    if (present.length === 0) refuse('This feature flag has no variants, so there is nothing to compare.', 'feature_flag_key');
    const hasAll = (all: readonly Variant[]) => all.every((one) => present.some((other) => other.key === one.key));
    if (variants && !(hasStarted ? hasAll(variants) : areSame(variants, present)))
      refuse('This feature flag exists and has other variants.', 'parameters');
    return flag;
  }
  if (!otherwise) throw new ApiError('does_not_exist', 'The feature flag of this experiment is deleted.', 'feature_flag_key');
  access.requireResource('editor');
  const filters = {
    groups: [{ properties: [], rollout_percentage: share }],
    multivariate: { variants: (variants ?? otherwise).map(variantJson) },
  };
  // off until the start
  return ofParameters(createFlag(tx, context, { key, name: `Feature flag of the experiment ${name}`, filters, active: false }));
}

/** Reports an error of the flag under the experiment's field that caused it. */
export async function ofParameters<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const field = { filters: 'parameters', key: 'feature_flag_key' }[error.body.attr ?? ''];
    throw field ? new ApiError(error.code, error.body.detail, field) : error;
  }
}

/** The JSON to store for an object of a request. */
export const storable = (value: object | null | undefined): JsonObject => JSON.parse(JSON.stringify(value ?? {}));

function refuse(message: string, field: string): never {
  throw new ApiError('invalid_input', message, field);
}
