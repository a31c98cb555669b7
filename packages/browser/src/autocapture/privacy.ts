/** What is captured of an element: never values of fields, and nothing that looks like a secret. */
import { tagOf } from './element-path.js';

const FIELD_TYPES_WITH_LABELS = /^(button|checkbox|image|radio|reset|submit)$/;
const SECRET_NAMES =
  /^(cc|csc|exp(iry|iration|date|month|year|$)|pwd|routing|socsec)|cardnum|creditcard|cvc|cvv|passw|passcode|passphrase|sec(urity)?(code|num)|socialsec|ssn/i;
const US_SOCIAL_SECURITY = /\b\d{3}-\d{2}-\d{4}\b|^\s*\d{9}\s*$/;
const CARD = /\d(?:[ -]?\d){12,18}/g;

/** The only attributes of fields that are captured. */
export const FIELD_ATTRIBUTES = /^(name|id|class|aria-label)$/;

/** Whether people type or choose something here: no text and few attributes are captured of such elements. */
export function isField(element: Element): boolean {
  const tag = tagOf(element);
  return (
    tag === 'select' ||
    tag === 'textarea' ||
    (tag === 'input' && !FIELD_TYPES_WITH_LABELS.test(element.getAttribute('type') ?? '')) ||
    !!element.closest('[contenteditable]:not([contenteditable=false])')
  );
}

/** Whether the name or id is one for secrets, such as passwords and card numbers. */
export function hasSecretName(element: Element): boolean {
  // `form.id` is a field of the form if that has the name `id`
  return SECRET_NAMES.test((element.getAttribute('name') || element.getAttribute('id') || '').replace(/[^a-z0-9]/gi, ''));
}

/** Whether a text contains what looks like a payment card number or a US social security number. */
export function looksSecret(text: string): boolean {
  return US_SOCIAL_SECURITY.test(text) || (text.match(CARD) ?? []).some(isCardNumber);
}

/** Checks the check digit of ISO/IEC 7812, so that order numbers and times do not count as cards. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (1 + (i % 2));
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
