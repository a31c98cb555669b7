import { type Cell, cellOf } from '@tidemark/charts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { cutNote, onePage, type Sheet } from '../spreadsheet/sheet.js';

/** Texts of a list that one cell shows, such as the distinct ids of a person. */
const MAX_LIST_IN_CELL = 10;

export const rowsOf = ({ results }: JsonObject): Cell[][] =>
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
