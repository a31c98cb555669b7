/** Words of the widget that surveys do not contain, or need not. */
export interface SurveyLabels {
  /** Name of the button that closes the survey, also after the thank-you message. */
  close: string;
  /** Of a question without `buttonText`. */
  submit: string;
  /** Of the button that leads to the question before, in a survey without `backButtonText`. */
  back: string;
  /** Of an intro screen without `introScreenButtonText`. */
  start: string;
  /** Beside questions that may be skipped. */
  optional: string;
  /** Shown when a required answer is missing. */
  required: string;
  /** Of a thank-you message without `thankYouMessageHeader`. */
  thanks: string;
  /** Name of a star or an emoji for screen readers, with `{rating}` and `{scale}`. */
  rating: string;
  /** Names of the two thumbs. */
  up: string;
  down: string;
}

export const LABELS: SurveyLabels = {
  close: 'Close',
  submit: 'Submit',
  back: 'Back',
  start: 'Start',
  optional: 'Optional',
  required: 'This question needs an answer.',
  thanks: 'Thank you for your feedback',
  rating: '{rating} of {scale}',
  up: 'Good',
  down: 'Bad',
};
