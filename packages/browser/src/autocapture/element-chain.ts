import { INTERACTIVE, tagOf } from './element-path.js';
import { textOf } from './element-text.js';
import { FIELD_ATTRIBUTES, hasSecretName, isField, looksSecret } from './privacy.js';

const LONGEST_ATTRIBUTE = 1_024;
const LONGEST_TEXT = 255;

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
  const told: Record<string, string> = { 'nth-child': String(nth(element)), 'nth-of-type': String(nth(element, tag)) };
  if (!rules.maskText && (isTarget || INTERACTIVE.test(tag))) put(told, 'text', textOf(element, LONGEST_TEXT));
  if (!rules.maskAttributes) {
    const strict = isField(element) || hasSecretName(element);
    for (const { name, value } of element.attributes) {
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
    .map((name) => `${name}="${told[name]?.replace(/["\\]/g, '\\$&')}"`);
  return `${[tag, ...classes].join('.')}:${attributes.join('')}`;
}

function put(told: Record<string, string>, name: string, value: string): void {
  if (value) told[name] = value;
}

/** The classes, without what would end an element in the chain. */
function classesOf(element: Element): string[] {
  return (element.getAttribute('class') ?? '').split(/\s+/).flatMap((name) => name.replace(/[";\\]/g, '') || []);
}

/** Its place among its siblings, of all tags or of one, from 1. */
function nth(element: Element, tag?: string): number {
  let place = 1;
  for (let before = element.previousElementSibling; before; before = before.previousElementSibling) {
    if (!tag || tagOf(before) === tag) place++;
  }
  return place;
}
