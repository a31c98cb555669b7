/** Width of a text in pixels, in a font of so many pixels. */
export type Measure = (text: string, size: number) => number;

/** How much wider bold letters are than those that are measured. */
export const BOLD = 1.15;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The signs of a text as people count them: an emoji of several parts is one. */
export const signsOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Letters that are written from the right, for a class of a regular expression. */
export const RIGHT_TO_LEFT = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc';
const FROM_RIGHT = new RegExp(`[${RIGHT_TO_LEFT}]`);
const LEFT_TO_RIGHT_MARK = '\u200e';

/** A name that something follows in the same line: one that is written from the right would draw signs and numbers to its left. */
export const beforeMore = (name: string): string => (FROM_RIGHT.test(name) ? name + LEFT_TO_RIGHT_MARK : name);

/** Cautious, for when no font is at hand. */
export const roughly: Measure = (text, size) => {
  let width = 0;
  for (const char of text) width += (char.codePointAt(0) ?? 0) >= 0x2e80 ? 1 : 0.64;
  return width * size;
};

/** Of a text that is longer than any line, this much is looked at: measuring takes its time for each character. */
const LONGEST = 2_000;

/** A text cut, with an ellipsis, so that it fits. */
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

/** A text cut in its middle so that it fits: its end often tells it from others. */
export function fitMiddle(text: string, width: number, size: number, measure: Measure): string {
  const isLong = text.length > LONGEST;
  const flat = (isLong ? text.slice(0, LONGEST / 2) + text.slice(-LONGEST / 2) : text).replace(/\s+/g, ' ');
  if (!isLong && measure(flat, size) <= width) return flat;
  const chars = signsOf(flat);
  const cut = (kept: number) => {
    const end = Math.floor(kept * 0.35);
    return `${chars
      .slice(0, kept - end)
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

/** A text in lines that fit, at most so many; the last is cut when there is more. */
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
