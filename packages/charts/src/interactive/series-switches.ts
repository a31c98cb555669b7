import type { ChartData } from '../chart-data.js';
import { element } from './element.js';
import type { InteractiveOptions } from './make-interactive.js';

/** A row of buttons below a chart, one for each series, which hide and show it. Series that share a color cannot be distinguished. */
export function seriesSwitches(
  chart: HTMLElement,
  { series }: ChartData,
  hidden: Set<number>,
  { signal }: InteractiveOptions = {},
): void {
  const colors = series.map(({ color }) => color);
  if (series.length < 2 || series.length > 12 || new Set(colors).size < series.length) return;
  const row = element('div', { className: 'switches', role: 'group', 'aria-label': 'Series' });
  series.forEach(({ name, color }, i) => {
    const button = element('button', { type: 'button', 'aria-pressed': 'true' });
    const chip = element('i', {});
    chip.style.background = color;
    button.append(chip, name);
    button.addEventListener('click', () => {
      const isOn = hidden.delete(i);
      if (!isOn) hidden.add(i);
      button.setAttribute('aria-pressed', String(isOn));
      for (const mark of marksOf(chart, color)) mark.setAttribute('visibility', isOn ? 'visible' : 'hidden');
    });
    row.append(button);
  });
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
