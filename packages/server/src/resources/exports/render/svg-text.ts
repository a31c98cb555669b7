import { FONT } from '@tidemark/charts';

export interface TextStyle {
  size: number;
  fill: string;
  isBold?: boolean;
  isSlanted?: boolean;
  isCode?: boolean;
  isStruck?: boolean;
}

/** A text in one style. */
export interface Piece {
  text: string;
  style: TextStyle;
}

/** A line of text in SVG, its baseline at `y`. */
export const textSvg = (text: string, x: number, y: number, style: TextStyle): string => piecesSvg([{ text, style }], x, y);

/** A line of texts that follow one another, each in its style. */
export const piecesSvg = (pieces: readonly Piece[], x: number, y: number): string =>
  `<text x="${x}" y="${y}" xml:space="preserve">${pieces.map(({ text, style }) => `<tspan ${attributesOf(style)}>${escaped(text)}</tspan>`).join('')}</text>`;

function attributesOf(style: TextStyle): string {
  const attributes = [
    `font-family="${style.isCode ? `'DejaVu Sans Mono', ${FONT}` : FONT}"`,
    `font-size="${style.size}"`,
    style.isBold ? 'font-weight="bold"' : '',
    style.isSlanted ? 'font-style="italic"' : '',
    style.isStruck ? 'text-decoration="line-through"' : '',
    `fill="${style.fill}"`,
  ];
  return attributes.filter(Boolean).join(' ');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text in XML, which takes no control characters, not even escaped. */
const escaped = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? '');
