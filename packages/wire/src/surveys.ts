export type SurveyQuestionType = 'open' | 'link' | 'rating' | 'single_choice' | 'multiple_choice';

export interface SurveyQuestion {
  /** Part of the name of the property with the answer. */
  id: string;
  type: SurveyQuestionType;
  question: string;
  description?: string | null;
  /** Clients default to HTML. */
  descriptionContentType?: 'text';
  /** Whether people may skip the question. */
  optional?: boolean;
  buttonText?: string | null;
  /** Of `link`: where it leads. */
  link?: string | null;
  /** Of `rating`. */
  display?: 'number' | 'emoji';
  /** Of `rating`: Tidemark's widget shows stars. */
  stars?: boolean;
  /** Of `rating`: the highest answer. The lowest is 0 for 10, otherwise 1. */
  scale?: number;
  lowerBoundLabel?: string;
  upperBoundLabel?: string;
  /** Of `single_choice` and `multiple_choice`. */
  choices?: string[];
  /** The last choice is one's own text. */
  hasOpenChoice?: boolean;
  shuffleOptions?: boolean;
  /** An answer is sent without a button. */
  skipSubmitButton?: boolean;
  /** Which question is next, by the answer. */
  branching?: Record<string, unknown> | null;
  translations?: SurveyTranslations | null;
}

/** Texts by language (BCP 47), and in each by the name of the field: `{ fr: { question: 'Pourquoi ?', choices: ['Prix', 'Vitesse'] } }`. */
export type SurveyTranslations = Record<string, Record<string, unknown>>;

/** How an address is compared. */
export type SurveyUrlMatch = 'exact' | 'is_not' | 'icontains' | 'not_icontains' | 'regex' | 'not_regex';

/** Conditions under which a survey is shown; all that are set must be met. */
export interface SurveyConditions {
  url?: string;
  /** Default `icontains`. */
  urlMatchType?: SurveyUrlMatch;
  /** Device types such as `Desktop`, `Mobile` or `Tablet`, one of which the device must have. */
  deviceTypes?: string[];
  /** How device types are compared. Default `icontains`. */
  deviceTypesMatchType?: SurveyUrlMatch;
  /** CSS selector of an element that must be on the page. */
  selector?: string;
  /** Days that must have passed since any survey was shown. */
  seenSurveyWaitPeriodInDays?: number;
  /** Variant of the linked flag; `any`: every variant that is on. */
  linkedFlagVariant?: string;
  /** One of these events must have happened; with `repeatedActivation` each brings the survey again. */
  events?: { values: { name: string }[]; repeatedActivation?: boolean | null } | null;
}

export interface SurveyAppearance {
  /** A page before the first question. */
  displayIntroScreen?: boolean;
  introScreenHeader?: string;
  introScreenDescription?: string;
  introScreenButtonText?: string;
  displayThankYouMessage?: boolean;
  thankYouMessageHeader?: string;
  thankYouMessageDescription?: string;
  /** Whether people can go back to the question before. */
  allowGoBack?: boolean;
  /** Whether each person sees the questions in a random order; not with branching or partial responses. */
  shuffleQuestions?: boolean;
  [setting: string]: unknown;
}

/** A survey as clients receive it. */
export interface Survey {
  id: string;
  name: string;
  description: string;
  /** `api`: the application shows the survey; `popover`: SDKs with their own interface show it. */
  type: 'api' | 'popover';
  questions: SurveyQuestion[];
  conditions: SurveyConditions | null;
  appearance: SurveyAppearance | null;
  /** Texts of the appearance in other languages. */
  translations?: SurveyTranslations | null;
  start_date: string | null;
  /** Set: the survey is over. */
  end_date: string | null;
  /** Flags that must be on. */
  linked_flag_key: string | null;
  targeting_flag_key: string | null;
  internal_targeting_flag_key: string | null;
  feature_flag_keys: { key: string; value?: string }[] | null;
  /** `once`: shown once to a person; `recurring`: once in each iteration; `always`: at each start at which the conditions are met. */
  schedule: 'once' | 'recurring' | 'always';
  /** Whether answers may be sent before the last question. */
  enable_partial_responses: boolean;
  current_iteration: number | null;
  current_iteration_start_date: string | null;
}

/** Of `GET /api/surveys/?token=`. */
export interface SurveysResponse {
  surveys: Survey[];
  survey_config: null;
}
