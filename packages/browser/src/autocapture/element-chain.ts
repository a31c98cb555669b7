import { tagOf } from './element-path.js';
import { textOf } from './element-text.js';
import { FIELD_ATTRIBUTES, hasSecretName, isField, looksSecret } from './privacy.js';

const LONGEST_ATTRIBUTE = 1_024;
const LONGEST_TEXT = 255;
/** Tags of elements that people act on. */
const INTERACTIVE = /^(a|button|form|input|select|textarea|label)$/;

/** What of each element is left out. */
export interface ChainRules {
  maskText?: boolean | undefined;
  maskAttributes?: boolean | undefined;
  /** Attributes that are not sent. */
  ignoredAttributes?: readonly string[] | undefined;
}

/**
 * A path of elements, the innermost first, as one text:
 * `span.big:nth-child="2"nth-of-type="1"text="Buy";button:attr__id="buy"…`.
 */
export function elementChain(path: readonly Element[], rules: ChainRules): string {
  return path.map((element, at) => describe(element, at === 0, rules)).join(';');
}

function describe(element: Element, isTarget: boolean, rules: ChainRules): string {
  const tag = tagOf(element);
  const classes = classesOf(element).sort();
  const told = places(element);
  if (!rules.maskText && (isTarget || INTERACTIVE.test(tag))) put(told, 'text', textOf(element, LONGEST_TEXT));
  if (!rules.maskAttributes) {
    const strict = isField(element) || hasSecretName(element);
    // names alone: browsers make an object of each attribute that is asked for
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? '';
      // Angular's scope marks are new with each build
      if ((strict && !FIELD_ATTRIBUTES.test(name)) || /^_ng(content|host)/.test(name)) continue;
      if (rules.ignoredAttributes?.includes(name) || looksSecret(value)) continue;
      const text = value.slice(0, LONGEST_ATTRIBUTE);
      put(told, `attr__${name}`, text);
      if (name === 'id') put(told, 'attr_id', text);
      if (name === 'href') put(told, 'href', text);
    }
  }
  const attributes = Object.keys(told)
    .sort()
    .map((name) => `${name}="${told[name]}"`);
  return `${[tag, ...classes].join('.')}:${attributes.join('')}`;
}

function put(told: Record<string, string>, name: string, value: string): void {
  if (value) told[name] = value.replace(/["\\]/g, '\\$&');
}

/** The classes, without what would end an element in the chain. */
function classesOf(element: Element): string[] {
  return (element.getAttribute('class') ?? '').replace(/[";\\]/g, '').match(/\S+/g) ?? [];
}

/** Its place among its siblings, of all tags and of its own, from 1. */
function places(element: Element): Record<string, string> {
  // of a list that may be long, and the tag is told in capitals made for each
  const { localName } = element;
  let child = 1;
  let ofType = 1;
  for (let before = element.previousElementSibling; before; before = before.previousElementSibling) {
    child++;
    if (before.localName === localName) ofType++;
  }
  return { 'nth-child': String(child), 'nth-of-type': String(ofType) };
}
