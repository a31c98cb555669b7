import { KINDS, type Question } from '../../query/question.js';

/** `q`: the question as JSON while it differs from the saved one. `dashboard`: where the insight is added when it is saved. `people`: the name of the point whose people are shown. `alert`: what the panel of alerts shows: `list`, `new`, or the id of an alert. */
export interface InsightSearch {
  q?: string;
  dashboard?: string;
  people?: string;
  alert?: string;
}

/** The question in an address; null: the text is none. */
export function readQuestion(text: string): Question | null {
  try {
    const question: unknown = JSON.parse(text);
    const kind = (question as Question | null)?.kind;
    return KINDS.some((one) => one.kind === kind) ? (question as Question) : null;
  } catch {
    return null;
  }
}
