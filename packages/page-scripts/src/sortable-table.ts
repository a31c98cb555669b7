import { element } from '@tidemark/charts/interactive';

/** Lets the heads of a table sort its rows, and adds a button that copies it for spreadsheets. */
export function sortableTable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) return;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const given = [...body.rows];
  heads.forEach((head, column) => {
    const arrow = head.querySelector('span') ?? element('span', { 'aria-hidden': 'true' });
    const button = element('button', { type: 'button', className: 'sort' }, (head.firstChild?.textContent ?? '').trim());
    head.replaceChildren(button, ' ', arrow);
    button.addEventListener('click', () => {
      const isDown = head.getAttribute('aria-sort') !== 'descending';
      for (const other of heads) {
        other.removeAttribute('aria-sort');
        const mark = other.querySelector('span');
        if (mark) mark.textContent = '';
      }
      head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
      arrow.textContent = isDown ? '↓' : '↑';
      // the dates of a trend stand in their order already
      const order = head.matches('[data-ordered]') ? byPlace(given) : byValue(column);
      body.append(...[...given].sort((a, b) => (isDown ? order(b, a) : order(a, b))));
    });
  });
  const copy = element('button', { type: 'button', className: 'copy' }, 'Copy');
  copy.addEventListener('click', async () => {
    const lines = [...table.rows].map((row) => [...row.cells].map((cell) => textOf(cell)).join('\t'));
    copy.textContent = await navigator.clipboard.writeText(lines.join('\n')).then(
      () => 'Copied',
      () => 'Not allowed here',
    );
  });
  table.parentElement?.before(copy);
}

type Order = (a: HTMLTableRowElement, b: HTMLTableRowElement) => number;

const byPlace =
  (given: readonly HTMLTableRowElement[]): Order =>
  (a, b) =>
    given.indexOf(a) - given.indexOf(b);

const byValue =
  (column: number): Order =>
  (a, b) => {
    const [one, other] = [a.cells[column], b.cells[column]];
    const [left, right] = [orderOf(one), orderOf(other)];
    if (left !== null && right !== null) return left - right;
    // what is no number comes last
    if (left !== null || right !== null) return left === null ? -1 : 1;
    return textOf(one).localeCompare(textOf(other), 'en', { numeric: true });
  };

/** What a cell is sorted by: the time in its title, whose text may lack the year, or the number of its text; null: neither. */
function orderOf(cell: HTMLTableCellElement | undefined): number | null {
  const time = /^\d{4}-\d\d-\d\d/.test(cell?.title ?? '') ? Date.parse(cell?.title ?? '') : Number.NaN;
  if (!Number.isNaN(time)) return time;
  return cell?.matches('.num') ? numberOf(textOf(cell)) : null;
}

const textOf = (cell: Element | undefined): string => {
  const words = cell?.querySelector('button') ?? cell;
  return (words?.textContent ?? '').trim();
};

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/** The number that a text shows: `$1,284.50`, `27.8%`, `−3`, `1m 41s`; null: none. */
function numberOf(text: string): number | null {
  const parts = [...text.matchAll(/(\d[\d,]*(?:\.\d+)?)(ms|[smhd])(?![a-z])/g)];
  if (parts.length > 0)
    return parts.reduce((sum, [, digits = '', unit = '']) => sum + Number(digits.replaceAll(',', '')) * (SECONDS[unit] ?? 1), 0);
  const [digits] = /[-−]?[^\d\s]?\d[\d,]*(?:\.\d+)?/.exec(text) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits.replace('−', '-').replace(/[^\d.-]/g, ''));
  return Number.isFinite(value) ? value : null;
}
