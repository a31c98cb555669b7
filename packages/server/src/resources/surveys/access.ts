import { type AccessControlOptions, findersOf } from '../../access/index.js';
import { isUuid } from '../../kernel/ids.js';
import { recordActivity, ruleEntry } from '../activity/index.js';
import { surveyParams } from './schema.js';
import { readSurvey, type SurveyRow } from './store.js';

const { readLive, findVisible, findEditable } = findersOf<SurveyRow>({
  resource: 'survey',
  // paths have UUIDs, only access rules have numbers
  read: async () => null,
  readByName: async ({ deps, project }, segment) => (isUuid(segment) ? readSurvey(deps.db, project.id, segment) : null),
});

export { findEditable, findVisible };

/** The access rules of single surveys. */
export const accessControls: AccessControlOptions<SurveyRow> = {
  resource: 'survey',
  path: '/surveys/:id',
  params: surveyParams,
  load: readLive,
  changed: (tx, context, { id, name }, change) =>
    recordActivity(tx, context.deps, ruleEntry(context, { of: { resource: 'survey', id }, name }, change)),
};
