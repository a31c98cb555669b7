import type { Survey, SurveyAppearance, SurveyQuestion } from '@tidemark/wire';
import { isRecord } from '../is-record.js';

const APPEARANCE = [
  'thankYouMessageHeader',
  'thankYouMessageDescription',
  'thankYouMessageCloseButtonText',
  'introScreenHeader',
  'introScreenDescription',
  'introScreenButtonText',
  'submitButtonText',
  'backButtonText',
];
const QUESTION = ['question', 'description', 'buttonText', 'link', 'lowerBoundLabel', 'upperBoundLabel'];

/**
 * A survey with the texts of its translation into `language` (BCP 47), and the key of that translation. The key is the language itself or
 * its base language, without regard to case, as in posthog-js. Texts that are not translated stay. The name stays, too: it is for reports.
 */
export function translateSurvey(survey: Survey, language: string | undefined): { survey: Survey; language?: string } {
  const own = translationOf(survey.translations, language);
  const questions = survey.questions.map((question) => {
    const found = translationOf(question.translations, language);
    return { key: found?.key, question: found ? translateQuestion(question, found.texts) : question };
  });
  const key = own?.key ?? questions.find((one) => one.key !== undefined)?.key;
  if (key === undefined) return { survey };
  const appearance: SurveyAppearance = { ...survey.appearance, ...textsIn(own?.texts, APPEARANCE) };
  return { survey: { ...survey, appearance, questions: questions.map(({ question }) => question) }, language: key };
}

function translateQuestion(question: SurveyQuestion, texts: Record<string, unknown>): SurveyQuestion {
  const { choices } = texts;
  // branches and answers follow the place of a choice
  const isWhole = Array.isArray(choices) && choices.length === question.choices?.length;
  return { ...question, ...textsIn(texts, QUESTION), ...(isWhole ? { choices: choices.map(String) } : {}) };
}

function translationOf(translations: unknown, language: string | undefined) {
  if (!isRecord(translations) || !language) return undefined;
  const wanted = language.toLowerCase();
  const keyOf = (tag: string | undefined) => Object.keys(translations).find((key) => key.toLowerCase() === tag);
  const key = keyOf(wanted) ?? keyOf(wanted.split('-')[0]);
  const texts = key === undefined ? undefined : translations[key];
  return key !== undefined && isRecord(texts) ? { key, texts } : undefined;
}

const textsIn = (texts: Record<string, unknown> = {}, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = texts[name];
      return typeof text === 'string' && text ? [[name, text]] : [];
    }),
  );
