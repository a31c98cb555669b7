import type { Cell } from '@tidemark/charts';
import type { Sheet } from './sheet.js';

/** Characters by which spreadsheets take a text for a formula, also in their wide forms. */
const FORMULA = /^[\s]*[=+\-@\t\r＝＋－＠]/;
const QUOTED = /[",\r\n]|^\s|\s$/;

/**
 * Tables as CSV (RFC 4180): one with its header first, several each below its name. Texts that a spreadsheet would run are
 * kept from it by an apostrophe.
 */
export async function* csv(sheets: readonly Sheet[]): AsyncGenerator<Buffer> {
  for (const [index, sheet] of sheets.entries()) {
    const head = sheets.length > 1 ? `${index > 0 ? '\r\n' : ''}${csvLine([sheet.name])}` : '';
    yield Buffer.from(head + csvLine(sheet.columns));
    for await (const page of sheet.pages) yield Buffer.from(page.map(csvLine).join(''));
  }
}

function csvLine(cells: readonly Cell[]): string {
  let line = '';
  for (let i = 0; i < cells.length; i++) line += (i > 0 ? ',' : '') + csvCell(cells[i] ?? null);
  return `${line}\r\n`;
}

function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
