import { element } from './element.js';
import type { InteractiveOptions } from './make-interactive.js';

/** Pixels between a mark and its tip. */
const GAP = 8;

/**
 * Shows the title of the mark below the pointer or the finger, and of its neighbors by arrow keys: bars of a ranking, steps of a funnel,
 * slices, countries, flows.
 */
export function markTips(chart: HTMLElement, { signal, onMark }: InteractiveOptions = {}): void {
  const texts = new Map<Element, string>();
  for (const title of chart.querySelectorAll('svg title')) {
    const mark = title.parentElement;
    if (mark) texts.set(mark, title.textContent ?? '');
    // browsers would show both
    title.remove();
  }
  if (onMark) for (const mark of chart.querySelectorAll<SVGElement>('svg [data-point]')) mark.style.cursor = 'pointer';
  if (texts.size === 0) return;
  const tip = element('div', { className: 'tip', role: 'status', hidden: '' });
  let current: Element | null = null;

  chart.append(tip);
  chart.tabIndex = 0;
  chart.setAttribute('role', 'group');
  const label = chart.querySelector('svg')?.getAttribute('aria-label') ?? '';
  chart.setAttribute('aria-label', `${label} Arrow keys read its parts${onMark ? ', Enter lists the people of one' : ''}.`);
  const point = ({ target }: PointerEvent) => show(target instanceof Element && texts.has(target) ? target : null);
  const until = signal ? { signal } : {};
  chart.addEventListener('pointermove', point, until);
  chart.addEventListener('pointerdown', point, until);
  chart.addEventListener('pointerleave', () => show(null), until);
  chart.addEventListener('blur', () => show(null), until);
  if (onMark) chart.addEventListener('click', () => open(), until);
  signal?.addEventListener('abort', () => tip.remove());
  const press = (event: KeyboardEvent) => {
    const marks = shownMarks();
    const at = marks.findIndex((mark) => current !== null && nameOf(mark) === nameOf(current));
    const last = marks.length - 1;
    const [back, on] = [at < 0 ? last : at - 1, at + 1];
    const steps: Record<string, number> = { ArrowLeft: back, ArrowUp: back, ArrowRight: on, ArrowDown: on, Home: 0, End: last };
    const next = steps[event.key];
    if (event.key === 'Escape') show(null);
    if (event.key === 'Enter') open();
    if (next === undefined) return;
    event.preventDefault();
    show(marks[Math.min(last, Math.max(0, next))] ?? null);
  };
  chart.addEventListener('keydown', press, until);

  function open(): void {
    const named = current?.getAttribute('data-point');
    if (named) onMark?.(named);
  }

  /** What a mark stands for: several shapes may, such as those of a wide and a narrow drawing. */
  function nameOf(mark: Element): string | undefined {
    return mark.getAttribute('data-point') ?? texts.get(mark);
  }

  /** The marks of the visible drawing, one for each thing that they stand for. */
  function shownMarks(): Element[] {
    const own = [...texts.keys()].filter((mark) => mark.getBoundingClientRect().width > 0);
    return own.filter((mark, i) => own.findIndex((other) => nameOf(other) === nameOf(mark)) === i);
  }

  function show(mark: Element | null): void {
    if (mark === current) return;
    paint(current, '');
    current = mark;
    tip.hidden = !mark;
    if (!mark) return;
    paint(mark, 'var(--text)');
    const [head = '', ...lines] = (texts.get(mark) ?? '').replace(/: (?=[^:\n]*$)/, '\n').split('\n');
    const more = onMark && mark.hasAttribute('data-point') ? [element('small', {}, 'Click to see the people')] : [];
    tip.replaceChildren(element('b', {}, head), ...lines.map((line) => element('div', {}, line)), ...more);
    place(mark);
  }

  /** Below its mark, or above where the window ends. */
  function place(mark: Element): void {
    const [box, outer, own] = [mark.getBoundingClientRect(), chart.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = box.left + box.width / 2 - own.width / 2 - outer.left;
    const isBelow = box.bottom + GAP + own.height <= window.innerHeight;
    tip.style.left = `${Math.max(0, Math.min(left, outer.width - own.width))}px`;
    tip.style.top = `${(isBelow ? box.bottom + GAP : box.top - GAP - own.height) - outer.top}px`;
  }
}

/** Outlines a mark that can be seen. */
function paint(mark: Element | null, color: string): void {
  if (mark instanceof SVGElement && mark.getAttribute('fill-opacity') !== '0') mark.style.stroke = color;
}
