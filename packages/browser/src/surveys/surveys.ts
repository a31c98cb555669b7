import { surveys as clientSurveys, type Surveys, type SurveysOptions } from '@tidemark/client';

/**
 * Shows the project's surveys to visitors. The page has the interface: `display` gets a survey, shows its steps and passes the answers on. A visitor
 * who has answered or dismissed a survey does not see it again.
 * @example
 * init('tmk_…', { features: [surveys({ display: (open) => showDialog(open) })] });
 */
export const surveys = (options: SurveysOptions): Surveys =>
  clientSurveys(options, (selector) => document.querySelector(selector) !== null);
