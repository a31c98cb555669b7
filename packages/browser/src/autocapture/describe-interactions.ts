import type { Client, Properties } from '@tidemark/client';
import { NOT_CAPTURED } from '../privacy-marks.js';
import { urlOf } from '../url-of.js';
import { isCapturedHere } from './captured-here.js';
import { type ChainRules, elementChain } from './element-chain.js';
import { tagOf } from './element-path.js';
import { textOf } from './element-text.js';
import type { Interaction } from './interaction.js';
import { isMarked } from './is-interaction.js';
import type { AutocaptureOptions } from './options.js';
import { hasSecretName, isField, looksSecret } from './privacy.js';
import { rageClicks } from './rage-clicks.js';

const NOT_COPIED = `${NOT_CAPTURED},[contenteditable]`;
const NO_RAGE_CLICK = '.tm-no-rageclick,.ph-no-rageclick';
/** `data-tm-capture-plan="pro"` puts `plan: 'pro'` on the event; the other name is that of posthog-js. */
const DATA_NAME = /^data-(?:tm-capture|ph-capture-attribute)-(.+)/;
const LONGEST_TEXT = 1_024;

/** Returns a function that captures an interaction with the description of its elements. */
export function describeInteractions(client: Client, options: AutocaptureOptions): (interaction: Interaction) => void {
  const rules: ChainRules = {
    maskText: options.mask_all_text,
    maskAttributes: options.mask_all_element_attributes,
    ignoredAttributes: options.element_attribute_ignorelist,
  };
  const isRage = rageClicks();
  return ({ event, path, url, counts, selection, at }) => {
    if (!isCapturedHere(path, url, options)) return;
    const { type } = event;
    const capture = (name: string, more?: Properties) =>
      client.capture(name, { ...describePath(path, type, rules), ...more }, { timestamp: at });
    if (event instanceof MouseEvent && type === 'click' && options.rageclick !== false) {
      if (isRage(event.clientX, event.clientY, event.timeStamp) && !isMarked(path, NO_RAGE_CLICK)) capture('$rageclick');
    }
    if (/^c(opy|ut)$/.test(type)) {
      const [target] = path;
      const selected = !target || isField(target) || rules.maskText ? '' : textIn(selection);
      if (selected && !looksSecret(selected)) {
        capture('$copy_autocapture', { $selected_content: selected.slice(0, LONGEST_TEXT), $copy_type: type });
      }
    } else if (counts) capture('$autocapture');
  };
}

/** The selected text; empty if a part of it may not be captured. */
function textIn(selection: Selection | null | undefined): string {
  const isHidden = (element: Element) => selection?.containsNode(element, true);
  return [...document.querySelectorAll(NOT_COPIED)].some(isHidden) ? '' : `${selection ?? ''}`.trim();
}

/** Event properties that describe an element and its ancestors, without secrets. */
export function describePath(path: readonly Element[], type: string, rules: ChainRules): Properties {
  const [target] = path;
  const properties: Properties = { $event_type: type, $elements_chain: elementChain(path, rules) };
  const text = target && !rules.maskText && textOf(target, LONGEST_TEXT);
  if (text) properties['$el_text'] = text;
  const link = path.find((element) => tagOf(element) === 'a' && element.hasAttribute('href'));
  const href = (link && !rules.maskAttributes && link.getAttribute('href')) || '';
  const host = urlOf(href)?.host;
  if (host !== undefined && host !== location.host && !looksSecret(href)) properties['$external_click_url'] = href;
  // a property of an inner element wins
  for (const element of [...path].reverse()) {
    for (const name of element.getAttributeNames()) {
      const property = DATA_NAME.exec(name)?.[1];
      const value = element.getAttribute(name);
      if (property && value !== null && !looksSecret(value) && !hasSecretName(element)) properties[property] = value;
    }
  }
  return properties;
}
