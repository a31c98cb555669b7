import { type Cell, cellOf, insightTable, readInsight } from '@tidemark/charts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { mapInnerQuery, unwrapQuery } from '../../results/index.js';
import type { ExportContext, ExportData, ExportTile } from '../data/export-data.js';
import { computeQuery } from '../data/load-dashboard.js';
import { type Cut, cutNote, limitRows, onePage, orEmptyNote, pickColumns, type Sheet, withNote } from '../spreadsheet/sheet.js';
import type { DisplayOptions } from './build-content.js';

/** Rows of a query that lists, at most. */
const MAX_ROWS = 100_000;
/** Rows of one computation. */
const PAGE_SIZE = 50_000;

/** The export as tables, one for each tile with numbers or an error; text tiles have none. */
export async function buildSheets(
  context: ExportContext,
  data: ExportData,
  { columns, limit }: Pick<DisplayOptions, 'columns' | 'limit'>,
): Promise<Sheet[]> {
  const sheets =
    data.kind === 'response'
      ? [responseSheet(data.title, data.body)]
      : data.tiles.filter(({ content }) => content.kind !== 'text').map((tile) => tileSheet(context, tile));
  const picked = columns ? sheets.map((sheet) => pickColumns(sheet, columns)) : sheets;
  if (picked.length === 0) return [await orEmptyNote({ name: 'Export', columns: [], pages: onePage([]) })];
  const limited = picked.map((sheet) => (limit === null ? withNote(sheet) : limitRows(sheet, limit)));
  return Promise.all(limited.map(orEmptyNote));
}

function tileSheet(context: ExportContext, { title, content }: ExportTile): Sheet {
  if (content.kind === 'fault') return { name: title, columns: ['error'], pages: onePage([[content.message]]) };
  if (content.kind === 'text') return { name: title, columns: [], pages: onePage([]) };
  const { query, answer } = content;
  // the inner query: a list of rows is exported with all its columns, also when its insight draws it as a chart
  const insight = readInsight(unwrapQuery(query), answer);
  if (insight.kind === 'rows') {
    const cut: Cut = { after: null };
    const pages = listPages(context, query, answer, cut);
    return { name: title, columns: insight.columns, pages, note: () => cutNote(cut) };
  }
  const { columns, rows } = insightTable(insight);
  return { name: title, columns, pages: onePage(rows), isComputed: true };
}

/** The rows of a list, page by page; `first` is the first page. Sets `cut` when {@link MAX_ROWS} ended the list. */
async function* listPages(context: ExportContext, query: JsonObject, first: JsonObject, cut: Cut): AsyncGenerator<Cell[][]> {
  const { limit, offset } = unwrapQuery(query);
  // a query with its own limit ends there
  const wanted = typeof limit === 'number' ? Math.min(limit, MAX_ROWS) : MAX_ROWS;
  const start = typeof offset === 'number' ? offset : 0;
  let count = 0;
  for (let answer = first; ; ) {
    const rows = rowsOf(answer).slice(0, wanted - count);
    count += rows.length;
    yield rows;
    if (!answer['hasMore'] || rows.length === 0) return;
    if (count >= wanted) {
      cut.after = count === MAX_ROWS && limit !== MAX_ROWS ? count : null;
      return;
    }
    context.signal.throwIfAborted();
    const next = { limit: Math.min(PAGE_SIZE, wanted - count), offset: start + count };
    answer = await computeQuery(
      context,
      mapInnerQuery(query, (inner) => ({ ...inner, ...next })),
    );
  }
}

/** Texts of a list that one cell shows, such as the distinct ids of a person. */
const MAX_LIST_IN_CELL = 10;

const rowsOf = ({ results }: JsonObject): Cell[][] =>
  Array.isArray(results) ? results.map((row) => (Array.isArray(row) ? row.map(cellOf) : [])) : [];

/**
 * A response of the API as a table: a row for each of its results, a column for each property, nested ones by their path.
 *
 * @example responseSheet('Flags', { results: [{ key: 'a', filters: { groups: [] } }] }) // columns: key, filters.groups
 */
export function responseSheet(name: string, body: Json): Sheet {
  const results = isObject(body) ? (body['results'] ?? body['result'] ?? [body]) : body;
  const list = Array.isArray(results) ? results : [results];
  if (isObject(body) && Array.isArray(body['columns'])) {
    return { name, columns: body['columns'].map(String), pages: onePage(rowsOf({ results: list })) };
  }
  const flat = list.map((one) => {
    const cells = new Map<string, Cell>();
    flatten(one, '', cells);
    return cells;
  });
  const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const isCut = isObject(body) && typeof body['next'] === 'string';
  const rows = flat.map((cells) => columns.map((column) => cells.get(column) ?? null));
  return { name, columns, pages: onePage(rows), note: () => cutNote({ after: isCut ? rows.length : null }) };
}

function flatten(value: Json, path: string, cells: Map<string, Cell>): void {
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${key}` : key, cells);
  } else if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    const more = value.length > MAX_LIST_IN_CELL ? `, and ${value.length - MAX_LIST_IN_CELL} more` : '';
    cells.set(path || 'value', value.slice(0, MAX_LIST_IN_CELL).join(', ') + more);
  } else {
    cells.set(path || 'value', cellOf(value));
  }
}
