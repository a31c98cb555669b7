import { dirname, join } from 'node:path';
import type pdfkit from 'pdfkit';
import { type Face, type Faces, SHIPPED_BOLD, SHIPPED_FONT } from './faces.js';
import { type Run, visualRuns } from './visual-runs.js';

export type PdfDocument = InstanceType<typeof pdfkit>;

/** The style of a text. Bold, slanted and monospaced letters exist in the bundled fonts only. */
export interface PdfTextStyle {
  size: number;
  isBold: boolean;
  isSlanted: boolean;
  isCode: boolean;
}

const folder = dirname(SHIPPED_FONT);
const FONTS = {
  regular: SHIPPED_FONT,
  bold: SHIPPED_BOLD,
  slanted: join(folder, 'DejaVuSans-Oblique.ttf'),
  'bold-slanted': join(folder, 'DejaVuSans-BoldOblique.ttf'),
  code: join(folder, 'DejaVuSansMono.ttf'),
} as const;

export function registerFonts(document: PdfDocument, faces: Faces): void {
  for (const [name, path] of Object.entries(FONTS)) {
    // a font that is open already; the types of pdfkit do not know that it takes one
    Reflect.apply(document.registerFont, document, [name, faces.fontOf(path) ?? path]);
  }
}

const nameOf = ({ isBold, isSlanted, isCode }: PdfTextStyle): keyof typeof FONTS => {
  if (isCode) return 'code';
  if (isBold) return isSlanted ? 'bold-slanted' : 'bold';
  return isSlanted ? 'slanted' : 'regular';
};

/** A text in the fonts that have its letters. */
export interface LaidText {
  width: number;
  /** Writes the text in the current color. `y`: its baseline. */
  write(x: number, y: number): void;
}

/** An empty list of features makes pdfkit lay out a text as a whole: word by word, Arabic words would stand in the wrong order. */
const WHOLE = { features: [] };

/** Lays a line out from left to right, each letter in the first font that has it. */
export function layText(document: PdfDocument, line: string, style: PdfTextStyle, faces: Faces): LaidText {
  const parts = visualRuns(faces.drawable(line, true))
    .flatMap((run) => partsOf(run, faces))
    .map(({ face, part }) => {
      select(document, face, style);
      return { face, part, width: document.widthOfString(part, WHOLE) };
    });
  return {
    width: parts.reduce((sum, { width }) => sum + width, 0),
    write: (x, y) => {
      let at = x;
      for (const { face, part, width } of parts) {
        select(document, face, style);
        document.text(part, at, y, { ...WHOLE, lineBreak: false, baseline: 'alphabetic' });
        at += width;
      }
    },
  };
}

function select(document: PdfDocument, face: Face | undefined, style: PdfTextStyle): void {
  if (!face || face.path === SHIPPED_FONT) document.font(nameOf(style), style.size);
  else if (face.name === null) document.font(face.path, style.size);
  else document.font(face.path, face.name, style.size);
}

function partsOf({ text, isRightToLeft }: Run, faces: Faces): { face: Face | undefined; part: string }[] {
  const parts: { face: Face | undefined; part: string }[] = [];
  for (const char of text) {
    const face = faces.faceOf(char.codePointAt(0) ?? 0, true);
    const last = parts.at(-1);
    if (last && last.face === face) last.part += char;
    else parts.push({ face, part: char });
  }
  return isRightToLeft ? parts.reverse() : parts;
}
