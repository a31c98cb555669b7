import { element } from './dom.js';
import type { Moment } from './moments.js';

/** Pauses of the person that playback skips, and that the bar shows as not active. */
const PAUSE_MS = 10_000;
/** Limit of marks: more lie on top of each other. */
const MOST = 400;
const MARKED: ReadonlySet<string> = new Set(['page', 'click', 'rage', 'error']);

/** Draws the moments above the bar, and the pauses on it. `inputs`: times of input. All times are epoch milliseconds. */
export function drawMarks(
  root: HTMLElement,
  moments: readonly Moment[],
  inputs: readonly number[],
  { begin, length }: { begin: number; length: number },
): void {
  const share = (ms: number) => `${((100 * ms) / Math.max(1, length)).toFixed(3)}%`;
  const marks = moments
    .filter(({ kind, panel }) => panel === 'events' && MARKED.has(kind))
    .slice(0, MOST)
    .map(({ kind, at }) => {
      const mark = element('i', { className: `mark ${kind}` });
      mark.style.insetInlineStart = share(Math.min(length, Math.max(0, at - begin)));
      return mark;
    });
  const pauses = inputs.flatMap((at, index) => {
    const after = inputs[index + 1] ?? at;
    if (after - at <= PAUSE_MS) return [];
    const pause = element('i', { className: 'pause' });
    pause.style.insetInlineStart = share(at - begin);
    pause.style.inlineSize = share(after - at);
    if ((after - at) / length > 0.12) pause.append('not active');
    return [pause];
  });
  root.replaceChildren(...pauses, ...marks);
}
