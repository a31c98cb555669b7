import { type Access, accessOf } from '../../access/index.js';
import { type ProjectContext, usersById } from '../../auth/index.js';
import { iterationAt, iterationStarts } from '../../evaluation/index.js';
import { isoTime } from '../../http/dates.js';
import type { LinkedFlag } from '../feature-flags/index.js';
import type { SurveyRow } from './store.js';

/** Surveys as responses show them, with what `access` allows the caller; reads all creators by one statement. */
export async function surveyViews(context: ProjectContext, access: Access, rows: readonly SurveyRow[]) {
  const [creators, flags] = await Promise.all([
    usersById(
      context.deps.db,
      rows.map(({ created_by }) => created_by),
    ),
    accessOf(context, 'feature_flag'),
  ]);
  const shown = (flag: LinkedFlag | null) => (flag && flags.levelOn(flag) !== 'none' ? flagView(flag) : null);
  const now = context.deps.clock.now();
  return rows.map((row) => ({
    id: row.uuid,
    name: row.name,
    description: row.description,
    type: row.type,
    questions: row.questions,
    conditions: row.conditions,
    appearance: row.appearance,
    translations: row.translations,
    linked_flag_id: row.linked_flag_id,
    linked_flag: shown(row.linked_flag),
    targeting_flag_id: row.targeting_flag_id,
    targeting_flag: shown(row.targeting_flag),
    targeting_flag_filters: row.owns_targeting_flag ? (shown(row.targeting_flag)?.filters ?? null) : null,
    internal_targeting_flag: null,
    schedule: row.schedule,
    iteration_count: row.iteration_count,
    iteration_frequency_days: row.iteration_frequency_days,
    iteration_start_dates: iterationStarts(row)?.map(isoTime) ?? null,
    current_iteration: iterationAt(row, now)?.current ?? null,
    current_iteration_start_date: isoTime(iterationAt(row, now)?.start ?? null),
    responses_limit: row.responses_limit,
    enable_partial_responses: row.enable_partial_responses,
    feature_flag_keys: [
      { key: 'linked_flag_key', value: shown(row.linked_flag)?.key ?? null },
      { key: 'targeting_flag_key', value: shown(row.targeting_flag)?.key ?? null },
    ].filter(({ value }) => value !== null),
    start_date: isoTime(row.start_date),
    end_date: isoTime(row.end_date),
    archived: row.archived,
    created_by: (row.created_by !== null && creators.get(row.created_by)) || null,
    created_at: isoTime(row.created_at),
    user_access_level: access.levelOn(row),
  }));
}

const flagView = ({ id, key, name, filters, active, deleted }: LinkedFlag) => ({ id, key, name, filters, active, deleted });
