/** One element of a selector, and how it stands to the one inside it. */
export interface SelectorPart {
  tag: string | null;
  classes: string[];
  /** Null: any value. */
  attributes: { name: string; value: string | null }[];
  /** Whether the element inside is its child, or anywhere within. */
  holds: 'child' | 'descendant';
}

const MAX_LENGTH = 4_000;
const MAX_PARTS = 20;
const SIMPLE =
  /^(?:(\*|[A-Za-z][\w-]*)|#((?:[\w-]|\\.)+)|\.((?:[^\s.#:[\]>\\]|\\.)+)|\[([\w-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]"']+)))?\]|:(nth-child|nth-of-type)\((\d+)\))/;

/**
 * Reads a selector such as `nav > a.active[href="/docs"]`: tags, classes, ids, attributes, `:nth-child(n)`, within (a blank) and child
 * (`>`). @returns null for anything else
 */
export function parseSelector(text: string): SelectorPart[] | null {
  if (text.length > MAX_LENGTH) return null;
  const parts: SelectorPart[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const part: SelectorPart = { tag: null, classes: [], attributes: [], holds: 'descendant' };
    const before = rest;
    for (let match = SIMPLE.exec(rest); match; match = SIMPLE.exec(rest)) {
      const [whole, tag, id, name, attribute, double, single, bare, nth, place] = match;
      if (tag !== undefined && rest !== before) return null;
      if (tag !== undefined && tag !== '*') part.tag = tag.toLowerCase();
      if (id !== undefined) part.attributes.push({ name: 'id', value: unescaped(id) });
      if (name !== undefined) part.classes.push(unescaped(name));
      if (attribute !== undefined) part.attributes.push({ name: attribute, value: textOf(double ?? single ?? bare) });
      if (nth !== undefined) part.attributes.push({ name: nth, value: place ?? '' });
      rest = rest.slice(whole.length);
    }
    if (rest === before) return null;
    const [combinator = ''] = /^\s*>?\s*/.exec(rest) ?? [];
    rest = rest.slice(combinator.length);
    if ((rest !== '' && combinator === '') || (rest === '' && combinator.includes('>'))) return null;
    if (combinator.includes('>')) part.holds = 'child';
    parts.push(part);
    if (parts.length > MAX_PARTS) return null;
  }
  return parts.length > 0 ? parts : null;
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');
const textOf = (text: string | undefined): string | null => (text === undefined ? null : unescaped(text));
