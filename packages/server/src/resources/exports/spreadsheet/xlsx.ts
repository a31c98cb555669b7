import { createDeflateRaw, type DeflateRaw } from 'node:zlib';
import type { Cell } from '@tidemark/charts';
import { Zip, ZipPassThrough } from 'fflate';
import { dateReader } from './date-cell.js';
import type { Sheet } from './sheet.js';
import { BOOK_PARTS, pictureParts, type SheetPicture, sheetEnd, sheetHead, sheetRows } from './xlsx-parts.js';

/** Rows of a sheet that Excel opens. Further rows are left out. */
const MAX_ROWS = 1_048_576;
/** Rows that are formatted at a time. */
const CHUNK = 2_000;

/** The time zone of times in a workbook, which have none of their own. */
export interface WallClock {
  /** IANA name, such as `Europe/Berlin`. */
  zone: string;
  /** The local time at an instant; both as epoch milliseconds, the local time as if it were UTC. */
  toLocal(instant: number): number;
}

/**
 * Writes tables as the sheets of a workbook while their rows arrive. Texts that are dates become date cells. `picture`: stands below the rows
 * of the first sheet.
 */
export async function* xlsx(
  sheets: readonly Sheet[],
  { zone, toLocal }: WallClock,
  picture: SheetPicture | null = null,
): AsyncGenerator<Buffer> {
  const dateOf = dateReader(toLocal);
  let chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  const drain = () => {
    const bytes = Buffer.concat(chunks);
    chunks = [];
    return bytes;
  };
  const begin = (name: string) => {
    const file = new DeflatedFile(name);
    zip.add(file);
    return file;
  };
  const names = sheetNames(sheets);
  for (const [name, xml] of BOOK_PARTS(names, zone, picture !== null)) await begin(name).finish(xml);
  for (const [index, sheet] of sheets.entries()) {
    const file = begin(`xl/worksheets/sheet${index + 1}.xml`);
    let row = 2;
    let hasHead = false;
    for await (const page of sheet.pages) {
      if (!hasHead) await file.write(sheetHead(sheet.columns, page, dateOf));
      hasHead = true;
      for (const chunk of chunksOf(page)) {
        const left = MAX_ROWS - row + 1;
        if (left <= 0) break;
        await file.write(sheetRows(chunk.slice(0, left), row, { isComputed: sheet.isComputed ?? false }, dateOf));
        row += chunk.length;
        const bytes = drain();
        if (bytes.length > 0) yield bytes;
      }
    }
    if (!hasHead) await file.write(sheetHead(sheet.columns, [], dateOf));
    const shown = index === 0 ? picture : null;
    await file.finish(sheetEnd(sheet.columns.length, Math.min(row - 1, MAX_ROWS), shown !== null));
    const below = sheet.columns.length > 0 ? row : 0;
    for (const [name, content] of shown ? pictureParts(shown, below) : []) await begin(name).finish(content);
  }
  zip.end();
  yield drain();
}

function* chunksOf(rows: Cell[][]): Generator<Cell[][]> {
  for (let at = 0; at < rows.length; at += CHUNK) yield rows.slice(at, at + CHUNK);
}

/** UTF-16 code units of a name. */
const MAX_NAME = 31;

/** Names as Excel requires them: short, without special characters, unique regardless of case. */
function sheetNames(sheets: readonly Sheet[]): string[] {
  const taken = new Set<string>();
  return sheets.map(({ name }) => {
    const plain =
      name
        .replace(/[[\]:*?/\\\p{Cc}\p{Surrogate}]/gu, ' ')
        .replace(/^'+|'+$/g, '')
        .trim() || 'Sheet';
    let unique = cut(plain, MAX_NAME);
    for (let i = 2; taken.has(unique.toLowerCase()); i++) unique = `${cut(plain, MAX_NAME - ` (${i})`.length)} (${i})`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

/** The start of a text that has at most `length` UTF-16 code units, without half a character at its end. */
const cut = (text: string, length: number): string =>
  text
    .slice(0, length)
    .replace(/\p{Surrogate}$/u, '')
    .replace(/[\s']+$/, '');

const EMPTY = new Uint8Array();

/** A file of a ZIP archive, compressed in zlib's thread pool while it is written. */
class DeflatedFile extends ZipPassThrough {
  override compression = 8;
  readonly #deflate: DeflateRaw = createDeflateRaw({ level: 1, chunkSize: 64 * 1024 });
  #written: Promise<void> = Promise.resolve();

  constructor(name: string) {
    super(name);
    this.#deflate.on('data', (chunk: Buffer) => this.ondata(null, Uint8Array.from(chunk), false));
  }

  /** Compresses a chunk. Await before the next one, or chunks pile up in memory. */
  write(text: string): Promise<void> {
    this.push(Buffer.from(text), false);
    return this.#written;
  }

  /** Compresses the last chunk. */
  finish(content: string | Uint8Array): Promise<void> {
    this.push(typeof content === 'string' ? Buffer.from(content) : content, true);
    return this.#written;
  }

  protected override process(chunk: Uint8Array, final: boolean): void {
    this.#written = new Promise((resolve, reject) => {
      this.#deflate.once('error', reject);
      this.#deflate.write(chunk, () => {
        this.#deflate.off('error', reject);
        if (!final) return resolve();
        this.#deflate.once('end', () => {
          this.ondata(null, EMPTY, true);
          resolve();
        });
        this.#deflate.end();
      });
    });
  }
}
