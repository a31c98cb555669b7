import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Measure, signsOf } from '@tidemark/charts';
import { type Font, openSync } from 'fontkit';
import { escapeXml } from '../../../kernel/display-text.js';
import { type Coverage, covers, readCoverage } from './font-coverage.js';
import { MACHINE_CACHES } from './machine-fonts.js';

/** An installed font. */
export interface Face {
  path: string;
  /** PostScript name within a collection (.ttc); null: the only font of its file. */
  name: string | null;
  font: Font;
  /** Whether its glyphs are outlines, which a PDF needs; those of emoji are often bitmaps. */
  isOutlined: boolean;
}

/** The installed fonts: which characters they have, and how wide these are. */
export interface Faces {
  /** The first font that has the character; `outlinedOnly`: that a PDF can embed. */
  faceOf(codePoint: number, outlinedOnly?: boolean): Face | undefined;
  measure: Measure;
  /** Measures texts that a browser draws: it may have fonts for characters that are missing here. */
  measureForBrowser: Measure;
  /** The text with {@link PLACEHOLDER} for each character that no font has. */
  drawable(text: string, outlinedOnly?: boolean): string;
  /** The font of a file; opened once, as opening takes longer than drawing a page. */
  fontOf(path: string): Font | undefined;
  /** The characters for which there were placeholders since the last call. */
  takeMissing(): string[];
}

/** Placeholder glyph for characters no font has. */
const PLACEHOLDER = '•';
/** Joiners and variation selectors, which have no glyph. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Zero width joiner: makes one emoji of several. */
const JOINER = '\u200d';
/** Combining marks, such as accents. */
const MARK = /\p{Mn}/u;
/** ASCII, where each character is a grapheme of its own. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Opens the bundled fonts, those of the operator when a character needs them, and those of the machine when all others lack it. */
export function openFaces(folder: string | null, machineFolders: readonly string[] = []): Faces {
  const shipped = [SHIPPED_FONT, SHIPPED_SIGNS].flatMap(facesIn);
  let own: Face[] | null = null;
  const onMachine = openMachineFaces(machineFolders);
  const missing = new Set<string>();
  const byPath = new Map(shipped.map(({ path, font }) => [path, font]));
  const find = (codePoint: number, outlinedOnly: boolean) => {
    const has = ({ font, isOutlined }: Face) => (isOutlined || !outlinedOnly) && font.hasGlyphForCodePoint(codePoint);
    // on demand: the operator's fonts are large, and the bundled ones have most characters
    const found = shipped.find(has);
    if (found) return found;
    own ??= folder === null ? [] : filesIn(folder).flatMap(facesIn);
    return own.find(has) ?? onMachine(codePoint, outlinedOnly);
  };
  const faceOf = (codePoint: number, outlinedOnly = false) => find(codePoint, outlinedOnly);
  const has = (char: string, outlinedOnly: boolean) => INVISIBLE.test(char) || faceOf(codeOf(char), outlinedOnly) !== undefined;
  return {
    faceOf,
    measure: measureBy(faceOf, (char) => has(char, false)),
    measureForBrowser: measureBy(faceOf, () => true),
    drawable: (text, outlinedOnly = false) =>
      text.replace(/[^\0-\x7f]+/g, (part) =>
        signsOf(part)
          .map((sign) => {
            if ([...sign].every((char) => has(char, outlinedOnly))) return sign;
            missing.add(sign);
            return PLACEHOLDER;
          })
          .join(''),
      ),
    fontOf: (path) => {
      if (!byPath.has(path)) for (const { font } of facesIn(path)) byPath.set(path, font);
      return byPath.get(path);
    },
    takeMissing: () => {
      const signs = [...missing];
      missing.clear();
      return signs;
    },
  };
}

/** Bold, slanted and serif fonts are taken last, so that letters look like those around them. */
const LAST = /bold|black|heavy|italic|oblique|light|thin|mono|serif|condensed/i;

/** Finds the font of the machine that has a character. Fonts are searched once, when the first character needs one. */
function openMachineFaces(folders: readonly string[]): (codePoint: number, outlinedOnly: boolean) => Face | undefined {
  let files: { path: string; coverage: Coverage }[] | null = null;
  const opened = new Map<string, Face | undefined>();
  const found = new Map<string, Face | undefined>();
  const search = (codePoint: number, outlinedOnly: boolean): Face | undefined => {
    files ??= folders
      .flatMap(filesIn)
      .sort((a, b) => Number(LAST.test(a)) - Number(LAST.test(b)))
      .flatMap((path) => {
        const coverage = readCoverage(path);
        return coverage ? [{ path, coverage }] : [];
      });
    for (const { path, coverage } of files) {
      if ((outlinedOnly && !coverage.isOutlined) || !covers(coverage, codePoint)) continue;
      if (!opened.has(path)) opened.set(path, facesIn(path)[0]);
      const face = opened.get(path);
      if (face?.font.hasGlyphForCodePoint(codePoint)) return face;
    }
    return undefined;
  };
  return (codePoint, outlinedOnly) => {
    const key = `${codePoint} ${outlinedOnly}`;
    if (!found.has(key)) found.set(key, search(codePoint, outlinedOnly));
    return found.get(key);
  };
}

function measureBy(faceOf: Faces['faceOf'], has: (char: string) => boolean): Measure {
  const widths = new Map<string, number>();
  const widthOf = (char: string): number => {
    if (INVISIBLE.test(char)) return 0;
    const font = faceOf(codeOf(char))?.font;
    if (!font) return MARK.test(char) ? 0 : 1;
    // an emoji is about as wide as high, whatever its font says
    return Math.min(1.3, font.glyphForCodePoint(codeOf(char)).advanceWidth / font.unitsPerEm);
  };
  const wide = (sign: string): number => {
    let width = widths.get(sign);
    if (width === undefined) {
      const chars = [...sign];
      // as drawn: a missing character is one placeholder, a joined emoji is one glyph
      if (!chars.every(has)) width = widthOf(PLACEHOLDER);
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
    // the folder does not exist
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
    // not a font: fontconfig skips such a file as well
    return [];
  }
}

const require = createRequire(import.meta.url);
const shipped = dirname(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

/** Latin, Greek and Cyrillic. */
export const SHIPPED_FONT = join(shipped, 'DejaVuSans.ttf');
/** Symbols, such as those of mathematics. */
const SHIPPED_SIGNS = join(shipped, 'DejaVuMathTeXGyre.ttf');
export const SHIPPED_BOLD = join(shipped, 'DejaVuSans-Bold.ttf');

/**
 * Configures fontconfig to find the bundled fonts first, then those in the operator's folder and those of the machine. Must run before sharp
 * is loaded. `home`: a directory for the configuration and the cache of fontconfig.
 */
export async function useFonts(folder: string | null, machineFolders: readonly string[], home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  const file = join(home, 'fonts.conf');
  const folders = [shipped, ...(folder ? [folder] : []), ...machineFolders];
  const caches = [home, ...(machineFolders.length > 0 ? MACHINE_CACHES : [])];
  const element = (name: string) => (path: string) => `<${name}>${escapeXml(path)}</${name}>`;
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders.map(element('dir')).join('')}${caches.map(element('cachedir')).join('')}</fontconfig>`;
  // a full disk does not matter while the file is as it has to be
  if ((await readFile(file, 'utf8').catch(() => null)) !== text) await writeFile(file, text);
  // biome-ignore lint/style/noProcessEnv: fontconfig has no other setting for the path of its file
  process.env['FONTCONFIG_FILE'] = file;
}
