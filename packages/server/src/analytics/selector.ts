/** One compound selector, and its relation to the next one inside it. */
export interface SelectorPart {
  tag: string | null;
  classes: string[];
  /** Null: any value. */
  attributes: { name: string; value: string | null }[];
  /** Whether the next element is its child or any descendant. */
  holds: 'child' | 'descendant';
}

const MAX_LENGTH = 4_000;
const MAX_PARTS = 20;
const SIMPLE =
  /^(?:(\*|[A-Za-z][\w-]*)|#((?:[\w-]|\\.)+)|\.((?:[^\s.#:[\]>\\]|\\.)+)|\[([\w-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]"']+)))?\]|:(nth-child|nth-of-type)\((\d+)\))/;

/**
 * Parses a CSS selector such as `nav > a.active[href="/docs"]`:
 *
 *   selector   = compound { combinator compound }
 *   combinator = white space (descendant) | [ white space ] ">" [ white space ] (child)
 *   compound   = ( tag | "*" | simple ) { simple }
 *   simple     = "#" id | "." class | "[" name [ "=" value ] "]" | ":" ( "nth-child" | "nth-of-type" ) "(" digits ")"
 *   value      = text in single or double quotes | characters without quotes
 *
 * Class names may have any character that utilities such as Tailwind use (`w-1/2`), which CSS would have escaped: docs/decisions/0024.
 * @returns null for any other text, and beyond the limits
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
