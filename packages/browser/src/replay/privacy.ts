import type { record } from '@rrweb/record';
import { isRecord } from '@tidemark/client';
import { BLOCKED, MASKED } from '../privacy-marks.js';
import type { ReplayOptions } from './options.js';

/** Editable elements, beside inputs. */
const WRITTEN = ',textarea,[contenteditable]:not([contenteditable=false])';
/** Replaces secrets, whatever their length. */
const HIDDEN = '********';
const SECRET_FIELD = /(^|\s)(cc-|(current|new|one-time)-)/i;
const CARD = /^\s*\d(?:[ -]?\d){12,18}\s*$/;
/** Attributes that are shown or read out as text. */
const TEXT_ATTRIBUTES = /^(alt|label|placeholder|srcdoc|title|value|aria-(description|label|valuetext))$/;
const CONTACT = /^(mailto|tel):/;

/** A node as the recorder has serialized it. */
export type WrittenNode = Parameters<typeof record.mirror.add>[1];
type Attributes = Record<string, unknown>;

/** An event of the recorder with changes of texts and attributes. */
interface Change {
  source: 0;
  texts: { id: number; value: string | null }[];
  attributes: { id: number; attributes: Attributes }[];
}

export interface Privacy {
  /** Settings of the recorder. */
  settings: {
    blockSelector: string;
    maskInputOptions: Record<string, boolean>;
    maskInputFn(text: string, element: HTMLElement): string;
  };
  /** Removes private data from a serialized node. */
  hide(node: Node, written: WrittenNode): void;
  /** Removes private data from an event of the recorder. `nodeOf` returns the node of an id. */
  hideIn(change: unknown, nodeOf: (id: number) => Node | null): void;
}

/**
 * Decides what is masked or left out. Options of the page override the project's settings. The recorder itself checks ancestors only within one
 * document, and masks texts only; this also checks the hosts of shadow roots and frames.
 * @throws SyntaxError a selector that cannot be read: nothing may be recorded then
 */
export function privacy(options: ReplayOptions, remote: unknown): Privacy {
  const masking = isRecord(remote) && isRecord(remote.masking) ? remote.masking : {};
  const { maskText = (text: string) => text.replace(/\S/g, '*'), maskAllInputs = masking.maskAllInputs !== false } = options;
  const maskTextSelector = options.maskTextSelector ?? textOf(masking.maskTextSelector);
  const blockSelector = options.blockSelector ?? textOf(masking.blockSelector);
  // the built-in selectors come first, since a custom one may lack its last bracket
  const more = maskTextSelector ? `,${maskTextSelector}` : '';
  const masked = MASKED + more;
  const maskedText = MASKED + (maskAllInputs ? WRITTEN : '') + more;
  const blocked = BLOCKED + (blockSelector ? `,${blockSelector}` : '');
  for (const selector of [maskedText, blocked]) document.querySelector(selector);

  const textIn = (node: Node, text: string): string =>
    isIn(node, maskedText, maskAllInputs) && node.parentNode?.nodeName.toLowerCase() !== 'style'
      ? maskText(text, node.parentElement)
      : text;
  const hideAttributes = (node: Node, attributes: Attributes) => {
    if (!isIn(node, masked)) return;
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'string' && (TEXT_ATTRIBUTES.test(name) || CONTACT.test(value)))
        attributes[name] = '*'.repeat(value.length);
    }
  };

  return {
    settings: {
      blockSelector: blocked,
      // kinds of elements and of inputs alike; all go through the function, so that none is forgotten
      maskInputOptions: { input: true, textarea: true, select: true, password: true },
      maskInputFn: (text, element) => {
        if (!text) return text;
        if (isSecret(text, element) || isIn(element, blocked)) return HIDDEN;
        return maskAllInputs || isIn(element, masked) ? '*'.repeat(text.length) : text;
      },
    },
    hide(node, written) {
      if ('needBlock' in written && written.needBlock) return;
      const isBlocked = isIn(node, blocked);
      if ('textContent' in written) written.textContent = isBlocked ? '' : textIn(node, written.textContent);
      if (!('attributes' in written)) return;
      if (isBlocked) Object.assign(written, { needBlock: true, attributes: {} });
      else hideAttributes(node, written.attributes);
    },
    hideIn(change, nodeOf) {
      if (!isChange(change)) return;
      const shown = <Item extends { id: number }>(items: Item[], hideOne: (node: Node, item: Item) => void) =>
        items.filter((item) => {
          const node = nodeOf(item.id);
          if (!node || isIn(node, blocked)) return false;
          hideOne(node, item);
          return true;
        });
      change.texts = shown(change.texts, (node, text) => {
        text.value &&= textIn(node, text.value);
      });
      change.attributes = shown(change.attributes, (node, { attributes }) => hideAttributes(node, attributes));
    },
  };
}

/** A document or a shadow root. */
type Root = Node & Partial<Pick<ShadowRoot, 'host'> & Pick<Document, 'designMode' | 'defaultView'>>;

/** Whether a node is inside of an element of the selector, also across shadow roots and frames. `orWritten`: or in a document with `designMode`. */
function isIn(node: Node, selector: string, orWritten = false): boolean {
  for (let at: Node | null | undefined = node; at; ) {
    const element: Element | null = isElement(at) ? at : at.parentElement;
    if (element?.closest(selector)) return true;
    const root: Root = at.getRootNode();
    if (orWritten && root.designMode === 'on') return true;
    at = root.host ?? root.defaultView?.frameElement;
  }
  return false;
}

const isChange = (data: unknown): data is Change => isRecord(data) && data.source === 0;
const isElement = (node: Node): node is Element => node.nodeType === 1;

/** Texts that are never recorded: passwords, even while the page shows them, and payment cards. */
function isSecret(text: string, element: HTMLElement): boolean {
  return (
    element.matches('[type=password],[data-rr-is-password]') ||
    SECRET_FIELD.test(element.getAttribute('autocomplete') ?? '') ||
    CARD.test(text)
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);
