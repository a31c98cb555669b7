import type { Wanted } from './members-store.js';
import { wantedPeople } from './wanted.js';

/** What columns may be called, by what they hold. */
const HEADERS: Record<string, 'id' | 'email'> = {
  distinct_id: 'id',
  'distinct-id': 'id',
  'distinct id': 'id',
  distinctid: 'id',
  person_id: 'id',
  'person-id': 'id',
  'person id': 'id',
  uuid: 'id',
  email: 'email',
  'e-mail': 'email',
};

/** The people whom a CSV file lists: in the column that its first line names, else in the first column of every line. */
export function peopleInCsv(text: string): Wanted {
  const [first = [], ...rest] = rowsOf(text.replace(/^\uFEFF/, ''));
  const kinds = first.map((name) => HEADERS[name.trim().toLowerCase()]);
  const at = kinds.indexOf('id') === -1 ? kinds.indexOf('email') : kinds.indexOf('id');
  const rows = at === -1 ? [first, ...rest] : rest;
  // what the database cannot hold nobody has
  const values = rows.map((row) => row[Math.max(at, 0)]?.trim() ?? '').filter((value) => value !== '' && !value.includes('\0'));
  return kinds[at] === 'email' ? { distinctIds: [], uuids: [], emails: [...new Set(values)] } : wantedPeople(values);
}

/** Lines of cells, as RFC 4180 has them; a semicolon or a tab between cells does as well when there is no comma. */
function rowsOf(text: string): string[][] {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  const separator = head.includes(',') ? ',' : (/[;\t]/.exec(head)?.[0] ?? ',');
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
  for (let match = cell.exec(text); match && match.index < text.length; match = cell.exec(text)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === separator) continue;
    rows.push(row);
    row = [];
  }
  return row.length > 0 ? [...rows, row] : rows;
}
