import type { Cell } from '@tidemark/charts';
import { Zip } from 'fflate';
import { BOOK_PARTS } from './book-xml.js';
import { dateReader } from './date-cell.js';
import { DeflatedFile } from './deflated-file.js';
import type { Sheet } from './sheet.js';
import { ends, sheetHead, sheetRows } from './sheet-xml.js';

/** What Excel opens; further rows are left out and counted in the last. */
const MOST_ROWS = 1_048_576;
/** Rows that become XML at a time. */
const PIECE = 2_000;

/** Of times in workbooks. */
export interface Clock {
  /** Its name, such as `Europe/Berlin`. */
  zone: string;
  /** What it shows at an instant, as milliseconds of UTC. */
  toLocal(instant: number): number;
}

/** Tables as the sheets of one workbook, written while their rows come. Texts that are dates become such, as the clock shows them. */
export async function* xlsx(sheets: readonly Sheet[], { zone, toLocal }: Clock): AsyncGenerator<Buffer> {
  const dateOf = dateReader(toLocal);
  let made: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    made.push(chunk);
  });
  const taken = () => {
    const bytes = Buffer.concat(made);
    made = [];
    return bytes;
  };
  const begin = (name: string) => {
    const file = new DeflatedFile(name);
    zip.add(file);
    return file;
  };
  const names = sheetNames(sheets);
  for (const [name, xml] of BOOK_PARTS(names, zone)) await begin(name).finish(xml);
  for (const [index, sheet] of sheets.entries()) {
    const file = begin(`xl/worksheets/sheet${index + 1}.xml`);
    let row = 2;
    let hasHead = false;
    for await (const page of sheet.pages) {
      if (!hasHead) await file.write(sheetHead(sheet.columns, page, dateOf));
      hasHead = true;
      for (const piece of pieces(page)) {
        const room = MOST_ROWS - row + 1;
        if (room <= 0) break;
        await file.write(sheetRows(piece.slice(0, room), row, dateOf));
        row += piece.length;
        const bytes = taken();
        if (bytes.length > 0) yield bytes;
      }
    }
    if (!hasHead) await file.write(sheetHead(sheet.columns, [], dateOf));
    await file.finish(ends(sheet.columns.length, Math.min(row - 1, MOST_ROWS)));
  }
  zip.end();
  yield taken();
}

function* pieces(rows: Cell[][]): Generator<Cell[][]> {
  for (let at = 0; at < rows.length; at += PIECE) yield rows.slice(at, at + PIECE);
}

/** Names that Excel takes: short, without signs, each once. */
function sheetNames(sheets: readonly Sheet[]): string[] {
  const taken = new Set<string>();
  return sheets.map(({ name }) => {
    const plain =
      [
        ...name
          .replace(/[[\]:*?/\\\p{Cc}\p{Surrogate}]/gu, ' ')
          .replace(/^'+|'+$/g, '')
          .trim(),
      ]
        .slice(0, 25)
        .join('') || 'Sheet';
    let unique = plain;
    for (let i = 2; taken.has(unique.toLowerCase()); i++) unique = `${plain} (${i})`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}
