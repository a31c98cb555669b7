import { NOT_CAPTURED } from '../privacy-marks.js';
import { tagOf } from './element-path.js';
import { hasSecretName, isField, looksSecret } from './privacy.js';

/** The text of an element, and of spans inside of links and buttons; empty for fields and possible secrets. */
export function textOf(element: Element, limit: number): string {
  if (isField(element) || hasSecretName(element)) return '';
  const text = ownText(element, /^(a|button)$/.test(tagOf(element)))
    .replace(/\s+/g, ' ')
    .trim();
  return looksSecret(text) ? '' : text.slice(0, limit);
}

function ownText(element: Element, withSpans: boolean): string {
  let text = '';
  for (const node of element.childNodes) {
    if (node.nodeType === 3) text += node.textContent;
    else if (withSpans && node instanceof HTMLSpanElement && !node.matches(NOT_CAPTURED)) text += ` ${ownText(node, true)}`;
  }
  return text;
}
