import { findersOf } from '../../access/index.js';
import { isUuid } from '../../kernel/ids.js';
import { readSurvey, type SurveyRow } from './store.js';

const { readLive, findVisible, findEditable } = findersOf<SurveyRow>({
  resource: 'survey',
  // paths have UUIDs, only access rules have numbers
  read: async () => null,
  readByName: async ({ deps, project }, segment) => (isUuid(segment) ? readSurvey(deps.db, project.id, segment) : null),
});

export { findEditable, findVisible, readLive };
