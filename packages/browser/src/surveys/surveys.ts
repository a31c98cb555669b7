import { surveys as clientSurveys, type Surveys, type SurveysOptions } from '@tidemark/client';

/**
 * Asks visitors the questions of the surveys that the project runs. The interface is the page's: it is given what to show, and says what
 * was answered. Who has answered or dismissed a survey is not asked again.
 * @example
 * init('tmk_…', { features: [surveys({ display: (open) => showDialog(open) })] });
 */
export const surveys = (options: SurveysOptions): Surveys =>
  clientSurveys(options, (selector) => document.querySelector(selector) !== null);
