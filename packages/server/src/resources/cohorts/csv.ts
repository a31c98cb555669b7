import { isUuid } from '../../kernel/ids.js';
import type { Scheduler } from '../../ports/system.js';
import type { NewMembers } from './store.js';

/** Names of columns that hold distinct ids or UUIDs, or e-mail addresses. */
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

/** Cells to read before other requests get a turn. */
const CELLS_PER_TURN = 5_000;

/** Reads people from a CSV file: from the column that the header names, or without a header from the first column. */
export async function peopleInCsv(text: string, scheduler: Scheduler): Promise<NewMembers> {
  const head: string[] = [];
  const distinctIds = new Set<string>();
  const uuids = new Set<string>();
  const emails = new Set<string>();
  let column: Column | null = null;
  const add = (kind: Column['kind'], cell: string): void => {
    const value = cell.trim();
    // PostgreSQL stores no NUL, so nobody has such an id
    if (value === '' || value.includes('\0')) return;
    if (kind === 'email') emails.add(value);
    else distinctIds.add(value);
    if (kind !== 'email' && isUuid(value)) uuids.add(value);
  };
  let count = 0;
  for (const { value, place, isFirstLine } of cellsOf(text.replace(/^\uFEFF?[\r\n]*/, ''))) {
    if (++count % CELLS_PER_TURN === 0) await scheduler.yield();
    if (isFirstLine) head.push(value);
    else {
      column ??= columnOf(head);
      if (place === column.place) add(column.kind, value);
    }
  }
  const { kind } = column ?? columnOf(head);
  if (!kind) add(kind, head[0] ?? '');
  return { distinctIds: [...distinctIds], uuids: [...uuids], emails: [...emails] };
}

interface Column {
  place: number;
  /** What the header says the column holds; undefined: there is no header. */
  kind: 'id' | 'email' | undefined;
}

function columnOf(head: readonly string[]): Column {
  const kinds = head.map((name) => HEADERS[name.trim().toLowerCase()]);
  const at = kinds.indexOf('id') === -1 ? kinds.indexOf('email') : kinds.indexOf('id');
  return { place: Math.max(at, 0), kind: kinds[at] };
}

/** The cells of a CSV text (RFC 4180). A semicolon or a tab separates cells where the first line has no comma. Empty lines are skipped. */
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
