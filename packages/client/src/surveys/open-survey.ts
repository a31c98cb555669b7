import type { Survey, SurveyQuestion } from '@tidemark/wire';
import type { CaptureOptions, Properties } from '../event.js';
import { isRecord } from '../is-record.js';
import { nextQuestion } from './branching.js';

/** An answer: a text, a rating, one choice or several; null skips an optional question. */
export type SurveyAnswer = string | number | string[] | null;

/** The current step of a survey. `end`: it was answered or dismissed. */
export type SurveyStep =
  | { kind: 'intro' }
  | { kind: 'question'; question: SurveyQuestion; index: number }
  | { kind: 'end'; answered: boolean };

/** A survey on the screen: the application shows its steps and passes on what the person does. */
export interface OpenSurvey {
  readonly survey: Survey;
  step(): SurveyStep;
  /** Leaves the intro screen. */
  start(): SurveyStep;
  /** Answers the question of the current step; the last answer sends all of them. A survey with partial responses sends them after each answer. */
  answer(answer: SurveyAnswer): SurveyStep;
  /** Dismisses the survey: it is never shown again. */
  dismiss(): SurveyStep;
}

/** The answers to a survey that is not finished. */
export interface SurveyProgress {
  /** Id of the submission: all events of one survey on the screen have it. */
  submission: string;
  /** By question id. */
  answers: Record<string, SurveyAnswer>;
  /** Id of the question that is next; by default the first one without an answer. */
  next?: string;
}

/** What an open survey needs. */
export interface OpenSurveyPorts {
  capture(event: string, properties: Properties, options: CaptureOptions): void;
  warn(text: string): void;
  /** Stores the answers. */
  save(progress: SurveyProgress): void;
  /** The survey was answered or dismissed. */
  closed(): void;
}

/** Starts a survey, or continues it after the answers of `progress`, without the intro screen. */
export function openSurvey(survey: Survey, progress: SurveyProgress, ports: OpenSurveyPorts): OpenSurvey {
  const { questions } = survey;
  const planned = questions.findIndex(({ id }) => id === progress.next);
  let at: number | undefined = planned < 0 ? questions.findIndex(({ id }) => !Object.hasOwn(progress.answers, id)) : planned;
  let answers = progress.answers;
  // all questions have answers, since some were removed meanwhile: start from the beginning
  if (at < 0) [at, answers] = [0, {}];
  let atIntro = Boolean(survey.appearance?.displayIntroScreen) && Object.keys(answers).length === 0;
  let ended: { answered: boolean } | undefined;

  const step = (): SurveyStep => {
    if (ended) return { kind: 'end', ...ended };
    if (atIntro) return { kind: 'intro' };
    const index = at ?? 0;
    const question = at === undefined ? undefined : questions[at];
    return question ? { kind: 'question', question, index } : { kind: 'end', answered: true };
  };
  const capture = (event: string, mark: 'responded' | 'dismissed', own: Properties) => {
    const about = { ...aboutSurvey(survey), $survey_submission_id: progress.submission, ...answerProperties(survey, answers) };
    const iteration = survey.current_iteration ? `/${survey.current_iteration}` : '';
    ports.capture(event, { ...about, ...own }, { $set: { [`$survey_${mark}/${survey.id}${iteration}`]: true } });
  };
  const end = (answered: boolean) => {
    ended = { answered };
    if (answered) capture('survey sent', 'responded', { $survey_completed: true });
    else capture('survey dismissed', 'dismissed', { $survey_partially_completed: Object.keys(answers).length > 0 });
    ports.closed();
  };
  return {
    survey,
    step,
    start() {
      atIntro = false;
      return step();
    },
    answer(answer) {
      const now = step();
      if (now.kind !== 'question') return now;
      const { question, index } = now;
      if (isNothing(answer) && !question.optional) {
        ports.warn(`The question "${question.question}" needs an answer.`);
        return now;
      }
      const given = isNothing(answer) ? null : answer;
      answers = { ...answers, [question.id]: given };
      at = nextQuestion(survey, index, given);
      const next = step();
      if (next.kind === 'question') {
        ports.save({ ...progress, answers, next: next.question.id });
        if (survey.enable_partial_responses) capture('survey sent', 'responded', { $survey_completed: false });
      } else end(true);
      return next;
    },
    dismiss() {
      if (!ended) end(false);
      return step();
    },
  };
}

/** The properties that every event of a survey has. */
export const aboutSurvey = ({ id, name, current_iteration: round, current_iteration_start_date: from }: Survey): Properties => ({
  $survey_id: id,
  $survey_name: name,
  ...(round ? { $survey_iteration: round, $survey_iteration_start_date: from } : {}),
});

/** Each answer by the id and by the index of its question, and the list of all questions with their answers. */
function answerProperties({ questions }: Survey, answers: SurveyProgress['answers']): Properties {
  const properties: Properties = {
    $survey_questions: questions.map(({ id, question }) => ({ id, question, response: answers[id] ?? null })),
  };
  questions.forEach(({ id }, index) => {
    if (!Object.hasOwn(answers, id)) return;
    properties[index ? `$survey_response_${index}` : '$survey_response'] = answers[id];
    properties[`$survey_response_${id}`] = answers[id];
  });
  return properties;
}

const isNothing = (answer: SurveyAnswer): boolean =>
  answer === null || answer === undefined || (typeof answer === 'number' ? Number.isNaN(answer) : answer.length === 0);

/** Parses stored progress; undefined when it is invalid. */
export function parseProgress(stored: unknown): Record<string, SurveyProgress> | undefined {
  if (!isRecord(stored)) return undefined;
  return Object.fromEntries(
    Object.entries(stored).flatMap(([id, one]) =>
      isRecord(one) && typeof one['submission'] === 'string' && isRecord(one['answers'])
        ? [[id, { submission: one['submission'], answers: answersIn(one['answers']), next: String(one['next'] ?? '') }]]
        : [],
    ),
  );
}

const answersIn = (stored: Record<string, unknown>): SurveyProgress['answers'] =>
  Object.fromEntries(Object.entries(stored).filter((entry): entry is [string, SurveyAnswer] => isAnswer(entry[1])));

const isAnswer = (value: unknown): value is SurveyAnswer =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'));
