import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Stage } from './event-context.js';

/** Moves the clicked element and its ancestors to a column of their own, as one text. */
export const putElementsChain: Stage = {
  name: 'put-elements-chain',
  run: (context) => {
    const { properties } = context;
    const { $elements: list, $elements_chain: chain } = properties;
    if (list === undefined && chain === undefined) return undefined;
    if (typeof chain === 'string' && chain !== '') context.elementsChain = chain;
    else if (Array.isArray(list)) context.elementsChain = elementsChain(list);
    if (list !== undefined) delete properties.$elements;
    if (chain !== undefined) delete properties.$elements_chain;
    return undefined;
  },
};

/** Limits of the ancestors of a clicked element, and of the classes of one: more is no page. */
const MAX_ELEMENTS = 1_000;
const MAX_CLASSES = 1_000;

/**
 * The text form of an `$elements` array: elements joined by `;`, each `tag.class1.class2:name="value"…` with sorted
 * names and `"` escaped. The first element is the clicked one, then its ancestors.
 */
function elementsChain(elements: Json[]): string {
  return elements.filter(isObject).slice(0, MAX_ELEMENTS).map(elementText).join(';');
}

function elementText(element: JsonObject): string {
  const attributes: Record<string, string> = {
    'nth-child': text(element.nth_child, '0'),
    'nth-of-type': text(element.nth_of_type, '0'),
  };
  for (const [name, value] of Object.entries(element)) {
    if (name.startsWith('attr__')) attributes[name] = Array.isArray(value) ? value.map((v) => text(v)).join(' ') : text(value);
  }
  const shown = text(element.$el_text ?? element.text).slice(0, 400);
  if (shown) attributes.text = shown;
  const href = text(element.attr__href).slice(0, 2048);
  if (href) attributes.href = href;
  const id = text(element.attr__id);
  if (id) attributes.attr_id = id;
  const pairs = Object.keys(attributes)
    .sort()
    .map((name) => `${name}="${(attributes[name] ?? '').replaceAll('"', '\\"')}"`);
  const classes = classNames(element.attr__class ?? element.classes)
    .sort()
    .map((name) => `.${name.replaceAll('"', '')}`);
  return `${text(element.tag_name)}${classes.join('')}:${pairs.join('')}`;
}

function classNames(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value.slice(0, MAX_CLASSES).map((v) => text(v)) : text(value).split(/\s+/, MAX_CLASSES);
  return list.filter(Boolean);
}

function text(value: Json | undefined, fallback = ''): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : fallback;
}
