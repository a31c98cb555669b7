import type { Survey, SurveyQuestion } from '@tidemark/wire';
import type { CaptureOptions, Properties } from '../event.js';
import { isRecord } from '../is-record.js';
import { nextQuestion } from './branching.js';

/** An answer: a text, a rating, one choice or several; null skips an optional question. */
export type SurveyAnswer = string | number | string[] | null;

/** The current step of a survey. `end`: it was answered or dismissed. */
export type SurveyStep =
  | { kind: 'intro' }
  | {
      kind: 'question';
      question: SurveyQuestion;
      /** Its place in the survey's definition. */
      index: number;
      /** The answer that the person gave before they went back; undefined: none yet. */
      given: SurveyAnswer | undefined;
      /** Whether `back` leads to a question: the survey allows it, and there is one before. */
      canGoBack: boolean;
    }
  | { kind: 'end'; answered: boolean };

/** A survey on the screen: the application shows its steps and passes on what the person does. */
export interface OpenSurvey {
  readonly survey: Survey;
  step(): SurveyStep;
  /** Leaves the intro screen. */
  start(): SurveyStep;
  /** Answers the question of the current step; the last answer sends all of them. A survey with partial responses sends them after each answer. */
  answer(answer: SurveyAnswer): SurveyStep;
  /** Returns to the question before, whose answer can be changed, if the survey allows it. */
  back(): SurveyStep;
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
  /** Ids of the questions before the current one, on the way that the answers led; by default those with an answer. */
  visited?: string[];
  /** Ids of all questions in the order of a survey with shuffled questions. */
  order?: string[];
}

/** What an open survey needs. */
export interface OpenSurveyPorts {
  capture(event: string, properties: Properties, options: CaptureOptions): void;
  warn(text: string): void;
  /** The language that the survey was translated into. */
  language?: string | undefined;
  /** Stores the answers. */
  save(progress: SurveyProgress): void;
  /** The survey was answered or dismissed. */
  closed(): void;
}

/** Starts a survey, or continues it after the answers of `progress`, without the intro screen. */
export function openSurvey(survey: Survey, progress: SurveyProgress, ports: OpenSurveyPorts): OpenSurvey {
  const { questions } = survey;
  const places = orderOf(survey, progress);
  const order = places && questions.length === places.length ? places.flatMap((place) => questions[place]?.id ?? []) : undefined;
  const indexOf = (id: string) => questions.findIndex((question) => question.id === id);
  const unanswered = (place: number) => !Object.hasOwn(progress.answers, questions[place]?.id ?? '');
  const planned = indexOf(progress.next ?? '');
  let at: number | undefined = planned < 0 ? (places ?? [...questions.keys()]).find(unanswered) : planned;
  let answers = progress.answers;
  let visited = (progress.visited ?? Object.keys(answers)).map(indexOf).filter((place) => place >= 0 && place !== at);
  // all questions have answers, since some were removed meanwhile: start from the beginning
  if (at === undefined) [at, answers, visited] = [places?.[0] ?? 0, {}, []];
  let atIntro = Boolean(survey.appearance?.displayIntroScreen) && Object.keys(answers).length === 0;
  let ended: { answered: boolean } | undefined;

  const step = (): SurveyStep => {
    if (ended) return { kind: 'end', ...ended };
    if (atIntro) return { kind: 'intro' };
    const index = at ?? 0;
    const question = at === undefined ? undefined : questions[at];
    if (!question) return { kind: 'end', answered: true };
    const canGoBack = Boolean(survey.appearance?.allowGoBack) && visited.length > 0;
    return { kind: 'question', question, index, given: answers[question.id], canGoBack };
  };
  const save = (next: SurveyQuestion) => {
    const passed = visited.flatMap((place) => questions[place]?.id ?? []);
    ports.save({ ...progress, answers, next: next.id, visited: passed, ...(order ? { order } : {}) });
  };
  /** The answers on the way that they led, without those of a branch that the person has left by going back. */
  const onTheWay = () => {
    const ids = new Set([...visited, at ?? -1].map((place) => questions[place]?.id));
    return Object.fromEntries(Object.entries(answers).filter(([id]) => ids.has(id)));
  };
  const capture = (event: string, mark: 'responded' | 'dismissed', given: SurveyProgress['answers'], own: Properties) => {
    const about = {
      ...aboutSurvey(survey, ports.language),
      $survey_submission_id: progress.submission,
      ...answerProperties(survey, given),
    };
    const iteration = survey.current_iteration ? `/${survey.current_iteration}` : '';
    ports.capture(event, { ...about, ...own }, { $set: { [`$survey_${mark}/${survey.id}${iteration}`]: true } });
  };
  const end = (answered: boolean) => {
    ended = { answered };
    const given = onTheWay();
    if (answered) capture('survey sent', 'responded', given, { $survey_completed: true });
    else capture('survey dismissed', 'dismissed', given, { $survey_partially_completed: Object.keys(given).length > 0 });
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
      const following = places ? places[places.indexOf(index) + 1] : nextQuestion(survey, index, given);
      visited = [...visited, index];
      at = following;
      const next = step();
      if (next.kind === 'question') {
        save(next.question);
        if (survey.enable_partial_responses) capture('survey sent', 'responded', onTheWay(), { $survey_completed: false });
      } else end(true);
      return next;
    },
    back() {
      const now = step();
      if (now.kind !== 'question' || !now.canGoBack) return now;
      at = visited.at(-1);
      visited = visited.slice(0, -1);
      const before = step();
      if (before.kind === 'question') save(before.question);
      return before;
    },
    dismiss() {
      if (!ended) end(false);
      return step();
    },
  };
}

/** Places of the questions in a random order, which a survey that was begun keeps; undefined: in the order of the definition. */
function orderOf({ questions, appearance, enable_partial_responses: isPartial }: Survey, progress: SurveyProgress) {
  if (!appearance?.shuffleQuestions || isPartial || questions.some(({ branching }) => branching?.['type'])) return undefined;
  const places = progress.order?.map((id) => questions.findIndex((question) => question.id === id));
  if (places?.length === questions.length && !places.includes(-1)) return places;
  if (Object.keys(progress.answers).length > 0) return undefined;
  return [...questions.keys()]
    .map((place) => ({ place, by: Math.random() }))
    .sort((a, b) => a.by - b.by)
    .map(({ place }) => place);
}

/** The properties that every event of a survey has. */
export const aboutSurvey = (
  { id, name, current_iteration: round, current_iteration_start_date: from }: Survey,
  language?: string,
): Properties => ({
  $survey_id: id,
  $survey_name: name,
  ...(language ? { $survey_language: language } : {}),
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
        ? [
            [
              id,
              {
                submission: one['submission'],
                answers: answersIn(one['answers']),
                next: String(one['next'] ?? ''),
                ...idsIn(one, 'visited'),
                ...idsIn(one, 'order'),
              },
            ],
          ]
        : [],
    ),
  );
}

const idsIn = (stored: Record<string, unknown>, name: 'visited' | 'order'): Pick<SurveyProgress, 'visited' | 'order'> => {
  const ids = stored[name];
  return Array.isArray(ids) ? { [name]: ids.map(String) } : {};
};
const answersIn = (stored: Record<string, unknown>): SurveyProgress['answers'] =>
  Object.fromEntries(Object.entries(stored).filter((entry): entry is [string, SurveyAnswer] => isAnswer(entry[1])));

const isAnswer = (value: unknown): value is SurveyAnswer =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'));
