import { comparedVariants, type ExperimentStatus, statusOf, type Variant, variantsOf } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { type Change, changeExperiment } from './change.js';
import type { EndFields, ShipFields } from './schema.js';
import type { ExperimentRow, ExperimentState } from './store.js';
import { variantJson } from './variants.js';

/*
 * The stages of an experiment:
 *
 *           launch            pause
 *   draft ---------> running <-------> paused
 *     ^                 |     resume      |
 *     |                 |       end       |
 *     |                 v                 |
 *     |             complete <------------+
 *     |
 *     +---- reset, from every other stage
 *
 * ship_variant works from running, paused and complete, and leads to complete.
 */

type State = Partial<ExperimentState>;

/** One variant would have nothing to be compared with. */
const MIN_VARIANTS = 2;

/** Requires dates that an experiment may have: no end without a start, or before it. @throws ApiError invalid_input */
export function requireDateOrder(start: Date | null, end: Date | null): void {
  if (!end) return;
  if (!start) throw new ApiError('invalid_input', 'An experiment that has not started cannot have an end.', 'end_date');
  if (end <= start) throw new ApiError('invalid_input', 'The end must be after the start.', 'end_date');
}

/** Starts an experiment at `at` and switches its flag on. @throws ApiError invalid_input */
export async function started(row: ExperimentRow, at: Date, change: Change): Promise<State> {
  if (row.flag.deleted) refuse('The feature flag of this experiment is deleted. Restore it before the start.');
  return begin(row, { start: at, compared: variantsOf(row.flag.filters) }, change);
}

/** The start of an experiment that compares these variants, which switches its flag on. @throws ApiError invalid_input */
export async function begin(
  row: ExperimentRow,
  { start, compared }: { start: Date; compared: readonly Variant[] },
  { changeFlag }: Change,
): Promise<State> {
  if (compared.length < MIN_VARIANTS) refuse('An experiment needs a feature flag with at least two variants to start.');
  if (!row.flag.active) await changeFlag(row, { active: true });
  return { start_date: start, parameters: { ...row.parameters, feature_flag_variants: compared.map(variantJson) } };
}

export const launch = (context: ProjectContext, id: number): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (row, change) => {
    requireStatus(row, ['draft'], 'This experiment has been started already.');
    return started(row, change.now, change);
  });

/** Switches the flag off: no new persons take part until the experiment is resumed. */
export const pause = (context: ProjectContext, id: number): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (row, { changeFlag }) => {
    requireStatus(row, ['running'], 'Only a running experiment can be paused.');
    await changeFlag(row, { active: false });
    return {};
  });

export const resume = (context: ProjectContext, id: number): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (row, { changeFlag }) => {
    requireStatus(row, ['paused'], 'Only a paused experiment can be resumed.');
    if (row.flag.deleted) refuse('The feature flag of this experiment is deleted.');
    await changeFlag(row, { active: true });
    return {};
  });

export const end = (context: ProjectContext, id: number, fields: EndFields): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (row, { now }) => {
    requireStatus(row, ['running', 'paused'], 'Only an experiment that has been started and not ended can be ended.');
    return { ...concluded(fields), end_date: endAt(row, now) };
  });

/** Makes an experiment a draft again: exposures until now no longer count. Its flag does not change. */
export const reset = (context: ProjectContext, id: number): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (row) => {
    requireStatus(row, ['running', 'paused', 'complete'], 'Only an experiment that has been started can be reset.');
    const { feature_flag_variants: _, ...parameters } = row.parameters;
    return {
      start_date: null,
      end_date: null,
      archived: false,
      parameters,
      conclusion: null,
      conclusion_comment: null,
      shipped_variant: null,
    };
  });

/** Gives everybody a variant, and ends the experiment if it is running. */
export const shipVariant = (context: ProjectContext, id: number, fields: ShipFields): Promise<ExperimentRow> =>
  changeExperiment(context, id, async (row, { changeFlag, now }) => {
    requireStatus(row, ['running', 'paused', 'complete'], 'Only an experiment that has been started can ship a variant.');
    const { variant_key: variant } = fields;
    const known = variantsOf(row.flag.filters).some(({ key }) => key === variant);
    if (!known || !comparedVariants(row).some(({ key }) => key === variant)) {
      throw new ApiError('invalid_choice', `"${variant.slice(0, 200)}" is not a valid choice.`, 'variant_key');
    }
    if (row.flag.deleted) refuse('The feature flag of this experiment is deleted.');
    await changeFlag(row, { active: true, filters: forEverybody(row.flag.filters, variant) });
    return { ...concluded(fields), shipped_variant: variant, ...(row.end_date ? {} : { end_date: endAt(row, now) }) };
  });

/** Filters that give everybody `variant`: the first condition matches everybody, and there is no holdout. */
function forEverybody(filters: JsonObject, variant: string): JsonObject {
  const { holdout: _holdout, holdout_groups: _groups, ...rest } = filters;
  const variants = variantsOf(filters).map((one) => variantJson({ ...one, rollout_percentage: one.key === variant ? 100 : 0 }));
  const multivariate = isObject(filters['multivariate']) ? filters['multivariate'] : {};
  const groups = Array.isArray(filters['groups']) ? filters['groups'] : [];
  return {
    ...rest,
    groups: [{ properties: [], rollout_percentage: 100 }, ...groups],
    multivariate: { ...multivariate, variants },
  };
}

const concluded = ({ conclusion, conclusion_comment: comment }: EndFields): State => ({
  ...(conclusion === undefined ? {} : { conclusion }),
  ...(comment === undefined ? {} : { conclusion_comment: comment }),
});

/** `now` as the end of an experiment. @throws ApiError invalid_input: the start was set to a later time */
const endAt = ({ start_date: start }: ExperimentRow, now: Date): Date => {
  if (start && start >= now) refuse('This experiment starts later; set its dates instead.');
  return now;
};

function requireStatus(row: ExperimentRow, allowed: readonly ExperimentStatus[], message: string): void {
  if (!allowed.includes(statusOf(row))) refuse(message);
}

function refuse(message: string): never {
  throw new ApiError('invalid_input', message);
}
