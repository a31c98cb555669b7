import { RIGHT_TO_LEFT } from '@tidemark/charts';
import createBidi from 'bidi-js';

/** A part of a line that is written in one direction. */
export interface Run {
  text: string;
  isRightToLeft: boolean;
}

const bidi = createBidi();

/**
 * The runs of a line in their visual order, from left to right, by the Unicode Bidirectional Algorithm (UAX 9) for a paragraph that begins
 * on the left. pdfkit needs them: it lays out the letters of a text in the direction of their script, and does not reorder parts of a line.
 *
 * @example visualRuns('Sales: עברית of today') // 'Sales: ', 'עברית' (right to left), ' of today'
 */
export function visualRuns(line: string): Run[] {
  if (!LETTER.test(line)) return line === '' ? [] : [{ text: line, isRightToLeft: false }];
  const { levels } = bidi.getEmbeddingLevels(line, 'ltr');
  const runs: { text: string; level: number }[] = [];
  for (let i = 0; i < line.length; i++) {
    const level = levels[i] ?? 0;
    const last = runs.at(-1);
    if (last && last.level === level) last.text += line[i];
    else runs.push({ text: line[i] ?? '', level });
  }
  return reordered(runs).map(({ text, level }) => (level % 2 === 1 ? rightToLeft(text) : { text, isRightToLeft: false }));
}

/** Rule L2: reverses, from the highest level down to 1, each sequence of runs at that level or higher. */
function reordered<T extends { level: number }>(runs: readonly T[]): T[] {
  const order = [...runs];
  for (let level = Math.max(...runs.map((run) => run.level)); level > 0; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start;
      while ((order[end]?.level ?? 0) >= level) end++;
      order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = Math.max(start, end);
    }
  }
  return order;
}

const LETTER = new RegExp(`[${RIGHT_TO_LEFT}]`);

/** pdfkit reverses a run with letters of such a script. It would not reverse one without, such as a hyphen between two numbers. */
function rightToLeft(text: string): Run {
  const mirrored = [...text].map((char) => bidi.getMirroredCharacter(char) ?? char);
  if (LETTER.test(text)) return { text: mirrored.join(''), isRightToLeft: true };
  return { text: mirrored.reverse().join(''), isRightToLeft: false };
}
