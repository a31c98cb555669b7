import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { DbTransaction } from '../../ports/db.js';
import { changeFlag, createFlag, flagOfSurvey } from '../feature-flags/index.js';
import type { SurveyState } from './row.js';

/** The flag that says whom a survey asks. */
export type Targeting = Pick<SurveyState, 'targeting_flag_id' | 'owns_targeting_flag'>;

/** What a request says of it; undefined leaves it as it is. */
export interface TargetingFields {
  /** A flag that somebody made; null: none. */
  flagId: number | null | undefined;
  /** Filters of a flag of the survey's own; null: none. */
  filters: JsonObject | null | undefined;
}

/**
 * Follows a request: makes, changes or deletes the survey's own flag, which goes by its targeting filters.
 * @throws ApiError invalid_input when the filters are refused, or are to be had beside another flag
 */
export async function followTargeting(
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
  const isGone = own !== null && (filters === null || other !== undefined);
  if (isGone) await deleteOwnFlag(tx, context, own);
  if (other !== undefined) return { targeting_flag_id: other, owns_targeting_flag: false };
  if (isGone) return { targeting_flag_id: null, owns_targeting_flag: false };
  return { targeting_flag_id: before.targeting_flag_id, owns_targeting_flag: before.owns_targeting_flag };
}

/** The survey is gone, and with it the flag that was its own. */
export const deleteOwnFlag = (tx: DbTransaction, context: ProjectContext, id: number) =>
  refusedAs(changeFlag(tx, context, id, (flag) => (flag.deleted ? {} : { deleted: true })));

async function putOwnFlag(
  tx: DbTransaction,
  context: ProjectContext,
  { uuid, name }: { uuid: string; name: string },
  own: number | null,
  filters: JsonObject,
): Promise<number> {
  if (own !== null) {
    const { id } = await refusedAs(changeFlag(tx, context, own, { filters, deleted: false }));
    return id;
  }
  const fields = { key: flagOfSurvey(uuid), name: `Whom the survey "${name}" asks`.slice(0, 400), filters };
  const { id } = await refusedAs(createFlag(tx, context, fields));
  return id;
}

/** What the flag refuses, as the survey's field that it came in. */
async function refusedAs<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw new ApiError(error.code, error.body.detail, 'targeting_flag_filters');
  }
}
