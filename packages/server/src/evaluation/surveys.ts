import type { Survey } from '@tidemark/wire';
import { isoTime } from '../http/dates.js';
import type { Definitions } from './definitions.js';
import type { SurveyRow } from './store.js';

/** Surveys that run at `now` (epoch milliseconds), in the form for clients. */
export const runningSurveys = ({ surveys }: Pick<Definitions, 'surveys'>, now: number): Survey[] =>
  surveys.filter((survey) => isRunning(survey, now)).map((survey) => surveyView(survey, now));

/** Whether any survey runs at a time, in epoch milliseconds. */
export const hasSurveys = ({ surveys }: Pick<Definitions, 'surveys'>, now: number): boolean =>
  surveys.some((survey) => isRunning(survey, now));

const isRunning = ({ start_date, end_date }: SurveyRow, now: number): boolean =>
  start_date.getTime() <= now && (end_date === null || end_date.getTime() > now);

/** Without it posthog-js adds a line about its maker. */
const DEFAULTS = { whiteLabel: true };
const PLAIN = { introScreenDescriptionContentType: 'text', thankYouMessageDescriptionContentType: 'text' };

function surveyView(row: SurveyRow, now: number): Survey {
  const {
    uuid,
    start_date,
    end_date: _end,
    appearance,
    translations,
    iteration_count: _count,
    iteration_frequency_days: _days,
    ...survey
  } = row;
  const iteration = iterationAt(row, now);
  return {
    id: uuid,
    ...survey,
    // without a content type clients render descriptions as HTML
    appearance: { ...DEFAULTS, ...appearance, ...PLAIN },
    ...(translations ? { translations } : {}),
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

const DAY_MS = 86_400_000;

/** The recurrence of a survey. */
interface Recurring {
  schedule: Survey['schedule'];
  iteration_count: number | null;
  iteration_frequency_days: number | null;
  start_date: Date | null;
}

/** When the iterations of a recurring survey begin, in order; null: it has none, or no start yet. */
export function iterationStarts({
  schedule,
  iteration_count: count,
  iteration_frequency_days: days,
  start_date: start,
}: Recurring): Date[] | null {
  if (schedule !== 'recurring' || !count || !days || !start) return null;
  return Array.from({ length: count }, (_, index) => new Date(start.getTime() + index * days * DAY_MS));
}

/** The iteration at a time (epoch milliseconds), counted from 1, and when it began. The last one lasts until the survey ends. */
export function iterationAt(survey: Recurring, now: number): { current: number; start: Date } | null {
  const starts = (iterationStarts(survey) ?? []).filter((start) => start.getTime() <= now);
  const start = starts.at(-1);
  return start ? { current: starts.length, start } : null;
}
