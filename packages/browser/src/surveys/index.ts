export { type PageSurveysOptions, surveys } from './surveys.js';
export type { SurveyLabels } from './widget/labels.js';
