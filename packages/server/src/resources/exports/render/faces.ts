import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Measure, signsOf } from '@tidemark/charts';
import { type Font, openSync } from 'fontkit';
import { SHIPPED_FONT, SHIPPED_SIGNS } from './fonts.js';

/** A font that is there, and where. */
export interface Face {
  path: string;
  /** Of a font among several of one file. */
  name: string | null;
  font: Font;
  /** Its letters are outlines, as documents need them; others are pictures, such as of emoji. */
  isOutlined: boolean;
}

/** Which letters can be drawn, and how wide they are. */
export interface Faces {
  /** The first font that has the letter, of all or of those that documents can hold. */
  faceOf(codePoint: number, outlinedOnly?: boolean): Face | undefined;
  measure: Measure;
  /** The same of texts that are drawn elsewhere, where there may be other fonts: by a browser. */
  measureElsewhere: Measure;
  /** The text with a dot for each sign that no font has. */
  drawable(text: string, outlinedOnly?: boolean): string;
}

/** Says of a sign that it is one, where nobody can draw it. */
const NEUTRAL = '•';
/** Joiners and choices of a variant, which have no picture of their own. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Makes one picture of several emoji. */
const JOINER = '\u200d';
/** Marks above and below letters. */
const MARK = /\p{Mn}/u;
/** Each letter is a sign. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Reads what is shipped, and what is in the operator's folder. */
export function openFaces(folder: string | null): Faces {
  const shipped = [SHIPPED_FONT, SHIPPED_SIGNS].flatMap(facesIn);
  let own: Face[] | null = null;
  const find = (codePoint: number, outlinedOnly: boolean) => {
    const has = ({ font, isOutlined }: Face) => (isOutlined || !outlinedOnly) && font.hasGlyphForCodePoint(codePoint);
    // the operator's are large, and few pictures have letters that are not among the shipped ones
    const found = shipped.find(has);
    if (found || folder === null) return found;
    own ??= filesIn(folder).flatMap(facesIn);
    return own.find(has);
  };
  const faceOf = (codePoint: number, outlinedOnly = false) => find(codePoint, outlinedOnly);
  const has = (char: string, outlinedOnly: boolean) => INVISIBLE.test(char) || faceOf(codeOf(char), outlinedOnly) !== undefined;
  return {
    faceOf,
    measure: measureBy(faceOf, (char) => has(char, false)),
    measureElsewhere: measureBy(faceOf, () => true),
    drawable: (text, outlinedOnly = false) =>
      text.replace(/[^\0-\x7f]+/g, (part) =>
        signsOf(part)
          .map((sign) => ([...sign].every((char) => has(char, outlinedOnly)) ? sign : NEUTRAL))
          .join(''),
      ),
  };
}

function measureBy(faceOf: Faces['faceOf'], has: (char: string) => boolean): Measure {
  const widths = new Map<string, number>();
  const widthOf = (char: string): number => {
    if (INVISIBLE.test(char)) return 0;
    const font = faceOf(codeOf(char))?.font;
    if (!font) return MARK.test(char) ? 0 : 1;
    // pictures of emoji are about as wide as they are high, whatever their font says
    return Math.min(1.3, font.glyphForCodePoint(codeOf(char)).advanceWidth / font.unitsPerEm);
  };
  const wide = (sign: string): number => {
    let width = widths.get(sign);
    if (width === undefined) {
      const chars = [...sign];
      // as it will be drawn: a sign that no font has is one dot, and an emoji of several parts one picture
      if (!chars.every(has)) width = widthOf(NEUTRAL);
      else if (sign.includes(JOINER)) width = Math.max(...chars.map(widthOf));
      else width = chars.reduce((sum, char) => sum + widthOf(char), 0);
      widths.set(sign, width);
    }
    return width;
  };
  return (text, size) => {
    const parts: Iterable<string> = PLAIN.test(text) ? text : signsOf(text);
    let width = 0;
    for (const sign of parts) width += wide(sign);
    return width * size;
  };
}

const codeOf = (char: string): number => char.codePointAt(0) ?? 0;

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ttf|otf|ttc|otc)$/i.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    // a folder that is not there has no fonts
    return [];
  }
}

function facesIn(path: string): Face[] {
  try {
    const opened = openSync(path);
    const isMany = 'fonts' in opened;
    return (isMany ? opened.fonts : [opened]).map((font) => {
      const { tables } = font.directory;
      return { path, name: isMany ? font.postscriptName : null, font, isOutlined: 'glyf' in tables || 'CFF ' in tables };
    });
  } catch {
    // the renderer passes over files that are no fonts, too
    return [];
  }
}
