import type { JsonObject } from '../../kernel/json.js';
import { type ImportedEvent, importedEvent, type Problem } from '../events/event.js';
import { type EventFormat, filled, member, type Translate } from './format.js';

/** Events of a row; more are an error of the file. */
const MOST = 1_000_000;

/** Tables of the export. Those of pages and goals become events; each of the others has all visits, summed by something else. */
const TABLE =
  /imported_(pages|custom_events|visitors|sources|entry_pages|exit_pages|locations|devices|browsers|operating_systems)[\d_]*\.csv/i;

/**
 * Plausible's export, which has sums by day.
 *
 * `imported_pages….csv` becomes page views: a row has, for a day and a page, the visitors and the page views, so as many `$pageview` events are made, of
 * as many visitors. The visitors of a day are numbered from 1 on each page: page views and the visitors of one page and day are right, a day has as
 * many visitors as its largest page, and a longer range adds up its days, because Plausible forgets visitors every day. `imported_custom_events….csv`
 * becomes events of the goals in the same way.
 *
 * No event can have the source and the device of a visit, because no table has both. So a row of the other tables becomes one event, such as `Plausible
 * sources`, whose numbers are properties to be summed.
 */
export const plausibleFormat: EventFormat = {
  name: 'plausible',
  matches: (name) => TABLE.test(name),
  open: (file) => {
    const table = TABLE.exec(file)?.[1]?.toLowerCase() ?? 'pages';
    if (table === 'pages') return pageViews(file);
    return table === 'custom_events' ? goals : sumsOf(table);
  },
};

const pageViews =
  (file: string): Translate =>
  (record) => {
    const [date, page] = [dateOf(record), String(member(record, 'page') ?? '')];
    const [visitors, count] = [countOf(member(record, 'visitors')), countOf(member(record, 'pageviews'))];
    if (date === null || page === '' || visitors === null || count === null) {
      return { problem: `the row has no date, page, visitors or pageviews: ${file} should be imported_pages….csv` };
    }
    const host = String(member(record, 'hostname') ?? '');
    const properties = { $pathname: page, ...(host ? { $host: host, $current_url: `https://${host}${page}` } : {}) };
    return repeated({ event: '$pageview', date, visitors, count, key: `${host}${page}` }, properties);
  };

const goals: Translate = (record) => {
  const [date, name] = [dateOf(record), filled(member(record, 'name'))];
  const [visitors, count] = [countOf(member(record, 'visitors')), countOf(member(record, 'events'))];
  if (date === null || name === undefined || visitors === null || count === null)
    return { problem: 'the row has no date, name, visitors or events' };
  const [link, path] = [filled(member(record, 'link_url')), filled(member(record, 'path'))];
  const properties = { ...(link ? { link_url: link } : {}), ...(path ? { $pathname: path } : {}) };
  return repeated({ event: name, date, visitors, count, key: `${link ?? ''} ${path ?? ''}` }, properties);
};

interface Repeated {
  event: string;
  date: string;
  visitors: number;
  count: number;
  /** What the row is about beside its date. */
  key: string;
}

/** As many events as a row counts, of as many visitors. */
function repeated({ event, date, visitors, count, key }: Repeated, properties: JsonObject): ImportedEvent[] | Problem {
  const events: ImportedEvent[] = [];
  for (let nth = 0; nth < count; nth++) {
    const made = importedEvent({
      event,
      distinctId: `plausible-${date}-${(nth % Math.max(1, visitors)) + 1}`,
      // the time of the day is not in the file: events stand a second apart from noon on
      timestamp: new Date(Date.parse(`${date}T12:00:00Z`) + (nth % 36_000) * 1_000),
      uuid: `${date} ${key} ${nth}`,
      properties: { ...properties, $process_person_profile: false, $import_source: 'plausible' },
    });
    if ('problem' in made) return made;
    events.push(made);
  }
  return events;
}

/** Columns that are counts or seconds. */
const NUMBERS = new Set(['visitors', 'pageviews', 'visits', 'bounces', 'visit_duration', 'entrances', 'exits']);

/** One event for each row of a table of sums. */
const sumsOf =
  (table: string): Translate =>
  (record) => {
    const date = dateOf(record);
    if (date === null) return { problem: 'the row has no date' };
    const properties: JsonObject = { $process_person_profile: false, $import_source: 'plausible' };
    for (const [column, value] of Object.entries(record)) {
      if (column === 'date' || value === '') continue;
      properties[column] = NUMBERS.has(column) && Number.isFinite(Number(value)) ? Number(value) : String(value);
    }
    return importedEvent({
      event: `Plausible ${table.replaceAll('_', ' ')}`,
      distinctId: 'plausible',
      timestamp: new Date(`${date}T12:00:00Z`),
      properties,
    });
  };

function dateOf(record: object): string | null {
  const date = String(member(record, 'date') ?? '');
  return /^\d{4}-\d\d-\d\d$/.test(date) ? date : null;
}

function countOf(value: unknown): number | null {
  const count = Number(value);
  return value !== '' && Number.isInteger(count) && count >= 0 && count <= MOST ? count : null;
}
