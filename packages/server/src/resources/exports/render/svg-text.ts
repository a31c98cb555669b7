import { FONT } from '@tidemark/charts';
import { escapeXmlText } from '../../../kernel/display-text.js';

export interface TextStyle {
  size: number;
  fill: string;
  isBold?: boolean;
  isSlanted?: boolean;
  isCode?: boolean;
  isStruck?: boolean;
}

/** A part of a line that has one style. */
export interface Piece {
  text: string;
  style: TextStyle;
}

/** A line in one style as SVG; its baseline is at `y`. */
export const textSvg = (text: string, x: number, y: number, style: TextStyle): string => piecesSvg([{ text, style }], x, y);

/** A line of several styles as SVG. */
export const piecesSvg = (pieces: readonly Piece[], x: number, y: number): string =>
  `<text x="${x}" y="${y}" xml:space="preserve">${pieces.map(({ text, style }) => `<tspan ${attributesOf(style)}>${escapeXmlText(text)}</tspan>`).join('')}</text>`;

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
