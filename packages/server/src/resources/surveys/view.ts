import { type Access, accessOf } from '../../access/index.js';
import { isoTime } from '../../http/dates.js';
import { type ProjectContext, usersById } from '../../identity/index.js';
import type { FlagOfSurvey, SurveyRow } from './row.js';

/** Surveys as `access` leaves them to the caller; one statement for all who made them. */
export async function surveyViews(context: ProjectContext, access: Access, rows: readonly SurveyRow[]) {
  const [creators, flags] = await Promise.all([
    usersById(
      context.deps.db,
      rows.map(({ created_by }) => created_by),
    ),
    accessOf(context, 'feature_flag'),
  ]);
  const shown = (flag: FlagOfSurvey | null) => (flag && flags.levelOn(flag) !== 'none' ? flagView(flag) : null);
  return rows.map((row) => ({
    id: row.uuid,
    name: row.name,
    description: row.description,
    type: row.type,
    questions: row.questions,
    conditions: row.conditions,
    appearance: row.appearance,
    linked_flag_id: row.linked_flag_id,
    linked_flag: shown(row.linked_flag),
    targeting_flag_id: row.targeting_flag_id,
    targeting_flag: shown(row.targeting_flag),
    start_date: isoTime(row.start_date),
    end_date: isoTime(row.end_date),
    archived: row.archived,
    created_by: (row.created_by !== null && creators.get(row.created_by)) || null,
    created_at: isoTime(row.created_at),
    user_access_level: access.levelOn(row),
  }));
}

const flagView = ({ created_by: _, ...flag }: FlagOfSurvey) => flag;
