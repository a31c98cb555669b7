import { isObject, type JsonObject } from '../../kernel/json.js';
import { ImportError } from '../import-error.js';
import type { ImportReport } from '../report.js';
import type { Target } from '../target.js';
import { type ImportedEvent, importedEvent, objectOf } from './event.js';

/** Events of an API that follow each other, and where the next ones begin. */
export interface EventPage {
  events: ImportedEvent[];
  cursor: string;
}

/** Which events of a project are read. */
export interface EventRange {
  /** Epoch milliseconds; null: the first event. */
  since: number | null;
  /** Epoch milliseconds, not included; null: the last event. */
  until: number | null;
  isNewestFirst: boolean;
  /** Where an earlier run stopped; null: it begins. */
  cursor: string | null;
}

/** Rows of a request: the limit of selects in Tidemark and below that of PostHog. */
const ROWS = 10_000;
const DAY = 86_400_000;
const LONGEST_WINDOW = 60 * DAY;

/**
 * Reads events by the query API, in the order of time and uuid. Windows of time keep each query small; they grow where there are few events.
 * @throws ImportError the answers are not those of PostHog or Tidemark
 */
export async function* queryEvents(source: Target, range: EventRange, report: ImportReport): AsyncGenerator<EventPage> {
  const bounds = await boundsOf(source, range);
  if (!bounds) return;
  const { first, last } = bounds;
  const { isNewestFirst } = range;
  let [at, uuid] = placeOf(range.cursor) ?? [isNewestFirst ? last : first, ''];
  let width = DAY;
  while (isNewestFirst ? at >= first : at <= last) {
    const [from, to] = isNewestFirst ? [Math.max(first, at - width), at + 1] : [at, Math.min(last, at + width) + 1];
    const rows = await selectRows(source, { from, to, at, uuid, isNewestFirst });
    const events = rows.flatMap((row) => eventOf(row, report));
    const lastRow = rows.at(-1);
    if (rows.length === ROWS && lastRow) [at, uuid] = [Number(lastRow[1]), String(lastRow[0])];
    else {
      [at, uuid] = [isNewestFirst ? from - 1 : to, ''];
      if (rows.length < ROWS / 4) width = Math.min(width * 2, LONGEST_WINDOW);
    }
    yield { events, cursor: `${at} ${uuid}` };
  }
}

/** The place of a cursor: the time and uuid after which events are read. */
function placeOf(cursor: string | null): [number, string] | null {
  if (cursor === null) return null;
  const [ms = '', uuid = ''] = cursor.split(' ');
  return [Number(ms), uuid];
}

interface Window {
  from: number;
  /** Not included. */
  to: number;
  /** Only events behind this place. */
  at: number;
  uuid: string;
  isNewestFirst: boolean;
}

const MS = 'toUnixTimestamp64Milli(timestamp)';

async function selectRows(source: Target, { from, to, at, uuid, isNewestFirst }: Window): Promise<unknown[][]> {
  const [more, order] = isNewestFirst ? ['<', 'desc'] : ['>', 'asc'];
  const behind = uuid === '' ? '' : `and (${MS} ${more} {at} or (${MS} = {at} and toString(uuid) ${more} {uuid}))`;
  const query = `select toString(uuid), ${MS}, event, distinct_id, properties, elements_chain from events
    where timestamp >= toDateTime({from}) and timestamp < toDateTime({to}) and ${MS} >= {fromMs} and ${MS} < {toMs} ${behind}
    order by ${MS} ${order}, toString(uuid) ${order} limit ${ROWS}`;
  const seconds = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  // the time zone of the project may move these bounds, which only keep the read small
  const values = { from: seconds(from - DAY), to: seconds(to + DAY), fromMs: from, toMs: to, at, uuid };
  return rowsOf(await source.client.request('POST', `${source.api}/query/`, { query: { kind: 'HogQLQuery', query, values } }));
}

/** The times of the first and last event of a range; null: there are none. */
export async function boundsOf(
  source: Target,
  { since, until }: Pick<EventRange, 'since' | 'until'>,
): Promise<{ first: number; last: number } | null> {
  const query = `select count(), min(${MS}), max(${MS}) from events`;
  const [row = []] = rowsOf(
    await source.client.request('POST', `${source.api}/query/`, { query: { kind: 'HogQLQuery', query } }),
  );
  const [count, first, last] = row.map(Number);
  if (!count) return null;
  return {
    first: Math.max(first ?? 0, since ?? Number.NEGATIVE_INFINITY),
    last: Math.min(last ?? 0, (until ?? Number.POSITIVE_INFINITY) - 1),
  };
}

function rowsOf(response: unknown): unknown[][] {
  const results = isObject(response) ? response['results'] : null;
  if (!Array.isArray(results) || !results.every(Array.isArray))
    throw new ImportError('The source does not answer queries as PostHog does.');
  return results;
}

function eventOf([uuid, ms, event, distinctId, properties, chain]: readonly unknown[], report: ImportReport): ImportedEvent[] {
  const object: JsonObject | null = objectOf(properties);
  const all = object ? { ...object } : {};
  if (typeof chain === 'string' && chain !== '') all['$elements_chain'] ??= chain;
  const made = importedEvent({ event, distinctId, timestamp: new Date(Number(ms)), uuid, properties: all });
  if (!('problem' in made)) return [made];
  report.count('events', 'skipped', 1, made.problem, String(uuid));
  return [];
}

/** Events of a page of the events API, which PostHog limits. */
const API_PAGE = 1_000;

/** Reads events by the older events API, newest first. */
export async function* listEvents(source: Target, range: EventRange, report: ImportReport): AsyncGenerator<EventPage> {
  const after = range.since === null ? 'all' : new Date(range.since - 1).toISOString();
  const before = range.until === null ? '' : `&before=${encodeURIComponent(new Date(range.until).toISOString())}`;
  let path: string | null = range.cursor ?? `${source.api}/events/?limit=${API_PAGE}&after=${encodeURIComponent(after)}${before}`;
  while (path !== null && path !== '') {
    const page: unknown = await source.client.request('GET', path);
    const results = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    const next: unknown = isObject(page) ? page['next'] : null;
    const events = results.flatMap((one) =>
      eventOf(
        [
          one['id'] ?? one['uuid'],
          Date.parse(String(one['timestamp'])),
          one['event'],
          one['distinct_id'],
          one['properties'],
          one['elements_chain'],
        ],
        report,
      ),
    );
    path = typeof next === 'string' && results.length > 0 ? next.replace(/^https?:\/\/[^/]+/, '') : null;
    yield { events, cursor: path ?? '' };
  }
}
