import { element } from '@tidemark/charts/interactive';

/** Pixels between a cell and its tip. */
const GAP = 6;

/**
 * Shows what the title of a cell says while the pointer is over it or it has the focus. The cells of a table are one stop of the Tab key, and
 * arrow keys go from one to the next.
 */
export function cellTips(table: HTMLTableElement): void {
  const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) => [...row.cells]);
  const texts = new Map<HTMLTableCellElement, string>();
  for (const cell of rows.flat()) {
    if (!cell.title) continue;
    texts.set(cell, cell.title);
    // its name stays the number that it shows
    cell.setAttribute('aria-description', cell.title);
    // browsers would show both
    cell.removeAttribute('title');
    cell.tabIndex = -1;
  }
  const [first] = texts.keys();
  if (!first) return;
  first.tabIndex = 0;
  // a grid tells screen readers that its cells are reached by arrow keys
  table.setAttribute('role', 'grid');
  table.setAttribute('aria-label', `${table.parentElement?.getAttribute('aria-label') ?? ''} Arrow keys read its cells.`.trim());
  // what scrolls would cut it
  const tip = element('div', { className: 'tip', 'aria-hidden': 'true', hidden: '' });
  document.body.append(tip);
  tip.style.position = 'fixed';

  table.addEventListener('pointerover', ({ target }) => show(cellOf(target)));
  table.addEventListener('pointerleave', () => show(focused()));
  table.addEventListener('focusin', ({ target }) => {
    const cell = cellOf(target);
    if (!cell) return;
    for (const other of texts.keys()) other.tabIndex = other === cell ? 0 : -1;
    show(cell);
  });
  table.addEventListener('focusout', () => show(null));
  document.addEventListener('scroll', () => show(focused()), { capture: true, passive: true });
  table.addEventListener('keydown', (event) => {
    const cell = cellOf(event.target);
    if (!cell) return;
    if (event.key === 'Escape') show(null);
    const next = nextOf(cell, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  const cellOf = (target: EventTarget | null): HTMLTableCellElement | null => {
    const cell = target instanceof Element ? target.closest('td') : null;
    return cell && texts.has(cell) ? cell : null;
  };

  const focused = (): HTMLTableCellElement | null => cellOf(document.activeElement);

  /** The nearest cell with a text in the direction of a key. */
  function nextOf(cell: HTMLTableCellElement, key: string): HTMLTableCellElement | undefined {
    const at = rows.findIndex((row) => row.includes(cell));
    const own = rows[at] ?? [];
    const column = own.indexOf(cell);
    const inColumn = (some: typeof rows) => some.map((row) => row[column]);
    const ahead: Record<string, (HTMLTableCellElement | undefined)[]> = {
      ArrowRight: own.slice(column + 1),
      ArrowLeft: own.slice(0, column).reverse(),
      ArrowDown: inColumn(rows.slice(at + 1)),
      ArrowUp: inColumn(rows.slice(0, at)).reverse(),
      Home: own,
      End: [...own].reverse(),
    };
    return ahead[key]?.find((other) => other !== undefined && texts.has(other));
  }

  function show(cell: HTMLTableCellElement | null): void {
    tip.hidden = !cell;
    if (!cell) return;
    const [head = '', ...lines] = (texts.get(cell) ?? '').split(': ');
    tip.replaceChildren(element('b', {}, head), element('div', {}, lines.join(': ')));
    const [box, own] = [cell.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = box.left + box.width / 2 - own.width / 2;
    const isBelow = box.bottom + GAP + own.height <= window.innerHeight;
    tip.style.left = `${Math.max(4, Math.min(left, document.documentElement.clientWidth - own.width - 4))}px`;
    tip.style.top = `${isBelow ? box.bottom + GAP : box.top - GAP - own.height}px`;
  }
}
