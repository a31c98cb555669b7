import type { ChartData } from '../chart-data.js';
import { element } from './element.js';
import type { InteractiveOptions } from './make-interactive.js';

/** What several series in one gray are, by the gray. */
const GRAYS: Readonly<Record<string, string>> = { 'var(--c-other)': 'others', 'var(--c-none)': 'without a value' };

/**
 * A row of buttons below a chart, one for each color, which hide and show it: a series, with the period before, or all that are gray. Others
 * that share a color cannot be distinguished.
 */
export function seriesSwitches(
  chart: HTMLElement,
  { series }: ChartData,
  hidden: Set<number>,
  { signal }: InteractiveOptions = {},
): void {
  const buttons = [...new Set(series.map(({ color }) => color))].map((color) => {
    const members = series.flatMap((one, i) => (one.color === color ? [{ one, i }] : []));
    const current = members.filter(({ one }) => !one.isPrevious);
    const gray = GRAYS[color];
    const name = current.length > 1 ? (gray ? `${current.length} ${gray}` : null) : (current[0] ?? members[0])?.one.name;
    return { color, members, name };
  });
  if (buttons.length < 2 || buttons.length > 12 || buttons.some(({ name }) => name === null)) return;
  const row = element('div', { className: 'switches', role: 'group', 'aria-label': 'Series' });
  for (const { color, members, name } of buttons) {
    const button = element('button', { type: 'button', 'aria-pressed': 'true' });
    const chip = element('i', {});
    chip.style.background = color;
    button.append(chip, name ?? '');
    button.addEventListener('click', () => {
      const isOn = button.getAttribute('aria-pressed') === 'false';
      for (const { i } of members) {
        if (isOn) hidden.delete(i);
        else hidden.add(i);
      }
      button.setAttribute('aria-pressed', String(isOn));
      for (const mark of marksOf(chart, color)) mark.setAttribute('visibility', isOn ? 'visible' : 'hidden');
    });
    row.append(button);
  }
  chart.append(row);
  signal?.addEventListener('abort', () => row.remove());
}

/** The lines, bars and words in a color, in all drawings of a chart. */
function marksOf(chart: HTMLElement, color: string): Element[] {
  const word = color.replace(/\)$/, '-text)');
  return [...chart.querySelectorAll('svg :is(path,rect,circle,text)')].filter((mark) =>
    [mark.getAttribute('stroke'), mark.getAttribute('fill')].some((used) => used === color || used === word),
  );
}
