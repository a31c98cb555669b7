import { type OpenSurvey, openSurvey } from '@tidemark/client';
import { showSurvey } from './widget/widget.js';

const nothing = () => {};

/**
 * Shows a survey in the widget of pages, within an element; for editors. Its answers lead from question to question, and nothing is captured.
 * @param into contains fixed elements, as an element with `contain: layout` does
 * @param onClosed called when the survey was answered or closed
 * @returns removes it
 */
export function previewSurvey(survey: OpenSurvey['survey'], into: HTMLElement, onClosed: () => void): () => void {
  const open = openSurvey(
    survey,
    { submission: '', answers: {} },
    { capture: nothing, warn: nothing, save: nothing, closed: nothing },
  );
  return showSurvey(open, {
    labels: undefined,
    guard: (work) => work(),
    timers: { set: (work, ms) => setTimeout(work, ms), clear: (timer) => clearTimeout(timer as number) },
    onRemoved: onClosed,
    into,
  });
}
