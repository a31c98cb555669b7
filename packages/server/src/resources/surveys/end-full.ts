import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { recordActivity } from '../activity/index.js';
import { endedEntry } from './activity.js';
import { countAnswers } from './answers-store.js';
import { endSurvey, type LimitedSurvey, listLimited } from './store.js';

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
