import type { Survey } from '@tidemark/wire';
import { isoTime } from '../http/dates.js';
import type { Definitions } from './make-definitions.js';
import type { SurveyRow } from './store.js';
import { iterationAt } from './survey-iterations.js';

/** Surveys that run at `now` (epoch milliseconds), in the form for clients. */
export const runningSurveys = ({ surveys }: Pick<Definitions, 'surveys'>, now: number): Survey[] =>
  surveys.filter((survey) => isRunning(survey, now)).map((survey) => surveyView(survey, now));

/** Whether any survey runs at a time, in epoch milliseconds. */
export const hasSurveys = ({ surveys }: Pick<Definitions, 'surveys'>, now: number): boolean =>
  surveys.some((survey) => isRunning(survey, now));

const isRunning = ({ start_date, end_date }: SurveyRow, now: number): boolean =>
  start_date.getTime() <= now && (end_date === null || end_date.getTime() > now);

const PLAIN = { introScreenDescriptionContentType: 'text', thankYouMessageDescriptionContentType: 'text' };

function surveyView(row: SurveyRow, now: number): Survey {
  const {
    uuid,
    start_date,
    end_date: _end,
    appearance,
    iteration_count: _count,
    iteration_frequency_days: _days,
    ...survey
  } = row;
  const iteration = iterationAt(row, now);
  return {
    id: uuid,
    ...survey,
    // without a content type clients render descriptions as HTML
    appearance: appearance && { ...appearance, ...PLAIN },
    start_date: isoTime(start_date),
    // clients treat a survey with an end date as over, even if it is in the future
    end_date: null,
    internal_targeting_flag_key: null,
    feature_flag_keys: null,
    current_iteration: iteration?.current ?? null,
    current_iteration_start_date: isoTime(iteration?.start ?? null),
  };
}

/** Keys of the flags that surveys depend on. */
export const flagsOfSurveys = ({ surveys }: Pick<Definitions, 'surveys'>): string[] => [
  ...new Set(surveys.flatMap((survey) => [survey.linked_flag_key ?? [], survey.targeting_flag_key ?? []].flat())),
];
