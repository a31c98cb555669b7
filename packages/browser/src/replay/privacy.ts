import { isRecord } from '@tidemark/client';
import type { ReplayOptions } from './options.js';

const MASK = 'tm-mask';
const BLOCK = 'tm-block';
/** Of every password, whatever its length. */
const HIDDEN = '********';
const SECRET_FIELD = /(^|\s)(cc-|(current|new|one-time)-)/;
const CARD = /^\s*\d(?:[ -]?\d){12,18}\s*$/;

/** The recorder's settings that decide what is hidden. Settings of the page beat those of the project. */
export function privacy(options: ReplayOptions, remote: unknown) {
  const masking = isRecord(remote) && isRecord(remote.masking) ? remote.masking : {};
  const { maskText, maskAllInputs = masking.maskAllInputs !== false } = options;
  const maskTextSelector = options.maskTextSelector ?? textOf(masking.maskTextSelector);
  const blockSelector = options.blockSelector ?? textOf(masking.blockSelector);
  // kinds of elements and of inputs alike; all go through the function, so that none is forgotten
  const everything = { input: true, textarea: true, select: true, password: true };
  return {
    blockClass: BLOCK,
    maskTextClass: MASK,
    ...(blockSelector ? { blockSelector } : {}),
    ...(maskTextSelector ? { maskTextSelector } : {}),
    ...(maskText ? { maskTextFn: maskText } : {}),
    maskInputOptions: everything,
    maskInputFn: (text: string, element: HTMLElement): string => {
      if (!text) return text;
      if (isSecret(text, element)) return HIDDEN;
      const isMasked = maskAllInputs || element.closest(maskTextSelector ? `.${MASK},${maskTextSelector}` : `.${MASK}`);
      return isMasked ? '*'.repeat(text.length) : text;
    },
  };
}

/** What is never recorded: passwords, also those that the page shows for a moment, and payment cards. */
function isSecret(text: string, element: HTMLElement): boolean {
  return (
    element.getAttribute('type')?.toLowerCase() === 'password' ||
    element.hasAttribute('data-rr-is-password') ||
    SECRET_FIELD.test(element.getAttribute('autocomplete') ?? '') ||
    CARD.test(text)
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);
