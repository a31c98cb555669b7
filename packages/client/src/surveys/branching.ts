import type { Survey, SurveyQuestion } from '@tidemark/wire';
import { isRecord } from '../is-record.js';
import type { SurveyAnswer } from './open-survey.js';

/**
 * Returns the index of the question after the one at `index`, by its branching as posthog-js reads it; undefined at the end of the survey.
 * A branch that leads nowhere means the next question.
 */
export function nextQuestion({ questions }: Survey, index: number, answer: SurveyAnswer): number | undefined {
  const question = questions[index];
  const target = question && targetOf(question, answer);
  const next = typeof target === 'number' && target in questions ? target : index + 1;
  return target === 'end' || next >= questions.length ? undefined : next;
}

function targetOf(question: SurveyQuestion, answer: SurveyAnswer): unknown {
  const { type, index, responseValues } = question.branching ?? {};
  if (type === 'end') return 'end';
  if (type === 'specific_question') return index;
  return type === 'response_based' && isRecord(responseValues) ? responseValues[branchOf(question, answer)] : undefined;
}

/** The key of an answer in `responseValues`: the place of the choice, or the group of the rating. */
function branchOf({ type, choices = [], hasOpenChoice, scale = 5 }: SurveyQuestion, answer: SurveyAnswer): string {
  if (answer === null) return '';
  if (type === 'single_choice') {
    const place = choices.indexOf(String(answer));
    return String(place < 0 && hasOpenChoice ? choices.length - 1 : place);
  }
  if (type !== 'rating') return '';
  const rating = Number(answer);
  if (scale === 10) return rating > 8 ? 'promoters' : rating > 6 ? 'passives' : 'detractors';
  // a scale of two is thumbs: down is the higher number
  if (scale === 2) return rating > 1 ? 'negative' : 'positive';
  const middle = (scale + 1) / 2;
  return rating > middle ? 'positive' : rating < middle ? 'negative' : 'neutral';
}
