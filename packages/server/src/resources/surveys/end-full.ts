import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { recordActivity } from '../activity/index.js';
import { countAnswers } from './answers-store.js';
import { endSurvey, type LimitedSurvey, listLimited } from './limits-store.js';

/** Ends the surveys that have as many stored answers as they are limited to. Any number of servers may do so at once. */
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

/** Nothing happens when somebody has changed the limit, or ended the survey, meanwhile. */
const end = (deps: Deps, { id, uuid, name, project_id, organization_id, responses_limit }: LimitedSurvey): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    const now = new Date(deps.clock.now());
    if (!(await endSurvey(tx, project_id, id, responses_limit, now))) return;
    await recordActivity(tx, deps, {
      organizationId: organization_id,
      projectId: project_id,
      userId: null,
      activity: 'updated',
      scope: 'Survey',
      itemId: uuid,
      of: { resource: 'survey', id },
      detail: {
        name,
        changes: [{ type: 'Survey', action: 'created', field: 'end_date', before: null, after: now.toISOString() }],
        trigger: { job_type: 'responses_limit', job_id: uuid },
      },
    });
  });
