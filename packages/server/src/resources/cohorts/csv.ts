import { breathe } from '../../kernel/yield-to-event-loop.js';
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

/** Cells that are read between two looks at other requests. */
const STRETCH = 5_000;

/** The people whom a CSV file lists: in the column that its first line names, else in the first column of every line. */
export async function peopleInCsv(text: string): Promise<Wanted> {
  const head: string[] = [];
  const below: string[] = [];
  let column: Column | null = null;
  let count = 0;
  for (const { value, place, isFirstLine } of cellsOf(text.replace(/^\uFEFF?[\r\n]*/, ''))) {
    if (++count % STRETCH === 0) await breathe();
    if (isFirstLine) head.push(value);
    else {
      column ??= columnOf(head);
      if (place === column.place) below.push(value);
    }
  }
  const { kind } = column ?? columnOf(head);
  const values = [...(kind ? [] : head.slice(0, 1)), ...below].map((value) => value.trim());
  // what the database cannot hold nobody has
  const people = values.filter((value) => value !== '' && !value.includes('\0'));
  return kind === 'email' ? { distinctIds: [], uuids: [], emails: [...new Set(people)] } : wantedPeople(people);
}

interface Column {
  place: number;
  /** What it holds by its name; undefined: the first line names none. */
  kind: 'id' | 'email' | undefined;
}

function columnOf(head: readonly string[]): Column {
  const kinds = head.map((name) => HEADERS[name.trim().toLowerCase()]);
  const at = kinds.indexOf('id') === -1 ? kinds.indexOf('email') : kinds.indexOf('id');
  return { place: Math.max(at, 0), kind: kinds[at] };
}

/** Cells, as RFC 4180 has them; a semicolon or a tab between cells does as well when there is no comma. Empty lines have none. */
function* cellsOf(text: string): Generator<{ value: string; place: number; isFirstLine: boolean }> {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  const separator = head.includes(',') ? ',' : (/[;\t]/.exec(head)?.[0] ?? ',');
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
  const empty = /[\r\n]*/y;
  let place = 0;
  let isFirstLine = true;
  for (;;) {
    if (place === 0) {
      empty.lastIndex = cell.lastIndex;
      empty.exec(text);
      cell.lastIndex = empty.lastIndex;
    }
    const match = cell.lastIndex < text.length ? cell.exec(text) : null;
    if (!match) return;
    yield { value: match[1]?.replaceAll('""', '"') ?? match[2] ?? '', place, isFirstLine };
    if (match[3] === separator) place++;
    else {
      place = 0;
      isFirstLine = false;
    }
  }
}
