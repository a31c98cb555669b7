import type { Json, JsonObject } from '../../kernel/json.js';
import { importedEvent } from '../events/event.js';
import { type InputFile, readRecords } from '../files/find-files.js';
import { ImportError } from '../import-error.js';
import { type EventFormat, filled, member } from './format.js';

/** Columns of `website_event.csv` that become properties, with their names here. */
const PROPERTIES: Readonly<Record<string, string>> = {
  visit_id: '$session_id',
  hostname: '$host',
  browser: '$browser',
  os: '$os',
  device: '$device_type',
  screen: '$screen',
  language: '$browser_language',
  country: '$geoip_country_code',
  subdivision1: '$geoip_subdivision_1_code',
  region: '$geoip_subdivision_1_code',
  city: '$geoip_city_name',
  url_path: '$pathname',
  page_title: 'title',
  referrer_domain: '$referring_domain',
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
  utm_content: 'utm_content',
  utm_term: 'utm_term',
  gclid: 'gclid',
  fbclid: 'fbclid',
  msclkid: 'msclkid',
  ttclid: 'ttclid',
  tag: 'tag',
};

/** Kinds of rows in `event_type`. */
const [PAGE_VIEW, CUSTOM_EVENT] = ['1', '2'];
/** Rows of kinds that are neither a page view nor an event, with why they are not taken. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  3: 'the row is a visit of a short link, not of a page',
  4: 'the row is a request of a pixel, not of a page',
  5: 'the row is a measurement of speed, not a page view',
};

/** Values of custom events in memory. */
const MOST_VALUES = 5_000_000;

/** Events of Umami: its table `website_event` as CSV, as its export has it, with the values of `event_data` beside it. */
export const umamiFormat: EventFormat = umamiEvents(new Map());

function umamiEvents(values: ReadonlyMap<string, JsonObject>): EventFormat {
  return {
    name: 'umami',
    matches: (name) => /website_event/i.test(name),
    beside: {
      matches: (name) => /event_data/i.test(name),
      read: async (files) => umamiEvents(await readValues(files)),
    },
    open: () => (record) => {
      const kind = String(member(record, 'event_type') ?? PAGE_VIEW);
      if (kind !== PAGE_VIEW && kind !== CUSTOM_EVENT) {
        return { problem: OTHER_KINDS[kind] ?? `the kind ${kind.slice(0, 60)} of the row (event_type) is unknown` };
      }
      const properties: JsonObject = {};
      for (const [column, name] of Object.entries(PROPERTIES)) {
        const value = cell(record, column);
        if (value !== undefined) properties[name] ??= value;
      }
      const [host, path, query] = ['hostname', 'url_path', 'url_query'].map((name) => cell(record, name) ?? '');
      if (host) properties['$current_url'] = `https://${host}${path}${query ? `?${query.replace(/^\?/, '')}` : ''}`;
      const referrer = cell(record, 'referrer_domain');
      if (referrer) properties['$referrer'] = `https://${referrer}${cell(record, 'referrer_path') ?? ''}`;
      const id = member(record, 'event_id');
      return importedEvent({
        event: kind === CUSTOM_EVENT ? cell(record, 'event_name') : '$pageview',
        // a visitor that the site identified, else the visitor of a month
        distinctId: cell(record, 'distinct_id') ?? cell(record, 'session_id'),
        timestamp: member(record, 'created_at'),
        uuid: id,
        properties: { ...values.get(String(id)), ...properties, $process_person_profile: false },
      });
    },
  };
}

/** The text of a cell; undefined where it is empty. ClickHouse writes null as `\N`. */
const cell = (record: object, column: string): string | undefined => {
  const value = filled(member(record, column));
  return value === '\\N' ? undefined : value;
};

/** The values of custom events by the ids of the events. @throws ImportError there are too many */
async function readValues(files: readonly InputFile[]): Promise<Map<string, JsonObject>> {
  const values = new Map<string, JsonObject>();
  let count = 0;
  for (const file of files) {
    for await (const { records } of readRecords(file, 0)) {
      for (const record of records) {
        if (!('value' in record)) continue;
        const id = cell(record.value, 'website_event_id') ?? cell(record.value, 'event_id');
        const key = cell(record.value, 'data_key') ?? cell(record.value, 'event_key');
        if (id === undefined || key === undefined) continue;
        if (++count > MOST_VALUES)
          throw new ImportError(
            `${file.path} has more than ${MOST_VALUES} values: export and import a part of the time after the other.`,
          );
        const object = values.get(id) ?? {};
        object[key] = storedValue(record.value);
        values.set(id, object);
      }
    }
  }
  return values;
}

/** Values of `data_type`: 1 text, 2 number, 3 true or false, 4 date, 5 list. */
function storedValue(record: object): Json {
  const [text, number, date] = ['string_value', 'number_value', 'date_value'].map((name) => cell(record, name) ?? '');
  switch (String(member(record, 'data_type'))) {
    case '2':
      return Number.isFinite(Number(number || text)) ? Number(number || text) : (text ?? '');
    case '3':
      return text === 'true';
    case '4':
      return date || text || '';
    case '5':
      try {
        return JSON.parse(text ?? '') as Json;
      } catch {
        return text ?? '';
      }
    default:
      return text ?? '';
  }
}
