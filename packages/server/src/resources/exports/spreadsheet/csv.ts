import type { Cell } from '@tidemark/charts';
import Papa from 'papaparse';
import type { Sheet } from './sheet.js';

/** The start of a text that spreadsheets take for a formula, also in full-width characters. */
const FORMULA = /^[\s]*[=+\-@\t\r＝＋－＠]/;
/** Rows that are formatted at a time: the event loop is free between two chunks, and their text is all that is in memory. */
const CHUNK = 2_000;

/**
 * Writes tables as CSV (RFC 4180): a single one with its header first, several each below its name and apart by an empty line.
 * A text that a spreadsheet would run as a formula gets an apostrophe in front (CSV injection, CWE-1236).
 */
export async function* csv(sheets: readonly Sheet[]): AsyncGenerator<Buffer> {
  for (const [index, sheet] of sheets.entries()) {
    const name = sheets.length > 1 ? `${index > 0 ? '\r\n' : ''}${csvLines([[sheet.name]])}` : '';
    yield Buffer.from(name + csvLines([sheet.columns]));
    for await (const page of sheet.pages) {
      for (let at = 0; at < page.length; at += CHUNK) yield Buffer.from(csvLines(page.slice(at, at + CHUNK)));
    }
  }
}

const csvLines = (rows: Cell[][]): string => {
  const safe = rows.map((row) => (row.some(isFormula) ? row.map((cell) => (isFormula(cell) ? `'${cell}` : cell)) : row));
  return `${Papa.unparse(safe, { newline: '\r\n', quotes: hasOuterSpace })}\r\n`;
};

const isFormula = (cell: Cell): boolean => typeof cell === 'string' && FORMULA.test(cell);

/** Texts whose outer spaces readers would lose without quotes. */
const hasOuterSpace = (cell: Cell): boolean => typeof cell === 'string' && cell.trim().length < cell.length;
