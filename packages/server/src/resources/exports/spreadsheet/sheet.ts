import type { Cell } from '@tidemark/charts';

/** A table that is written while it is read: its rows come in pages, so that a long one is never in memory as a whole. */
export interface Sheet {
  name: string;
  columns: string[];
  pages: AsyncIterable<Cell[][]>;
  /** Whether its numbers are results, which workbooks show with separators; absent: they may be ids or years. */
  isComputed?: true;
  /** The note below the last row, called after the last page; null: none. */
  note?: () => string | null;
}

/** The number of rows after which a limit cut a list; null: the list is complete. */
export interface Cut {
  after: number | null;
}

export const cutNote = ({ after }: Cut): string | null =>
  after === null ? null : `Cut after ${after.toLocaleString('en')} rows: there are more.`;

/** The sheet with its note as its last row. */
export const withNote = (sheet: Sheet): Sheet =>
  sheet.note ? { ...sheet, pages: pagesWithNote(sheet.pages, sheet.note) } : sheet;

async function* pagesWithNote(pages: AsyncIterable<Cell[][]>, note: () => string | null): AsyncGenerator<Cell[][]> {
  yield* pages;
  const text = note();
  if (text !== null) yield [[text]];
}

/** The first `rows` rows. Without a note: the user chose the limit. */
export const limitRows = ({ note: _, pages, ...sheet }: Sheet, rows: number): Sheet => ({
  ...sheet,
  pages: firstRows(pages, rows),
});

async function* firstRows(pages: AsyncIterable<Cell[][]>, rows: number): AsyncGenerator<Cell[][]> {
  let left = rows;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

/** All rows of a small table as one page. */
export async function* onePage(rows: Cell[][]): AsyncGenerator<Cell[][]> {
  yield rows;
}

const NO_DATA = 'No data available or unable to format for export.';

/** The sheet, or one with a message when it has no rows. Reads the first page. */
export async function orEmptyNote(sheet: Sheet): Promise<Sheet> {
  const pages = sheet.pages[Symbol.asyncIterator]();
  let first = await pages.next();
  while (!first.done && first.value.length === 0) first = await pages.next();
  if (first.done || sheet.columns.length === 0) return { name: sheet.name, columns: ['error'], pages: onePage([[NO_DATA]]) };
  return { ...sheet, pages: startingWith(first.value, pages) };
}

async function* startingWith(first: Cell[][], rest: AsyncIterator<Cell[][]>): AsyncGenerator<Cell[][]> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Only these columns, in this order. A column that the sheet does not have is empty. */
export function pickColumns(sheet: Sheet, columns: readonly string[]): Sheet {
  const indexes = columns.map((name) => sheet.columns.indexOf(name));
  return { ...sheet, columns: [...columns], pages: pickCells(sheet.pages, indexes) };
}

async function* pickCells(pages: AsyncIterable<Cell[][]>, indexes: readonly number[]): AsyncGenerator<Cell[][]> {
  for await (const page of pages) yield page.map((row) => indexes.map((index) => row[index] ?? null));
}
