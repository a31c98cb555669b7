import { type Cell, cellOf } from '@tidemark/charts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { cutNote, onePage, type Sheet } from '../spreadsheet/sheet.js';

/** Of lists of texts in a cell, such as the ids of a person. */
const MOST_IN_CELL = 10;

export const rowsOf = ({ results }: JsonObject): Cell[][] =>
  Array.isArray(results) ? results.map((row) => (Array.isArray(row) ? row.map(cellOf) : [])) : [];

/** Results of the API as rows: what has parts gets a column for each. */
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
    const more = value.length > MOST_IN_CELL ? `, and ${value.length - MOST_IN_CELL} more` : '';
    cells.set(path || 'value', value.slice(0, MOST_IN_CELL).join(', ') + more);
  } else {
    cells.set(path || 'value', cellOf(value));
  }
}
