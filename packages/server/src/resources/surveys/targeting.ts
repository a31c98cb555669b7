import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { DbTransaction } from '../../ports/db.js';
import { changeFlag, createFlag, flagOfSurvey } from '../feature-flags/index.js';
import type { SurveyState } from './store.js';

/** The targeting flag of a survey: the survey is shown to people for whom the flag is on. */
export type Targeting = Pick<SurveyState, 'targeting_flag_id' | 'owns_targeting_flag'>;

/** The targeting of a request; undefined changes nothing. */
export interface TargetingFields {
  /** An existing flag; null: none. */
  flagId: number | null | undefined;
  /** Filters of the survey's own flag; null: no own flag. */
  filters: JsonObject | null | undefined;
}

/**
 * Applies the targeting of a request: creates, updates or deletes the survey's own flag.
 * @throws ApiError invalid_input: the flag refuses the filters, or the request has another flag too; permission_denied
 */
export async function applyTargeting(
  tx: DbTransaction,
  context: ProjectContext,
  survey: { uuid: string; name: string },
  before: Targeting,
  { flagId, filters }: TargetingFields,
): Promise<Targeting> {
  const own = before.owns_targeting_flag ? before.targeting_flag_id : null;
  const other = flagId !== undefined && flagId !== own ? flagId : undefined;
  if (filters) {
    if (other) {
      const message = 'Send either targeting_flag_id or targeting_flag_filters: the filters make a flag of their own.';
      throw new ApiError('invalid_input', message, 'targeting_flag_filters');
    }
    return { targeting_flag_id: await putOwnFlag(tx, context, survey, own, filters), owns_targeting_flag: true };
  }
  const isOwnRemoved = own !== null && (filters === null || other !== undefined);
  if (isOwnRemoved) await deleteOwnFlag(tx, context, own);
  if (other !== undefined) return { targeting_flag_id: other, owns_targeting_flag: false };
  if (isOwnRemoved) return { targeting_flag_id: null, owns_targeting_flag: false };
  return { targeting_flag_id: before.targeting_flag_id, owns_targeting_flag: before.owns_targeting_flag };
}

/** Deletes the survey's own flag. */
export const deleteOwnFlag = (tx: DbTransaction, context: ProjectContext, id: number) =>
  withSurveyField(changeFlag(tx, context, id, (flag) => (flag.deleted ? {} : { deleted: true })));

async function putOwnFlag(
  tx: DbTransaction,
  context: ProjectContext,
  { uuid, name }: { uuid: string; name: string },
  own: number | null,
  filters: JsonObject,
): Promise<number> {
  if (own !== null) {
    const { id } = await withSurveyField(changeFlag(tx, context, own, { filters, deleted: false }));
    return id;
  }
  const fields = { key: flagOfSurvey(uuid), name: `Whom the survey "${name}" asks`.slice(0, 400), filters };
  const { id } = await withSurveyField(createFlag(tx, context, fields));
  return id;
}

/** Reports an error of the flag under the survey's field that caused it. */
async function withSurveyField<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw new ApiError(error.code, error.body.detail, 'targeting_flag_filters');
  }
}
