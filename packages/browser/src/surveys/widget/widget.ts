import type { ClientInternals, OpenSurvey, SurveyStep, Timers } from '@tidemark/client';
import { type Appearance, dress, textOf } from './appearance.js';
import { LABELS, type SurveyLabels } from './labels.js';
import { make } from './make.js';
import { type Fields, fieldsOf } from './question.js';
import { STYLES } from './styles.js';

export interface WidgetSettings {
  labels: Partial<SurveyLabels> | undefined;
  guard: ClientInternals['guard'];
  timers: Timers;
  /** Called when the widget is gone. */
  onRemoved(): void;
  /** Shows a preview within this element, which has to contain fixed elements, instead of above the page. It takes no focus, and Tab leaves it. */
  into?: HTMLElement;
}

/** Time after which a thank-you message with `autoDisappear` closes. */
const DISAPPEAR_MS = 5_000;
/** Screen readers announce what is added to a region that they know. */
const ANNOUNCED_AFTER_MS = 200;
const FOCUSABLE = 'a[href],button,textarea,input';

/** Shows a survey in a dialog above the page. Returns a function that removes the dialog without dismissing the survey. */
export function showSurvey(open: OpenSurvey, { labels: given, guard, timers, onRemoved, into }: WidgetSettings): () => void {
  const labels = { ...LABELS, ...given };
  const appearance: Appearance = open.survey.appearance ?? {};
  const before = document.activeElement;
  let timer: unknown;
  /** Choices of each question in a random order, which they keep when the person goes back. */
  const orders = new Map<string, readonly string[]>();
  const on = (target: EventTarget, type: string, listener: (event: Event) => void) =>
    target.addEventListener(type, (event) => guard(() => listener(event)));

  const host = document.createElement('tidemark-survey');
  // clicks in the survey are no clicks on the page, and answers are not recorded
  host.className = 'tm-no-capture';
  const root = host.attachShadow({ mode: 'open' });
  style(root);
  const { direction } = getComputedStyle(document.body);
  const card = make('div', { className: 'card', role: 'dialog', tabIndex: -1, 'aria-labelledby': 'q', dir: direction });
  const closing = make('button', { type: 'button', className: 'close', 'aria-label': labels.close }, '×');
  closing.hidden = Boolean(appearance['hideCancelButton']);
  const announcement = make('span', { className: 'announcement', role: 'status' });
  root.append(card, announcement);

  const remove = () => {
    timers.clear(timer);
    const hadFocus = root.activeElement !== null;
    host.remove();
    onRemoved();
    if (hadFocus && before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  const close = () => {
    if (open.step().kind !== 'end') open.dismiss();
    remove();
  };
  const show = (step: SurveyStep) => {
    const form = formOf(step);
    if (!form) return remove();
    const isFirst = !card.firstChild;
    card.replaceChildren(form, closing);
    if (!isFirst) card.focus({ preventScroll: true });
  };

  /** The form of a step; undefined after the last one. */
  const formOf = (step: SurveyStep): HTMLFormElement | undefined => {
    if (step.kind === 'intro') {
      const send = sendButton(textOf(appearance.introScreenButtonText) ?? labels.start);
      return formWith(appearance.introScreenHeader, appearance.introScreenDescription, [foot(send)], () => show(open.start()));
    }
    if (step.kind === 'question') return questionForm(step);
    if (!step.answered || appearance.displayThankYouMessage === false) return undefined;
    if (appearance['autoDisappear']) timer = timers.set(remove, DISAPPEAR_MS);
    const send = sendButton(textOf(appearance['thankYouMessageCloseButtonText']) ?? labels.close);
    const header = textOf(appearance.thankYouMessageHeader) ?? labels.thanks;
    return formWith(header, appearance.thankYouMessageDescription, [foot(send)], remove);
  };

  const questionForm = ({ question, given, canGoBack }: Extract<SurveyStep, { kind: 'question' }>) => {
    const text = textOf(question.buttonText) ?? textOf(appearance['submitButtonText']) ?? labels.submit;
    const link = question.type === 'link' && /^(https?|mailto):/i.test(question.link ?? '') ? question.link : undefined;
    const send = link
      ? make('a', { className: 'send', href: link, target: '_blank', rel: 'noopener noreferrer' }, text)
      : sendButton(text);
    const isSentByClick = Boolean(question.skipSubmitButton) && /^(rating|single_choice)$/.test(question.type);
    send.hidden = isSentByClick && !question.optional && given === undefined;
    const error = make('p', { className: 'error', role: 'alert' });
    const submit = () => {
      const answer = fields.answer();
      if (question.optional || typeof answer === 'number' || answer?.length) return show(open.answer(answer));
      error.textContent = labels.required;
      fields.element?.querySelector('input')?.focus();
      if (fields.element?.matches('textarea')) fields.element.focus();
    };
    const fields: Fields = fieldsOf(question, {
      labels,
      given,
      orders,
      placeholder: textOf(appearance['placeholder']) ?? '',
      on,
      submit,
      chosenByKey: () => {
        send.hidden = false;
      },
    });
    if (link) on(send, 'click', submit);
    const back = make('button', { type: 'button', className: 'back' }, textOf(appearance['backButtonText']) ?? labels.back);
    on(back, 'click', () => show(open.back()));
    const bottom = foot(send, canGoBack ? back : undefined, question.optional ? make('span', {}, labels.optional) : undefined);
    return formWith(question.question, question.description, [fields.element, error, bottom], submit);
  };

  const formWith = (
    header: string | undefined,
    description: string | null | undefined,
    rest: (HTMLElement | undefined)[],
    submit: () => void,
  ) => {
    const about = textOf(description);
    const head = make('div', { className: 'head' }, make('h2', { id: 'q', dir: 'auto' }, header ?? ''));
    head.append(make('p', { id: 'd', dir: 'auto', hidden: !about }, about ?? ''));
    const form = make('form', { noValidate: true }, head, ...rest);
    on(form, 'submit', (event) => {
      event.preventDefault();
      submit();
    });
    return form;
  };

  on(closing, 'click', close);
  on(card, 'keydown', (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    // shortcuts of the page, which sees the element of the widget as the target, must not run while somebody types
    if (event.target instanceof HTMLElement && event.target.matches('textarea,[type=text]')) event.stopPropagation();
    if (event.key === 'Escape' && !event.isComposing && !closing.hidden) {
      event.stopPropagation();
      close();
    }
    if (event.key === 'Tab' && !into) cycle(event);
  });
  /** Tab stays within the dialog. */
  const cycle = (event: KeyboardEvent) => {
    const stops: (Element | null)[] = [...card.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isStop);
    const at = stops.indexOf(root.activeElement);
    if (event.shiftKey ? at > 0 : at < stops.length - 1) return;
    event.preventDefault();
    const stop = stops.at(event.shiftKey ? -1 : 0);
    if (stop instanceof HTMLElement) stop.focus();
  };

  show(open.step());
  (into ?? document.body).append(host);
  dress(host, card, appearance);
  if (into) return remove;
  // a control of the page keeps the focus; screen readers read the survey then
  if (before === null || before === document.body) card.focus({ preventScroll: true });
  else timer = timers.set(() => announcement.append(card.querySelector('h2')?.textContent ?? ''), ANNOUNCED_AFTER_MS);
  return remove;
}

const sendButton = (text: string): HTMLElement => make('button', { type: 'submit', className: 'send' }, text);
const foot = (send: HTMLElement, ...before: (HTMLElement | undefined)[]): HTMLElement =>
  make('div', { className: 'foot' }, ...before, send);

/** Whether Tab reaches an element. Of radio buttons it reaches the chosen one, or else the first. */
function isStop(element: HTMLElement): boolean {
  if (element.hidden || !(element instanceof HTMLInputElement) || element.type !== 'radio') return !element.hidden;
  const all = [...(element.form?.querySelectorAll<HTMLInputElement>('[type=radio]') ?? [])];
  return element === (all.find(({ checked }) => checked) ?? all[0]);
}

/** Adds the style sheet in a way that a strict Content-Security-Policy allows; Safari before 16.4 has only the other. */
function style(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(make('style', {}, STYLES));
  }
}
