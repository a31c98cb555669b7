import type { Cell } from '@tidemark/charts';
import { escapeXmlText } from '../../../kernel/escape-xml.js';
import type { DateCell } from './date-cell.js';

/** What a cell of Excel holds. */
const LONGEST = 32_767;
const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Reads a text as a date; null: it is none. */
type ReadDate = (text: string) => DateCell | null;

/** Places of the styles in the workbook: of plain cells and of headers, for dates and for times. */
export const STYLES = { head: 1, date: 2, time: 3, headDate: 4, headTime: 5 } as const;

/** The beginning of a sheet, with its header: bold, and in sight when one scrolls. `first`: rows by which columns are made wide. */
export function sheetHead(columns: readonly string[], first: readonly (readonly Cell[])[], dateOf: ReadDate): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="${NAMESPACE}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${widths(columns, first, dateOf)}<sheetData>${row(columns, 1, true, dateOf)}`;
}

export function sheetRows(rows: readonly (readonly Cell[])[], first: number, dateOf: ReadDate): string {
  let xml = '';
  for (let i = 0; i < rows.length; i++) xml += row(rows[i] ?? [], first + i, false, dateOf);
  return xml;
}

/** The end of a sheet; its header filters. */
export const ends = (columns: number, rows: number): string =>
  `</sheetData>${columns > 0 ? `<autoFilter ref="A1:${letters(columns)}${rows}"/>` : ''}</worksheet>`;

/** Of a time, in letters; one that has less room is not shown. */
const TIME_WIDTH = 20;
/** Rows that are looked at. */
const LOOKED_AT = 100;

function widths(columns: readonly string[], first: readonly (readonly Cell[])[], dateOf: ReadDate): string {
  if (columns.length === 0) return '';
  const looked = first.slice(0, LOOKED_AT);
  const cols = columns.map((name, i) => {
    const hasTimes = [name, ...looked.map((cells) => cells[i])].some((cell) => typeof cell === 'string' && dateOf(cell)?.hasTime);
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

/** White space that readers of XML may drop by default. */
const EDGES = /^\s|\s$|\s\s|[\t\r\n]/;
const PLAIN = /^[\x20-\x25\x27-\x3b\x3d\x3f-\x5e\x60-\x7e]*$/;

/** Text in XML, as long as a cell can hold; what XML does not take is left out, and what Excel would decode is kept from it. */
export function xmlText(text: string): string {
  const cut = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  // most are plain: the searches below would cost more than all the rest
  if (PLAIN.test(cut)) return cut;
  return escapeXmlText(cut.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'));
}

/** The name of the n-th column: A, B, …, Z, AA. */
function letters(n: number): string {
  const rest = Math.floor((n - 1) / 26);
  return (rest > 0 ? letters(rest) : '') + String.fromCharCode(65 + ((n - 1) % 26));
}
