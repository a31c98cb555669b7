import type { ChartData } from '../chart-data.js';
import { element } from './element.js';
import type { InteractiveOptions } from './make-interactive.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Pixels between a point and its tip. */
const GAP = 14;
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** The plot of a drawn chart, in units of its view box. */
interface Plot {
  svg: SVGSVGElement;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * Shows the numbers of the point below the pointer or the finger, and of the neighbours by arrow keys. `hidden`: indexes of series that
 * are switched off.
 */
export function chartTip(
  chart: HTMLElement,
  data: ChartData,
  hidden: ReadonlySet<number>,
  { signal, onPoint }: InteractiveOptions = {},
): void {
  const tip = element('div', { className: 'tip', role: 'status', hidden: '' });
  const line = document.createElementNS(SVG, 'line');
  line.setAttribute('stroke', 'var(--text-3)');
  const cursor = document.createElementNS(SVG, 'g');
  cursor.setAttribute('aria-hidden', 'true');
  cursor.append(line);
  let index = -1;

  // the tip says the same, and browsers would show both
  for (const title of chart.querySelectorAll('title')) title.remove();
  chart.append(tip);
  chart.tabIndex = 0;
  chart.setAttribute('role', 'group');
  const label = chart.querySelector('svg')?.getAttribute('aria-label') ?? '';
  chart.setAttribute('aria-label', `${label} Left and right keys read its points.`);
  const until = signal ? { signal } : {};
  chart.addEventListener('pointermove', (event) => point(event), until);
  chart.addEventListener('pointerdown', (event) => point(event), until);
  chart.addEventListener('pointerleave', hide, until);
  chart.addEventListener('blur', hide, until);
  if (onPoint) chart.addEventListener('click', (event) => index >= 0 && onPoint(index, seriesAt(event)), until);
  signal?.addEventListener('abort', () => {
    tip.remove();
    cursor.remove();
  });
  const press = (event: KeyboardEvent) => {
    const last = data.times.length - 1;
    const steps: Record<string, number> = { ArrowLeft: index < 0 ? last : index - 1, ArrowRight: index + 1, Home: 0, End: last };
    const next = steps[event.key];
    if (event.key === 'Escape') hide();
    if (event.key === 'Enter' && index >= 0) onPoint?.(index, null);
    if (next === undefined) return;
    event.preventDefault();
    show(Math.min(last, Math.max(0, next)));
  };
  chart.addEventListener('keydown', press, until);

  /** The visible series whose bar, line or area is there. */
  function seriesAt({ clientX, clientY }: MouseEvent): number | null {
    const paints = document
      .elementsFromPoint(clientX, clientY)
      .flatMap((mark) => [mark.getAttribute('fill'), mark.getAttribute('stroke')]);
    const found = data.series.findIndex(({ color }, i) => !hidden.has(i) && paints.includes(color));
    return found < 0 ? null : found;
  }

  function point(event: PointerEvent): void {
    const plot = plotOf(chart);
    if (!plot || (event.target instanceof Element && event.target.closest('.switches'))) return;
    const box = plot.svg.getBoundingClientRect();
    const scale = plot.svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    if (x < plot.left - 12 || x > plot.right + 12 || y < plot.top - 12 || y > plot.bottom + 24) {
      hide();
      return;
    }
    const share = (x - plot.left) / (plot.right - plot.left);
    const count = data.times.length;
    const at = data.isBand ? Math.floor(share * count) : Math.round(share * (count - 1));
    show(Math.min(count - 1, Math.max(0, at)));
  }

  function show(next: number): void {
    const plot = plotOf(chart);
    if (!plot) return;
    index = next;
    const count = data.times.length;
    const share = data.isBand ? (index + 0.5) / count : index / (count - 1);
    const x = plot.left + share * (plot.right - plot.left);
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: plot.top, y2: plot.bottom }))
      line.setAttribute(name, String(value));
    cursor.replaceChildren(line, ...dotsAt(plot, x));
    plot.svg.append(cursor);
    tip.replaceChildren(...contentOf(data, index, hidden), ...(onPoint ? [element('small', {}, 'Click to see the people')] : []));
    tip.hidden = false;
    place(plot, x);
  }

  /** Beside its point, on the side with more space. */
  function place(plot: Plot, x: number): void {
    const box = plot.svg.getBoundingClientRect();
    const outer = chart.getBoundingClientRect();
    const at = box.left - outer.left + (x * box.width) / plot.svg.viewBox.baseVal.width;
    const isLeft = at > outer.width / 2;
    const space = (isLeft ? at : window.innerWidth - outer.left - at) - GAP;
    tip.classList.toggle('narrow', space < 320);
    tip.classList.toggle('narrowest', space < 264);
    tip.style.left = isLeft ? 'auto' : `${at + GAP}px`;
    tip.style.right = isLeft ? `${outer.width - at + GAP}px` : 'auto';
  }

  /** A dot on each visible line of this period at the crosshair, the first series on top. */
  function dotsAt({ svg }: Plot, x: number): SVGElement[] {
    const colors = new Set(data.series.map(({ color }) => color));
    const dots = [...svg.querySelectorAll('path[stroke-width="2"]:not([visibility="hidden"])')].flatMap((path) => {
      const color = path.getAttribute('stroke') ?? '';
      const points = [...(path.getAttribute('d') ?? '').matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)];
      const [, , y] = points.find(([, left]) => Math.abs(Number(left) - x) < 0.1) ?? [];
      return colors.has(color) && y !== undefined ? [[`${color} ${y}`, dot(x, Number(y), color)] as const] : [];
    });
    // the whole part of a line and the dashed one share a point
    return [...new Map(dots).values()];
  }

  function hide(): void {
    index = -1;
    tip.hidden = true;
    cursor.remove();
  }
}

function dot(x: number, y: number, color: string): SVGElement {
  const made = document.createElementNS(SVG, 'circle');
  const shape = { cx: x, cy: y, r: 4.5, fill: color, stroke: 'var(--surface)', 'stroke-width': 1.5 };
  for (const [name, value] of Object.entries(shape)) made.setAttribute(name, String(value));
  return made;
}

/** The visible one of the drawings of a chart, and the area within its axes. */
function plotOf(chart: HTMLElement): Plot | null {
  const svg = [...chart.querySelectorAll('svg')].find((one) => one.getBoundingClientRect().width > 0);
  const area = svg?.querySelector<SVGRectElement>('[data-plot]');
  if (!svg || !area) return null;
  const { x, y, width, height } = area.getBBox();
  return { svg, left: x, right: x + width, top: y, bottom: y + height };
}

/**
 * The time in words and the one with which it is compared; the series sorted by value, each with that of the period before and the change;
 * their sum, unless some are hidden.
 */
function contentOf(
  { times, before: timesBefore, unfinished, upcoming, series, total }: ChartData,
  index: number,
  hidden: ReadonlySet<number>,
): HTMLElement[] {
  const rest = times.length - index;
  const state = rest <= upcoming ? ', not begun' : rest <= unfinished ? ', so far' : '';
  const head = element('div', { className: 'tip-head' });
  head.append(element('b', {}, `${inWords(times[index] ?? '')}${state}`));
  const compared = new Set(series.map(({ before }) => before));
  const rows = series
    .map((one, i) => ({ one, i, value: one.values[index] ?? 0 }))
    .filter(({ i }) => !hidden.has(i) && !compared.has(i))
    .sort((a, b) => b.value - a.value)
    .map(({ one }) => {
      const chip = element('i', {});
      chip.style.background = one.color;
      return rowOf(chip, one.name, one, series[one.before ?? -1]);
    });
  const isCompared = rows.some(({ cells }) => cells.length > 3);
  const timeBefore = timesBefore?.[index];
  if (isCompared && timeBefore) head.append(element('span', {}, `vs ${timeBefore}`));
  if (total && hidden.size === 0) rows.push(rowOf(null, 'Total', total.now, total.before));
  const table = element('table', {});
  table.append(...rows);
  return [head, table];

  function rowOf(chip: HTMLElement | null, name: string, now: Numbers, before: Numbers | undefined): HTMLTableRowElement {
    const row = element('tr', {});
    row.append(cell('', chip), cell(name), cell(now.texts[index] ?? '–'));
    if (before) {
      const change = index < now.texts.length ? changeOf(now.values[index] ?? 0, before.values[index] ?? 0) : '';
      row.append(cell(before.texts[index] ?? '–'), cell(change));
    }
    return row;
  }
}

type Numbers = Pick<ChartData['series'][number], 'values' | 'texts'>;

/** An arrow for the direction, and the change with its sign. */
function changeOf(now: number, before: number): string {
  if (before === 0) return '';
  const text = PERCENT.format((now - before) / Math.abs(before)).replace('-', '−');
  return now === before ? text : `${now > before ? '▲' : '▼'} ${text}`;
}

function cell(text: string, inside?: HTMLElement | null): HTMLElement {
  const made = element('td', {}, text);
  if (inside) made.append(inside);
  return made;
}

/** `2026-11-23` as `Mon 23 Nov 2026`; another text stays. */
function inWords(time: string): string {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(time) ?? [];
  if (!date) return time;
  // `Mon, Nov 23, 2026`: British English shortens September to four letters
  const options = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  const parts = new Intl.DateTimeFormat('en-US', options).formatToParts(new Date(`${date}T00:00:00Z`));
  const partOf = (name: string) => parts.find(({ type }) => type === name)?.value;
  return ['weekday', 'day', 'month', 'year'].map(partOf).join(' ');
}
