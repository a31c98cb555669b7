import type { OpenSurvey, SurveyAnswer } from '@tidemark/client';
import type { SurveyLabels } from './labels.js';
import { make } from './make.js';

type Question = OpenSurvey['survey']['questions'][number];

/** The controls of a question. */
export interface Fields {
  element?: HTMLElement;
  /** The answer on the screen; null: none. */
  answer(): SurveyAnswer;
}

export interface FieldSettings {
  labels: SurveyLabels;
  placeholder: string;
  /** The answer that the person gave before they went back. */
  given: SurveyAnswer | undefined;
  /** Orders of shuffled choices by question id. */
  orders: Map<string, readonly string[]>;
  /** Adds a listener whose errors do not reach the page. */
  on(element: HTMLElement, type: string, listener: (event: Event) => void): void;
  /** Sends the answer without the button. */
  submit(): void;
  /** Shows the button of a question that is sent without one by a click: the answer was chosen by key. */
  chosenByKey(): void;
}

const EMOJI: Readonly<Record<number, string>> = { 2: '👍👎', 3: '😞😐😊', 5: '😡😞😐😊😍', 7: '😡😞😕😐😊😀😍' };
const DESCRIBED = { 'aria-labelledby': 'q', 'aria-describedby': 'd' };

/** Creates the controls of a question; a link and an unknown type have none. */
export function fieldsOf(question: Question, settings: FieldSettings): Fields {
  if (question.type === 'open') return openText(settings);
  if (question.type === 'rating') return rating(question, settings);
  return question.choices?.length ? choice(question, question.choices, settings) : { answer: () => 'link clicked' };
}

function openText({ placeholder, given }: FieldSettings): Fields {
  const value = String(given ?? '');
  const element = make('textarea', { rows: 4, maxLength: 10_000, placeholder, value, dir: 'auto', ...DESCRIBED });
  return { element, answer: () => element.value.trim() };
}

function rating(
  { display, stars, scale = 5, lowerBoundLabel, upperBoundLabel, skipSubmitButton }: Question,
  settings: FieldSettings,
) {
  const { labels, on, given } = settings;
  const emoji = display === 'emoji' ? [...(EMOJI[scale] ?? '')] : [];
  const lowest = scale === 10 && !stars ? 0 : 1;
  const inputs: HTMLInputElement[] = [];
  const row = make('div', {
    className: `scale${stars ? ' stars' : emoji.length ? ' emoji' : ''}`,
    role: 'radiogroup',
    ...DESCRIBED,
  });
  for (let value = lowest; value <= scale; value++) {
    const name = scale === 2 && emoji.length ? [labels.up, labels.down][value - 1] : filled(labels.rating, value, scale);
    const isPicture = stars || emoji.length > 0;
    const input = make('input', {
      type: 'radio',
      name: 'a',
      value: String(value),
      checked: given === value,
      'aria-label': isPicture ? name : undefined,
    });
    const text = stars ? '★' : (emoji[value - 1] ?? String(value));
    const label = make('label', {}, input, make('span', { 'aria-hidden': isPicture || undefined }, text));
    inputs.push(input);
    row.append(label);
    if (skipSubmitButton) sendByClick(label, input, settings);
  }
  const chosen = () => inputs.find(({ checked }) => checked);
  if (stars) {
    const light = (upTo: number) => {
      for (const [index, input] of inputs.entries()) input.parentElement?.classList.toggle('lit', index <= upTo);
    };
    const lightChosen = () => light(inputs.findIndex(({ checked }) => checked));
    lightChosen();
    on(row, 'change', lightChosen);
    on(row, 'pointerover', ({ target }) =>
      light(inputs.findIndex((input) => target instanceof Node && input.parentNode?.contains(target))),
    );
    on(row, 'pointerleave', lightChosen);
  }
  const bounds = make(
    'div',
    { className: 'bounds' },
    ...[lowerBoundLabel, upperBoundLabel].map((text) => make('span', { dir: 'auto' }, text ?? '')),
  );
  const element = make('div', {}, row, lowerBoundLabel || upperBoundLabel ? bounds : undefined);
  return { element, answer: () => (chosen() ? Number(chosen()?.value) : null) };
}

function choice(question: Question, choices: readonly string[], settings: FieldSettings): Fields {
  const isSingle = question.type === 'single_choice';
  const own = question.hasOpenChoice ? choices.at(-1) : undefined;
  const listed = own === undefined ? choices : choices.slice(0, -1);
  const ordered = settings.orders.get(question.id) ?? (question.shuffleOptions ? shuffled(listed) : listed);
  settings.orders.set(question.id, ordered);
  const given = [settings.given ?? []].flat().map(String);
  const ownText = given.find((text) => !listed.includes(text)) ?? '';
  const element = make('div', { className: 'choices', role: isSingle ? 'radiogroup' : 'group', ...DESCRIBED });
  const rows = [...ordered, ...(own === undefined ? [] : [own])].map((text, index) => {
    const checked = index < ordered.length ? given.includes(text) : ownText !== '';
    const input = make('input', { type: isSingle ? 'radio' : 'checkbox', name: 'a', checked });
    const label = make('label', {}, input, make('span', { dir: 'auto' }, text));
    element.append(label);
    if (index < ordered.length) {
      if (isSingle && question.skipSubmitButton) sendByClick(label, input, settings);
      return { input, value: () => text };
    }
    const field = make('input', { type: 'text', maxLength: 1000, dir: 'auto', value: ownText, 'aria-label': text });
    settings.on(field, 'input', () => {
      input.checked = true;
      settings.chosenByKey();
    });
    settings.on(input, 'change', () => input.checked && field.focus());
    element.append(field);
    return { input, value: () => field.value.trim() };
  });
  const chosen = () => rows.flatMap(({ input, value }) => (input.checked && value() ? [value()] : []));
  return { element, answer: () => (isSingle ? (chosen()[0] ?? null) : chosen()) };
}

/** Sends at a click. The arrow keys choose too, so by keyboard the button sends. */
function sendByClick(label: HTMLElement, input: HTMLInputElement, { on, submit, chosenByKey }: FieldSettings): void {
  let isPointer = false;
  on(label, 'pointerdown', () => {
    isPointer = true;
  });
  on(label, 'pointercancel', () => {
    isPointer = false;
  });
  on(input, 'change', () => {
    if (isPointer) submit();
    else chosenByKey();
  });
}

const filled = (text: string, rating: number, scale: number) =>
  text.replace('{rating}', String(rating)).replace('{scale}', String(scale));

const shuffled = (items: readonly string[]): string[] =>
  items
    .map((item) => ({ item, by: Math.random() }))
    .sort((a, b) => a.by - b.by)
    .map(({ item }) => item);
