import type { Cell } from '@tidemark/charts';

/** A table on its way out: rows come in pages, so that none of any length is ever whole in memory. */
export interface Sheet {
  name: string;
  columns: string[];
  pages: AsyncIterable<Cell[][]>;
  /** What is said below its last row, once that is there; null: nothing. */
  note?: () => string | null;
}

/** After how many rows a table ends although there are more; null: it is whole. */
export interface Cut {
  after: number | null;
}

export const cutNote = ({ after }: Cut): string | null =>
  after === null ? null : `Cut after ${after.toLocaleString('en')} rows: there are more.`;

/** The sheet with its note as its last row. */
export const endingInNote = (sheet: Sheet): Sheet => (sheet.note ? { ...sheet, pages: noted(sheet.pages, sheet.note) } : sheet);

async function* noted(pages: AsyncIterable<Cell[][]>, note: () => string | null): AsyncGenerator<Cell[][]> {
  yield* pages;
  const said = note();
  if (said !== null) yield [[said]];
}

/** The sheet as far as it was asked for: that it goes on is known. */
export const atMost = ({ name, columns, pages }: Sheet, rows: number): Sheet => ({ name, columns, pages: begun(pages, rows) });

async function* begun(pages: AsyncIterable<Cell[][]>, rows: number): AsyncGenerator<Cell[][]> {
  let left = rows;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

/** The whole of a small table as one page. */
export async function* onePage(rows: Cell[][]): AsyncGenerator<Cell[][]> {
  yield rows;
}

const NOTHING = 'No data available or unable to format for export.';

/** The sheet itself, or one that says that there is nothing in it. */
export async function orNothing(sheet: Sheet): Promise<Sheet> {
  const pages = sheet.pages[Symbol.asyncIterator]();
  let first = await pages.next();
  while (!first.done && first.value.length === 0) first = await pages.next();
  if (first.done || sheet.columns.length === 0) return { name: sheet.name, columns: ['error'], pages: onePage([[NOTHING]]) };
  return { ...sheet, pages: followed(first.value, pages) };
}

async function* followed(first: Cell[][], rest: AsyncIterator<Cell[][]>): AsyncGenerator<Cell[][]> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Only these columns, in this order; those that are not there stay empty. */
export function pickColumns(sheet: Sheet, columns: readonly string[]): Sheet {
  const places = columns.map((name) => sheet.columns.indexOf(name));
  return { ...sheet, columns: [...columns], pages: picked(sheet.pages, places) };
}

async function* picked(pages: AsyncIterable<Cell[][]>, places: readonly number[]): AsyncGenerator<Cell[][]> {
  for await (const page of pages) yield page.map((row) => places.map((place) => row[place] ?? null));
}
