import type { JsonObject } from '../../kernel/json.js';
import { importedEvent } from '../events/event.js';
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

const CUSTOM_EVENT = '2';

/** Events of Umami: its table `website_event` as CSV, as its export has it. */
export const umamiFormat: EventFormat = {
  name: 'umami',
  matches: (name) => /website_event/i.test(name),
  open: () => (record) => {
    const properties: JsonObject = {};
    for (const [column, name] of Object.entries(PROPERTIES)) {
      const value = filled(member(record, column));
      // ClickHouse writes null as \N
      if (value !== undefined && value !== '\\N') properties[name] ??= value;
    }
    const [host, path, query] = ['hostname', 'url_path', 'url_query'].map((name) => filled(member(record, name)) ?? '');
    if (host) properties['$current_url'] = `https://${host}${path}${query ? `?${query.replace(/^\?/, '')}` : ''}`;
    const referrer = filled(member(record, 'referrer_domain'));
    if (referrer) properties['$referrer'] = `https://${referrer}${filled(member(record, 'referrer_path')) ?? ''}`;
    const isCustom = String(member(record, 'event_type')) === CUSTOM_EVENT;
    return importedEvent({
      event: isCustom ? filled(member(record, 'event_name')) : '$pageview',
      // a visitor that the site identified, else the visitor of a month
      distinctId: filled(member(record, 'distinct_id')) ?? filled(member(record, 'session_id')),
      timestamp: member(record, 'created_at'),
      uuid: member(record, 'event_id'),
      properties: { ...properties, $process_person_profile: false },
    });
  },
};
