import type { Cell } from '@tidemark/charts';
import { escapeXmlText } from '../../../kernel/display-text.js';
import type { DateCell } from './date-cell.js';

/** Characters of a cell that Excel opens. */
const MAX_TEXT = 32_767;
const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Reads a text as a date; null: it is not one. */
type ReadDate = (text: string) => DateCell | null;

/** Indexes into `cellXfs` of `styles.xml` in book-xml.ts. */
export const STYLES = { head: 1, date: 2, time: 3, headDate: 4, headTime: 5 } as const;

/** The start of a sheet with its header row, which is bold and stays visible. `first`: rows that decide how wide the columns are. */
export function sheetHead(columns: readonly string[], first: readonly (readonly Cell[])[], dateOf: ReadDate): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="${NAMESPACE}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${widths(columns, first, dateOf)}<sheetData>${row(columns, 1, true, dateOf)}`;
}

export function sheetRows(rows: readonly (readonly Cell[])[], first: number, dateOf: ReadDate): string {
  let xml = '';
  for (let i = 0; i < rows.length; i++) xml += row(rows[i] ?? [], first + i, false, dateOf);
  return xml;
}

/** The end of a sheet, with a filter on its header row. */
export const sheetEnd = (columns: number, rows: number): string =>
  `</sheetData>${columns > 0 ? `<autoFilter ref="A1:${letters(columns)}${rows}"/>` : ''}</worksheet>`;

/** Width of a column of times, in characters: in a narrower one Excel shows `####`. */
const TIME_WIDTH = 20;
/** Rows that are searched for times. */
const SAMPLE_ROWS = 100;

function widths(columns: readonly string[], first: readonly (readonly Cell[])[], dateOf: ReadDate): string {
  if (columns.length === 0) return '';
  const sample = first.slice(0, SAMPLE_ROWS);
  const cols = columns.map((name, i) => {
    const hasTimes = [name, ...sample.map((cells) => cells[i])].some((cell) => typeof cell === 'string' && dateOf(cell)?.hasTime);
    const width = Math.min(50, Math.max(hasTimes ? TIME_WIDTH : 12, name.length + 3));
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`;
  });
  return `<cols>${cols.join('')}</cols>`;
}

function row(cells: readonly Cell[], number: number, isHead: boolean, dateOf: ReadDate): string {
  let xml = `<row r="${number}">`;
  for (const value of cells) xml += cell(value, isHead, dateOf);
  return `${xml}</row>`;
}

function cell(value: Cell, isHead: boolean, dateOf: ReadDate): string {
  const styled = isHead ? ` s="${STYLES.head}"` : '';
  if (value === null) return '<c/>';
  if (typeof value === 'number') return `<c${styled}><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c t="b"${styled}><v>${value ? 1 : 0}</v></c>`;
  const date = dateOf(value);
  if (date) return `<c s="${styleOf(date, isHead)}"><v>${date.serial}</v></c>`;
  return `<c t="inlineStr"${styled}><is><t${EDGES.test(value) ? ' xml:space="preserve"' : ''}>${xmlText(value)}</t></is></c>`;
}

function styleOf({ hasTime }: DateCell, isHead: boolean): number {
  if (isHead) return hasTime ? STYLES.headTime : STYLES.headDate;
  return hasTime ? STYLES.time : STYLES.date;
}

/** White space that XML readers may drop without `xml:space`. */
const EDGES = /^\s|\s$|\s\s|[\t\r\n]/;
const PLAIN = /^[\x20-\x25\x27-\x3b\x3d\x3f-\x5e\x60-\x7e]*$/;

/** Escapes a text for a cell and cuts it to {@link MAX_TEXT}. Excel decodes `_x0041_` to a letter: such an underscore is escaped as well. */
export function xmlText(text: string): string {
  const cut = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  // fast path: the searches below would cost more than the rest of the sheet
  if (PLAIN.test(cut)) return cut;
  return escapeXmlText(cut.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'));
}

/** The name of the n-th column: A, B, …, Z, AA. */
function letters(n: number): string {
  const rest = Math.floor((n - 1) / 26);
  return (rest > 0 ? letters(rest) : '') + String.fromCharCode(65 + ((n - 1) % 26));
}
