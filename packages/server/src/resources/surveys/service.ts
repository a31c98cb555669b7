import type { SurveyQuestion } from '@tidemark/wire';
import { accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { readFlag } from '../feature-flags/index.js';
import { endedEntry, surveyEntry } from './activity.js';
import { countAnswers } from './answers-store.js';
import type { ChangeFields, NewFields, NewQuestion } from './schema.js';
import {
  deleteSurvey,
  endSurvey,
  insertSurvey,
  type LimitedSurvey,
  listLimited,
  lockSurvey,
  type SurveyRow,
  type SurveyState,
  updateSurvey,
} from './store.js';
import { applyTargeting, deleteOwnFlag } from './targeting.js';

/** Creates a survey. @throws ApiError does_not_exist, invalid_input, permission_denied */
export async function createSurvey(context: ProjectContext, fields: NewFields): Promise<SurveyRow> {
  const { deps, project, principal } = context;
  const uuid = deps.ids.uuid();
  return inTransaction(deps.db, async (tx) => {
    const state = await stateOf(tx, context, { ...EMPTY, name: fields.name, uuid }, fields);
    await insertSurvey(tx, project.id, { ...state, uuid, created_by: principal.userId }, new Date(deps.clock.now()));
    const made = await lockOrThrow(tx, project.id, uuid);
    await recordActivity(tx, deps, surveyEntry(context, 'created', made));
    return made;
  });
}

/** Changes a survey. @throws ApiError not_found, does_not_exist, invalid_input, permission_denied */
export async function patchSurvey(context: ProjectContext, uuid: string, fields: ChangeFields): Promise<SurveyRow> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    const before = await lockOrThrow(tx, project.id, uuid);
    const state = await stateOf(tx, context, before, fields);
    await updateSurvey(tx, project.id, before.id, state, new Date(deps.clock.now()));
    const after = await lockOrThrow(tx, project.id, uuid);
    await recordActivity(tx, deps, surveyEntry(context, 'updated', after, before));
    return after;
  });
}

/** Deletes a survey and its own targeting flag. The answers stay: they are events. @throws ApiError not_found */
export async function removeSurvey(context: ProjectContext, uuid: string): Promise<void> {
  const { deps, project } = context;
  await inTransaction(deps.db, async (tx) => {
    const before = await lockOrThrow(tx, project.id, uuid);
    await deleteSurvey(tx, project.id, before.id);
    if (before.owns_targeting_flag && before.targeting_flag_id !== null) {
      await deleteOwnFlag(tx, context, before.targeting_flag_id);
    }
    await recordActivity(tx, deps, surveyEntry(context, 'deleted', before));
  });
}

const EMPTY: Omit<SurveyState, 'name'> = {
  description: '',
  type: 'popover',
  questions: [],
  conditions: null,
  appearance: null,
  translations: null,
  linked_flag_id: null,
  targeting_flag_id: null,
  owns_targeting_flag: false,
  schedule: 'once',
  iteration_count: null,
  iteration_frequency_days: null,
  responses_limit: null,
  enable_partial_responses: false,
  start_date: null,
  end_date: null,
  archived: false,
};

/** The survey after a change. @throws ApiError does_not_exist, required, invalid_input, permission_denied */
async function stateOf(
  tx: DbTransaction,
  context: ProjectContext,
  before: SurveyState & { uuid: string },
  fields: ChangeFields,
): Promise<SurveyState> {
  const { linked_flag_id: linked, targeting_flag_id: targeting, remove_targeting_flag: isRemoved } = fields;
  const given = <Value>(value: Value | undefined, old: Value): Value => (value === undefined ? old : value);
  if (linked) await requireFlag(tx, context, linked, 'linked_flag_id');
  if (targeting && targeting !== before.targeting_flag_id) await requireFlag(tx, context, targeting, 'targeting_flag_id');
  const state: SurveyState = {
    name: given(fields.name, before.name),
    description: given(fields.description, before.description) ?? '',
    type: given(fields.type, before.type),
    questions: fields.questions ? fields.questions.map((one) => questionOf(one, context)) : before.questions,
    conditions: given(fields.conditions, before.conditions),
    appearance: given(fields.appearance, before.appearance),
    translations: given(fields.translations, before.translations),
    linked_flag_id: given(linked, before.linked_flag_id),
    ...(await applyTargeting(tx, context, { uuid: before.uuid, name: given(fields.name, before.name) }, before, {
      flagId: isRemoved ? null : targeting,
      filters: isRemoved ? null : fields.targeting_flag_filters,
    })),
    ...scheduleOf(before, fields),
    responses_limit: given(fields.responses_limit, before.responses_limit),
    enable_partial_responses: given(fields.enable_partial_responses, before.enable_partial_responses) ?? false,
    start_date: given(fields.start_date, before.start_date),
    end_date: given(fields.end_date, before.end_date),
    archived: given(fields.archived, before.archived),
  };
  const { start_date: start, end_date: end } = state;
  if (end && !start) throw new ApiError('invalid_input', 'A survey that does not start cannot have an end.', 'end_date');
  if (end && start && end <= start) throw new ApiError('invalid_input', 'The end must be after the start.', 'end_date');
  return state;
}

/** The schedule after a change. @throws ApiError required, invalid_input */
function scheduleOf(before: SurveyState, fields: ChangeFields) {
  const { schedule = before.schedule } = fields;
  const { iteration_count: count = before.iteration_count, iteration_frequency_days: days = before.iteration_frequency_days } =
    fields;
  if (schedule === 'recurring') {
    if (!count) throw new ApiError('required', 'A recurring survey needs iteration_count.', 'iteration_count');
    if (!days) throw new ApiError('required', 'A recurring survey needs iteration_frequency_days.', 'iteration_frequency_days');
    return { schedule, iteration_count: count, iteration_frequency_days: days };
  }
  for (const field of ['iteration_count', 'iteration_frequency_days'] as const) {
    if (fields[field] && fields[field] !== before[field]) {
      throw new ApiError('invalid_input', 'Only a survey with the schedule "recurring" has iterations.', field);
    }
  }
  return { schedule: schedule ?? 'once', iteration_count: null, iteration_frequency_days: null };
}

/** A question with the defaults that clients expect, and without nulls. */
function questionOf(question: NewQuestion, { deps }: ProjectContext): SurveyQuestion {
  const given = Object.fromEntries(Object.entries(question).filter(([, value]) => value !== null && value !== undefined));
  const { id = deps.ids.uuid(), type, question: questionText, scale, display } = question;
  return {
    ...given,
    id,
    type,
    question: questionText,
    descriptionContentType: 'text',
    ...(type === 'rating' ? { scale: scale ?? 5, display: display ?? 'number' } : {}),
  };
}

/** Requires a flag of the project that the caller may see. @throws ApiError does_not_exist, permission_denied */
async function requireFlag(tx: DbTransaction, context: ProjectContext, id: number, attr: string): Promise<void> {
  const flag = await readFlag(tx, context.project.id, { id });
  if (!flag || flag.deleted) throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr);
  (await accessOf(context, 'feature_flag')).requireOn(flag, 'viewer');
}

async function lockOrThrow(tx: DbTransaction, projectId: number, uuid: string): Promise<SurveyRow> {
  const row = await lockSurvey(tx, projectId, uuid);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Ends the surveys whose stored answers have reached their limit. Several servers may run this at the same time. */
export async function endFullSurveys(deps: Deps): Promise<void> {
  const running = await listLimited(deps.db, new Date(deps.clock.now()));
  for (const projectId of new Set(running.map(({ project_id }) => project_id))) {
    const surveys = running.filter(({ project_id }) => project_id === projectId);
    const answers = await countAnswers(
      deps.events,
      projectId,
      surveys.map(({ uuid }) => uuid),
    );
    for (const survey of surveys) {
      if ((answers.get(survey.uuid) ?? 0) >= survey.responses_limit) await end(deps, survey);
    }
  }
}

/** Ends a survey, unless another request or server has changed its limit or ended it since it was listed. */
const end = (deps: Deps, survey: LimitedSurvey): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    const now = new Date(deps.clock.now());
    const isEnded = await endSurvey(tx, survey.project_id, survey.id, survey.responses_limit, now);
    if (isEnded) await recordActivity(tx, deps, endedEntry(survey, now));
  });
