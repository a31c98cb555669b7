import { type Activity, type ActivityEntry, byCaller, type Caller, changesBetween } from '../activity/index.js';
import type { LimitedSurvey, SurveyRow } from './store.js';

/** Fields whose changes the activity log records. */
const LOGGED = [
  'description',
  'type',
  'questions',
  'conditions',
  'appearance',
  'translations',
  'linked_flag_id',
  'targeting_flag_id',
  'owns_targeting_flag',
  'schedule',
  'iteration_count',
  'iteration_frequency_days',
  'responses_limit',
  'enable_partial_responses',
  'start_date',
  'end_date',
  'archived',
  'name',
] as const;

/** The entry of the activity log for something that the caller did with a survey; `before`: the survey before an update. */
export const surveyEntry = (caller: Caller, activity: Activity, row: SurveyRow, before: SurveyRow = row): ActivityEntry => ({
  ...byCaller(caller),
  activity,
  scope: 'Survey',
  itemId: row.uuid,
  of: { resource: 'survey', id: row.id },
  detail: { name: row.name, changes: changesBetween('Survey', before, row, LOGGED) },
});

/** The entry for a survey that ended because it has all its answers. */
export const endedEntry = (survey: LimitedSurvey, end: Date): ActivityEntry => ({
  organizationId: survey.organization_id,
  projectId: survey.project_id,
  userId: null,
  activity: 'updated',
  scope: 'Survey',
  itemId: survey.uuid,
  of: { resource: 'survey', id: survey.id },
  detail: {
    name: survey.name,
    changes: [{ type: 'Survey', action: 'created', field: 'end_date', before: null, after: end.toISOString() }],
    trigger: { job_type: 'responses_limit', job_id: survey.uuid },
  },
});
