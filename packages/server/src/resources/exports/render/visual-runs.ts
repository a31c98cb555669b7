import { RIGHT_TO_LEFT } from '@tidemark/charts';

/** A part of a line that is written in one direction. */
export interface Run {
  text: string;
  isRightToLeft: boolean;
}

/** From a letter that is written from the right to the last of them, or number, before other letters. */
const STRETCH = new RegExp(
  `[${RIGHT_TO_LEFT}](?:(?:[${RIGHT_TO_LEFT}]|(?![${RIGHT_TO_LEFT}])[^\\p{L}])*[${RIGHT_TO_LEFT}\\d])?`,
  'gu',
);
/** A bracket that is closed after the stretch belongs to it with its other half. */
const OPEN = /\([^)]*$/;
const NUMBER = /([\d\u0660-\u0669\u06f0-\u06f9]+(?:[.,:/][\d\u0660-\u0669\u06f0-\u06f9]+)*%?)/;
const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
};

/**
 * The parts of a line in the order in which they stand on paper, from left to right. A short form of the bidirectional algorithm
 * of Unicode (UAX 9) for a line that begins on the left: the library of documents knows the direction of a text, but not of its parts.
 */
export function visualRuns(line: string): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const { 0: letters, index } of line.matchAll(STRETCH)) {
    const stretch = OPEN.test(letters) && line[index + letters.length] === ')' ? `${letters})` : letters;
    if (index > at) runs.push({ text: line.slice(at, index), isRightToLeft: false });
    // every second part is a number: they keep their direction among letters that do not
    const parts = stretch.split(NUMBER).map((text, i) => (i % 2 === 1 ? { text, isRightToLeft: false } : turned(text)));
    runs.push(...parts.filter(({ text }) => text !== '').reverse());
    at = index + stretch.length;
  }
  if (at < line.length) runs.push({ text: line.slice(at), isRightToLeft: false });
  return runs;
}

const LETTER = new RegExp(`[${RIGHT_TO_LEFT}]`);

/** What has letters is turned by the library; what has none would stay as it is. */
function turned(text: string): Run {
  const mirrored = [...text].map((sign) => MIRRORED[sign] ?? sign);
  if (LETTER.test(text)) return { text: mirrored.join(''), isRightToLeft: true };
  return { text: mirrored.reverse().join(''), isRightToLeft: false };
}
