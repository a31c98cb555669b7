/** An element of an SVG image. Declarations of its `style` are among its attributes. */
export interface SvgElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (SvgElement | string)[];
}

interface OpenElement extends SvgElement {
  children: (SvgElement | string)[];
}

const STYLE_SHEET = /<style[\s\S]*?<\/style>/g;
const TOKENS = /<(\/?)([a-zA-Z][\w:]*)((?:[^>"]|"[^"]*")*?)(\/?)>|<[^>]*>|([^<]+)/g;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Reads an SVG that `@tidemark/charts` or this folder wrote: well-formed, without comments that hold tags. Style sheets are left out. */
export function readSvg(svg: string): SvgElement {
  const root: OpenElement = { name: 'g', attributes: {}, children: [] };
  const open: OpenElement[] = [root];
  for (const [, isEnd, name, attributes = '', isEmpty, text] of svg.replace(STYLE_SHEET, '').matchAll(TOKENS)) {
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.children.push(decoded(text));
    else if (name === undefined) continue;
    else if (isEnd) {
      if (open.length > 1) open.pop();
    } else {
      const element = { name, attributes: attributesOf(attributes), children: [] };
      parent.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  return root;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    if (name !== 'style') attributes[name] = decoded(value);
    else {
      for (const declaration of decoded(value).split(';')) {
        const colon = declaration.indexOf(':');
        if (colon > 0) attributes[declaration.slice(0, colon).trim()] = declaration.slice(colon + 1).trim();
      }
    }
  }
  return attributes;
}

const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d+)|([a-z]+));/g, (whole, code?: string, name?: string) =>
        code === undefined ? (ENTITIES[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
      )
    : text;

/** The text of an element and of all elements within. */
export const textOf = ({ children }: SvgElement): string =>
  children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
