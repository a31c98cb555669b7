import type { Survey, SurveyFields } from '../../data/surveys.js';
import type { Filter } from '../../query/question.js';

type Entry = Record<string, unknown>;

export type QuestionKind = 'open' | 'link' | 'rating' | 'nps' | 'single_choice' | 'multiple_choice';

/** Where a question leads: the next one, the end, or a question by the editor's id. */
export type Target = 'next' | 'end' | number;

export interface Branching {
  /** Whether the target depends on the answer. */
  isByAnswer: boolean;
  target: Target;
  /** Targets by the index of the choice, or the group of the rating. */
  byAnswer: Record<string, Target>;
}

/** A question as it is edited. `key` is the editor's own, so that a moved question stays itself. */
export interface QuestionDraft {
  key: number;
  /** Part of the name of the property with the answers; null: the service makes one. */
  id: string | null;
  kind: QuestionKind;
  question: string;
  description: string;
  isOptional: boolean;
  buttonText: string;
  link: string;
  display: 'number' | 'emoji' | 'stars';
  scale: number;
  lowest: string;
  highest: string;
  choices: string[];
  hasOpenChoice: boolean;
  shuffles: boolean;
  branching: Branching;
  /** By language, texts by the name of the field. */
  translations: Record<string, Entry>;
  rest: Entry;
}

/** A survey as it is edited. */
export interface SurveyDraft {
  name: string;
  description: string;
  type: 'popover' | 'api';
  questions: QuestionDraft[];
  url: string;
  urlMatch: string;
  selector: string;
  devices: string[];
  events: string[];
  repeats: boolean;
  /** Days since the person saw any survey; null: not asked. */
  waitDays: number | null;
  flag: { id: number; key: string } | null;
  flagVariant: string;
  /** Who is asked, by properties; null: filters that the editor does not show. */
  people: { filters: Filter[]; percentage: number } | null;
  schedule: 'once' | 'recurring' | 'always';
  iterations: number | null;
  everyDays: number | null;
  limit: number | null;
  sendsParts: boolean;
  appearance: Entry;
  translations: Record<string, Entry>;
}

const objects = (value: unknown): Entry[] =>
  Array.isArray(value) ? value.filter((one): one is Entry => typeof one === 'object' && one !== null) : [];
const objectOr = (value: unknown): Entry => (typeof value === 'object' && value !== null ? (value as Entry) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const numberOr = <Other>(value: unknown, other: Other): number | Other => (typeof value === 'number' ? value : other);

/** A new question of a kind. */
export function newQuestion(kind: QuestionKind, key: number): QuestionDraft {
  return {
    key,
    id: null,
    kind,
    question: kind === 'nps' ? 'How likely are you to recommend us to a friend?' : '',
    description: '',
    isOptional: false,
    buttonText: '',
    link: kind === 'link' ? 'https://' : '',
    display: 'number',
    scale: kind === 'nps' ? 10 : 5,
    lowest: kind === 'nps' ? 'Not likely' : '',
    highest: kind === 'nps' ? 'Very likely' : '',
    choices: kind === 'single_choice' || kind === 'multiple_choice' ? ['Yes', 'No'] : [],
    hasOpenChoice: false,
    shuffles: false,
    branching: { isByAnswer: false, target: 'next', byAnswer: {} },
    translations: {},
    rest: {},
  };
}

/** The draft of a survey without changes. Null: of a new one. */
export function draftOf(survey: Survey | null): SurveyDraft {
  const conditions = objectOr(survey?.conditions);
  const events = objectOr(conditions['events']);
  return {
    name: survey?.name ?? '',
    description: survey?.description ?? '',
    type: survey?.type ?? 'popover',
    questions: survey ? survey.questions.map(questionOf) : [{ ...newQuestion('open', 0), question: 'What could we do better?' }],
    url: text(conditions['url']),
    urlMatch: text(conditions['urlMatchType']) || 'icontains',
    selector: text(conditions['selector']),
    devices: texts(conditions['deviceTypes']),
    events: objects(events['values']).map(({ name }) => text(name)),
    repeats: events['repeatedActivation'] === true,
    waitDays: numberOr(conditions['seenSurveyWaitPeriodInDays'], null),
    flag: survey?.linked_flag_id
      ? { id: survey.linked_flag_id, key: survey.linked_flag?.key ?? `Flag ${survey.linked_flag_id}` }
      : null,
    flagVariant: text(conditions['linkedFlagVariant']),
    people: peopleOf(survey?.targeting_flag_filters ?? null),
    schedule: survey?.schedule ?? 'once',
    iterations: survey?.iteration_count ?? null,
    everyDays: survey?.iteration_frequency_days ?? null,
    limit: survey?.responses_limit ?? null,
    sendsParts: survey?.enable_partial_responses ?? false,
    appearance: objectOr(survey?.appearance),
    translations: survey?.translations ?? {},
  };
}

function peopleOf(filters: Entry | null): SurveyDraft['people'] {
  if (filters === null) return { filters: [], percentage: 100 };
  const groups = objects(filters['groups']);
  const [only] = groups;
  if (groups.length !== 1 || !only) return null;
  return {
    filters: objects(only['properties']) as unknown as Filter[],
    percentage: numberOr(only['rollout_percentage'], 100),
  };
}

function questionOf(stored: Survey['questions'][number], key: number): QuestionDraft {
  const {
    id,
    type,
    question,
    description,
    optional,
    buttonText,
    link,
    display,
    stars,
    scale: given,
    lowerBoundLabel,
    upperBoundLabel,
    choices,
    hasOpenChoice,
    shuffleOptions,
    branching,
    translations,
    ...rest
  } = stored;
  const scale = numberOr(given, 5);
  const isNps = type === 'rating' && scale === 10 && stars !== true;
  return {
    key,
    id,
    kind: isNps ? 'nps' : type,
    question,
    description: text(description),
    isOptional: optional === true,
    buttonText: text(buttonText),
    link: text(link),
    display: stars === true ? 'stars' : display === 'emoji' ? 'emoji' : 'number',
    scale,
    lowest: text(lowerBoundLabel),
    highest: text(upperBoundLabel),
    choices: texts(choices),
    hasOpenChoice: hasOpenChoice === true,
    shuffles: shuffleOptions === true,
    branching: branchingOf(objectOr(branching)),
    translations: objectOr(translations) as Record<string, Entry>,
    rest,
  };
}

/** The keys of questions are their indexes as long as nothing was moved. */
function branchingOf({ type, index, responseValues }: Entry): Branching {
  const targetOf = (value: unknown): Target => (value === 'end' ? 'end' : numberOr(value, 'next' as const));
  return {
    isByAnswer: type === 'response_based',
    target: type === 'end' ? 'end' : type === 'specific_question' ? targetOf(index) : 'next',
    byAnswer: Object.fromEntries(Object.entries(objectOr(responseValues)).map(([answer, value]) => [answer, targetOf(value)])),
  };
}

/** The answers of a question that may lead elsewhere: key in the API, and words. */
export function branchesOf({ kind, scale, choices }: QuestionDraft): { answer: string; label: string }[] {
  if (kind === 'single_choice')
    return choices.map((choice, index) => ({ answer: String(index), label: choice || `Choice ${index + 1}` }));
  if (kind === 'nps')
    return [
      { answer: 'detractors', label: '0 to 6' },
      { answer: 'passives', label: '7 or 8' },
      { answer: 'promoters', label: '9 or 10' },
    ];
  if (kind !== 'rating') return [];
  const middle = (scale + 1) / 2;
  if (scale === 2)
    return [
      { answer: 'positive', label: 'Up' },
      { answer: 'negative', label: 'Down' },
    ];
  return [
    { answer: 'negative', label: `Below ${middle}` },
    { answer: 'neutral', label: String(middle) },
    { answer: 'positive', label: `Above ${middle}` },
  ];
}

function branchingFields(draft: QuestionDraft, all: readonly QuestionDraft[]): Entry | null {
  const { isByAnswer, target, byAnswer } = draft.branching;
  const indexOf = (one: Target): unknown => {
    if (one === 'end') return 'end';
    const index = all.findIndex(({ key }) => key === one);
    return index < 0 ? undefined : index;
  };
  if (!isByAnswer) {
    if (target === 'next') return null;
    if (target === 'end') return { type: 'end' };
    const index = indexOf(target);
    return index === undefined ? null : { type: 'specific_question', index };
  }
  const known = new Set(branchesOf(draft).map(({ answer }) => answer));
  const values = Object.entries(byAnswer).flatMap(([answer, one]) => {
    const value = one === 'next' || !known.has(answer) ? undefined : indexOf(one);
    return value === undefined ? [] : [[answer, value] as const];
  });
  return values.length === 0 ? null : { type: 'response_based', responseValues: Object.fromEntries(values) };
}

/** A question as the API takes it. */
function questionFields(draft: QuestionDraft, all: readonly QuestionDraft[]): Entry {
  const { kind, display, scale, choices, translations } = draft;
  const isRating = kind === 'rating' || kind === 'nps';
  const isChoice = kind === 'single_choice' || kind === 'multiple_choice';
  const branching = branchingFields(draft, all);
  return {
    ...draft.rest,
    ...(draft.id !== null && { id: draft.id }),
    type: kind === 'nps' ? 'rating' : kind,
    question: draft.question,
    ...(draft.description && { description: draft.description }),
    ...(draft.isOptional && { optional: true }),
    ...(draft.buttonText && { buttonText: draft.buttonText }),
    ...(kind === 'link' && { link: draft.link }),
    ...(isRating && {
      display: kind === 'rating' && display === 'emoji' ? 'emoji' : 'number',
      scale: kind === 'nps' ? 10 : scale,
      ...(kind === 'rating' && display === 'stars' && { stars: true }),
      ...(draft.lowest && { lowerBoundLabel: draft.lowest }),
      ...(draft.highest && { upperBoundLabel: draft.highest }),
    }),
    ...(isChoice && {
      choices,
      ...(draft.hasOpenChoice && { hasOpenChoice: true }),
      ...(draft.shuffles && { shuffleOptions: true }),
    }),
    ...(branching && { branching }),
    ...(Object.keys(translations).length > 0 && { translations }),
  };
}

/** The fields of a request that makes a survey what a draft says. */
export function fieldsOf(draft: SurveyDraft): SurveyFields {
  const { people } = draft;
  const conditions = {
    ...(draft.url.trim() && { url: draft.url.trim(), urlMatchType: draft.urlMatch }),
    ...(draft.selector.trim() && { selector: draft.selector.trim() }),
    ...(draft.devices.length > 0 && { deviceTypes: draft.devices }),
    ...(draft.events.length > 0 && {
      events: { values: draft.events.map((name) => ({ name })), repeatedActivation: draft.repeats },
    }),
    ...(draft.waitDays && { seenSurveyWaitPeriodInDays: draft.waitDays }),
    ...(draft.flag && draft.flagVariant && { linkedFlagVariant: draft.flagVariant }),
  };
  const isEverybody = people !== null && people.filters.length === 0 && people.percentage === 100;
  return {
    name: draft.name.trim(),
    description: draft.description,
    type: draft.type,
    questions: draft.questions.map((question) => questionFields(question, draft.questions)),
    conditions: Object.keys(conditions).length > 0 ? conditions : null,
    appearance: Object.keys(draft.appearance).length > 0 ? draft.appearance : null,
    translations: Object.keys(draft.translations).length > 0 ? draft.translations : null,
    linked_flag_id: draft.flag?.id ?? null,
    ...(people && {
      targeting_flag_filters: isEverybody
        ? null
        : { groups: [{ properties: people.filters, rollout_percentage: people.percentage }] },
    }),
    schedule: draft.schedule,
    iteration_count: draft.schedule === 'recurring' ? draft.iterations : null,
    iteration_frequency_days: draft.schedule === 'recurring' ? draft.everyDays : null,
    responses_limit: draft.limit,
    enable_partial_responses: draft.sendsParts,
  };
}

export interface DraftFaults {
  name: string | null;
  /** About the questions together. */
  questions: string | null;
  /** By key of the question. */
  question: ReadonlyMap<number, string>;
  targeting: string | null;
}

/** What the service would refuse. */
export function faultsOf({ name, questions, schedule, iterations, everyDays, people }: SurveyDraft): DraftFaults {
  return {
    name: name.trim() === '' ? 'Enter a name' : null,
    questions: questions.length === 0 ? 'A survey needs at least one question' : null,
    question: new Map(
      questions.flatMap((one) => {
        const fault = questionFault(one);
        return fault ? [[one.key, fault] as const] : [];
      }),
    ),
    targeting:
      schedule === 'recurring' && (!iterations || !everyDays)
        ? 'A recurring survey needs a number of times and days between them'
        : people?.filters.some(({ value }) => value === '' || (Array.isArray(value) && value.length === 0))
          ? 'Choose the value of the filter'
          : null,
  };
}

function questionFault({ question, kind, link, choices }: QuestionDraft): string | null {
  if (question.trim() === '') return 'Enter the question';
  if (kind === 'link' && !/^(https?:\/\/.|mailto:.)/i.test(link))
    return 'Enter an address that begins with https://, http:// or mailto:';
  if (kind !== 'single_choice' && kind !== 'multiple_choice') return null;
  if (choices.length === 0) return 'Add a choice';
  return choices.some((choice) => choice.trim() === '') ? 'Fill in each choice' : null;
}

export const hasFaults = ({ question, ...others }: DraftFaults): boolean =>
  question.size > 0 || Object.values(others).some((fault) => fault !== null);

/** A key that no question has. */
export const nextKey = (questions: readonly QuestionDraft[]): number => Math.max(-1, ...questions.map(({ key }) => key)) + 1;
