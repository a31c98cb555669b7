import type { Submission } from '../../data/surveys.js';
import type { QuestionDraft } from './draft.js';

export interface QuestionSummary {
  /** People who answered the question. */
  answered: number;
  /** Name of an answer, and how often it was given, in the order of the scale or of the choices. */
  counts: [answer: string, count: number][];
  /** "NPS 42", "Mean 4.2"; null: the kind has none. */
  score: string | null;
  /** Texts: answers to open questions, and own choices. */
  texts: { text: string; submission: Submission }[];
}

/** What was answered to a question. */
export function summaryOf(question: QuestionDraft, submissions: readonly Submission[]): QuestionSummary {
  const { id, kind, scale, choices, hasOpenChoice } = question;
  const given = submissions.flatMap((submission) => {
    const answers = id === null ? undefined : submission.answers[id];
    return answers ? [{ answers, submission }] : [];
  });
  const answered = given.length;
  const all = given.flatMap(({ answers, submission }) => answers.map((text) => ({ text, submission })));
  if (kind === 'open') return { answered, counts: [], score: null, texts: all };
  const countOf = (answer: string): number => all.filter(({ text }) => text === answer).length;
  if (kind === 'link') return { answered, counts: [['Followed the link', answered]], score: null, texts: [] };
  if (kind === 'rating' || kind === 'nps') {
    const lowest = kind === 'nps' ? 0 : 1;
    const values = Array.from({ length: scale - lowest + 1 }, (_, index) => String(index + lowest));
    const numbers = all.map(({ text }) => Number(text)).filter(Number.isFinite);
    return { answered, counts: values.map((value) => [value, countOf(value)]), score: scoreOf(kind, scale, numbers), texts: [] };
  }
  const listed = hasOpenChoice ? choices.slice(0, -1) : choices;
  const own = all.filter(({ text }) => !listed.includes(text));
  return {
    answered,
    counts: [
      ...listed.map((choice): [string, number] => [choice, countOf(choice)]),
      ...(hasOpenChoice || own.length > 0
        ? [[hasOpenChoice ? (choices.at(-1) ?? 'Other') : 'Other', own.length] as [string, number]]
        : []),
    ],
    score: null,
    texts: own,
  };
}

function scoreOf(kind: 'rating' | 'nps', scale: number, numbers: readonly number[]): string | null {
  if (numbers.length === 0) return null;
  const share = (matches: (value: number) => boolean) => numbers.filter(matches).length / numbers.length;
  if (kind === 'nps') {
    const score = Math.round((share((value) => value > 8) - share((value) => value < 7)) * 100);
    return `NPS ${score < 0 ? '−' : ''}${Math.abs(score)}`;
  }
  // thumbs: up is 1, down is 2
  if (scale === 2) return `${Math.round(share((value) => value === 1) * 100)}% up`;
  return `Mean ${(numbers.reduce((sum, value) => sum + value, 0) / numbers.length).toFixed(2)}`;
}
