import { type Cell, insightTable, readInsight } from '@tidemark/charts';
import type { JsonObject } from '../../../kernel/json.js';
import { mapInnerQuery, unwrapQuery } from '../../results/index.js';
import { compute, type Reading } from '../data/compute.js';
import type { Item, Material } from '../data/export-data.js';
import { atMost, type Cut, cutNote, endingInNote, onePage, orNothing, pickColumns, type Sheet } from '../spreadsheet/sheet.js';
import { responseSheet, rowsOf } from './response-sheet.js';

/** Rows at most, of a query that lists. */
const MOST_ROWS = 100_000;
/** Rows that are asked for at a time. */
const PAGE = 50_000;

/** How tables were asked to look; null: whole. */
interface TableLook {
  columns: readonly string[] | null;
  limit: number | null;
}

/** What an export shows as tables, one for each tile that has any. */
export async function sheetsOf(reading: Reading, material: Material, { columns, limit }: TableLook): Promise<Sheet[]> {
  const sheets =
    material.kind === 'response'
      ? [responseSheet(material.title, material.body)]
      : material.items.filter(({ content }) => content.kind !== 'text').map((item) => itemSheet(reading, item));
  const picked = columns ? sheets.map((sheet) => pickColumns(sheet, columns)) : sheets;
  if (picked.length === 0) return [await orNothing({ name: 'Export', columns: [], pages: onePage([]) })];
  const cut = picked.map((sheet) => (limit === null ? endingInNote(sheet) : atMost(sheet, limit)));
  return Promise.all(cut.map(orNothing));
}

function itemSheet(reading: Reading, { title, content }: Item): Sheet {
  if (content.kind === 'fault') return { name: title, columns: ['error'], pages: onePage([[content.message]]) };
  if (content.kind === 'text') return { name: title, columns: [], pages: onePage([]) };
  const { query, answer } = content;
  // a table of a query has its columns, however the query is drawn
  const insight = readInsight(unwrapQuery(query), answer);
  if (insight.kind === 'rows') {
    const cut: Cut = { after: null };
    return { name: title, columns: insight.columns, pages: listed(reading, query, answer, cut), note: () => cutNote(cut) };
  }
  const { columns, rows } = insightTable(insight);
  return { name: title, columns, pages: onePage(rows) };
}

/** The rows of a list, page by page; the first is there already. */
async function* listed(reading: Reading, query: JsonObject, first: JsonObject, cut: Cut): AsyncGenerator<Cell[][]> {
  const { limit, offset } = unwrapQuery(query);
  // a list that says how long it is, is no longer
  const wanted = typeof limit === 'number' ? Math.min(limit, MOST_ROWS) : MOST_ROWS;
  const from = typeof offset === 'number' ? offset : 0;
  let given = 0;
  for (let answer = first; ; ) {
    const rows = rowsOf(answer).slice(0, wanted - given);
    given += rows.length;
    yield rows;
    if (!answer['hasMore'] || rows.length === 0) return;
    if (given >= wanted) {
      cut.after = given === MOST_ROWS && limit !== MOST_ROWS ? given : null;
      return;
    }
    reading.signal.throwIfAborted();
    const next = { limit: Math.min(PAGE, wanted - given), offset: from + given };
    answer = await compute(
      reading,
      mapInnerQuery(query, (inner) => ({ ...inner, ...next })),
    );
  }
}
