import { tagOf } from './element-path.js';
import { textOf } from './element-text.js';
import { FIELD_ATTRIBUTES, hasSecretName, isField, looksSecret } from './privacy.js';

const LONGEST_ATTRIBUTE = 1_024;
const LONGEST_TEXT = 255;
/** Tags of elements that people act on. */
const INTERACTIVE = /^(a|button|form|input|select|textarea|label)$/;

/** What is left out of each element. */
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
  const described = places(element);
  if (!rules.maskText && (isTarget || INTERACTIVE.test(tag))) put(described, 'text', textOf(element, LONGEST_TEXT));
  if (!rules.maskAttributes) {
    const strict = isField(element) || hasSecretName(element);
    // by name, since reading `attributes` creates an object for each
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? '';
      // attributes of Angular's scopes change with each build
      if ((strict && !FIELD_ATTRIBUTES.test(name)) || /^_ng(content|host)/.test(name)) continue;
      if (rules.ignoredAttributes?.includes(name) || looksSecret(value)) continue;
      const text = value.slice(0, LONGEST_ATTRIBUTE);
      put(described, `attr__${name}`, text);
      if (name === 'id') put(described, 'attr_id', text);
      if (name === 'href') put(described, 'href', text);
    }
  }
  const attributes = Object.keys(described)
    .sort()
    .map((name) => `${name}="${described[name]}"`);
  return `${[tag, ...classes].join('.')}:${attributes.join('')}`;
}

function put(described: Record<string, string>, name: string, value: string): void {
  if (value) described[name] = value.replace(/["\\]/g, '\\$&');
}

/** The classes, without characters that are separators in the chain. */
function classesOf(element: Element): string[] {
  return (element.getAttribute('class') ?? '').replace(/[";\\]/g, '').match(/\S+/g) ?? [];
}

/** Its index among all siblings and among those with the same tag, from 1. */
function places(element: Element): Record<string, string> {
  // of a list that may be long, and `tagName` creates a text in capitals for each
  const { localName } = element;
  let child = 1;
  let ofType = 1;
  for (let before = element.previousElementSibling; before; before = before.previousElementSibling) {
    child++;
    if (before.localName === localName) ofType++;
  }
  return { 'nth-child': String(child), 'nth-of-type': String(ofType) };
}
