import type { Cell } from '@tidemark/charts';
import { stringify } from 'csv-stringify/sync';
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

const csvLines = (rows: Cell[][]): string =>
  stringify(rows, {
    record_delimiter: '\r\n',
    // besides texts with quotes and commas: those whose line breaks or outer spaces readers would lose
    quoted_match: /[\r\n]|^\s|\s$/,
    cast: {
      string: (text) => (FORMULA.test(text) ? `'${text}` : text),
      boolean: String,
      number: String,
    },
  });
