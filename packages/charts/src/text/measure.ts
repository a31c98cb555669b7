/** Returns the width of a text in pixels, given the font size in pixels. */
export type Measure = (text: string, size: number) => number;

/** Factor from the measured regular font to bold. */
export const BOLD = 1.15;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Grapheme clusters of a text: an emoji of several code points is one. */
export const signsOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Right-to-left letters, for a character class of a regular expression. */
export const RIGHT_TO_LEFT = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc';
const FROM_RIGHT = new RegExp(`[${RIGHT_TO_LEFT}]`);
const LEFT_TO_RIGHT_MARK = '\u200e';

/** Isolates a name that is followed by other text: a right-to-left name would otherwise pull the following signs and numbers to its left. */
export const beforeMore = (name: string): string => (FROM_RIGHT.test(name) ? name + LEFT_TO_RIGHT_MARK : name);

/** Signs without a width of their own: marks on a letter, joiners, variants of emoji. */
const WITHOUT_WIDTH = /[\p{M}\p{Cf}]/gu;

/** Estimates generously, for callers without a font. */
export const roughly: Measure = (text, size) => {
  let width = 0;
  for (const char of text.replace(WITHOUT_WIDTH, '')) width += (char.codePointAt(0) ?? 0) >= 0x2e80 ? 1 : 0.64;
  return width * size;
};

/** Longer texts are cut to this many characters before they are measured, because measuring takes time per character. */
const LONGEST = 2_000;

/** Cuts the end of a text, with an ellipsis, so that it fits. */
export function fit(text: string, width: number, size: number, measure: Measure): string {
  const flat = text.slice(0, LONGEST).replace(/\s+/g, ' ');
  if (text.length <= LONGEST && measure(flat, size) <= width) return flat;
  const chars = signsOf(flat);
  let [low, high] = [0, chars.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${chars.slice(0, middle).join('')}…`, size) <= width) low = middle;
    else high = middle - 1;
  }
  return `${chars.slice(0, low).join('').trimEnd()}…`;
}

/** Cuts the middle of a text so that it fits, because the ends of long names often differ. */
export function fitMiddle(text: string, width: number, size: number, measure: Measure): string {
  const isLong = text.length > LONGEST;
  const flat = (isLong ? text.slice(0, LONGEST / 2) + text.slice(-LONGEST / 2) : text).replace(/\s+/g, ' ');
  if (!isLong && measure(flat, size) <= width) return flat;
  const chars = signsOf(flat);
  const cut = (length: number) => {
    const end = Math.floor(length * 0.35);
    return `${chars
      .slice(0, length - end)
      .join('')
      .trimEnd()}…${end > 0 ? chars.slice(-end).join('').trimStart() : ''}`;
  };
  let [low, high] = [0, chars.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(cut(middle), size) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Letters of a name that stay before what it counts. */
const LEAST_NAME = 4;

/** A name and what it counts, which tells equal names apart: `Page view` and ` (weekly active)`; often nothing. */
export function nameParts(full: string): { name: string; counted: string } {
  const [, name = full, counted = ''] = (full.length <= LONGEST && /^(.*\S)( \([^()]+\))$/s.exec(full)) || [];
  return { name, counted };
}

/** Cuts a name rather than what it counts, `Page… (weekly active)`, as long as some letters of it fit; else as `cut` does. */
export function fitName(full: string, width: number, size: number, measure: Measure, cut = fit): string {
  const { name, counted } = nameParts(full);
  if (counted === '' || measure(full, size) <= width) return cut(full, width, size, measure);
  const rest = width - measure(counted, size);
  const hasRoom = measure(`${signsOf(name).slice(0, LEAST_NAME).join('')}…`, size) <= rest;
  return hasRoom ? `${fit(name, rest, size, measure)}${counted}` : cut(full, width, size, measure);
}

/** Wraps a text into a limited number of lines; the last one is cut when the text is longer. */
export function wrap(text: string, width: number, size: number, most: number, measure: Measure): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split(/\r?\n/)) {
    let line = '';
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      const longer = line ? `${line} ${word}` : word;
      if (line && measure(longer, size) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    lines.push(line);
  }
  const shown = lines.slice(0, most);
  const last = shown.length - 1;
  if (lines.length > most && shown[last] !== undefined) shown[last] = `${shown[last]} ${lines.slice(most).join(' ')}`;
  return shown.map((line) => fit(line, width, size, measure));
}
