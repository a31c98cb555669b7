import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';

/** Objects as JSON lines. */
export const jsonLines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const parameter = (key: string, value: object) => ({ key, value });

/** An event with all members that the export has, those of a page if none are given. */
const amplitudeEvent = (event: object) => ({
  $insert_key: null,
  $schema: null,
  adid: null,
  amplitude_attribution_ids: null,
  amplitude_event_type: null,
  app: 123,
  city: 'Bonn',
  client_event_time: '2024-05-01 10:11:12.345000',
  client_upload_time: '2024-05-01 10:11:13.345000',
  country: 'Germany',
  data: { path: '/2/httpapi' },
  data_type: 'event',
  device_brand: null,
  device_carrier: null,
  device_family: 'Mac OS X',
  device_manufacturer: null,
  device_model: null,
  device_type: 'Mac',
  dma: null,
  event_id: 1,
  event_properties: {},
  global_user_properties: {},
  group_properties: {},
  groups: {},
  idfa: null,
  ip_address: '203.0.113.7',
  is_attribution_event: false,
  language: 'German',
  library: 'amplitude-ts/2.0.0',
  location_lat: null,
  location_lng: null,
  os_name: 'Chrome',
  os_version: '124',
  partner_id: null,
  paying: null,
  plan: {},
  platform: 'Web',
  processed_time: '2024-05-01 10:11:14.345000',
  region: 'North Rhine-Westphalia',
  sample_rate: null,
  server_received_time: '2024-05-01 10:11:13.345000',
  server_upload_time: '2024-05-01 10:11:13.345000',
  session_id: -1,
  source_id: null,
  start_version: null,
  user_creation_time: '2024-04-30 08:00:00.000000',
  user_properties: {},
  version_name: null,
  ...event,
});

/** Files as each product writes them, by its documentation; and those that the guide names. */
const FILES: Readonly<Record<string, string>> = {
  'mixpanel-export/2024-05.jsonl.gz': jsonLines(
    {
      event: 'Signed Up',
      properties: {
        time: 1_602_611_311,
        distinct_id: 'ann',
        $insert_id: 'hpuDqcvp',
        mp_processing_time_ms: 1_602_625_711_874,
        $city: 'Bonn',
        Plan: 'pro',
      },
    },
    {
      event: '$mp_web_page_view',
      properties: { time: 1_602_611_312_500, distinct_id: '$device:1', $insert_id: 'x', current_url: 'https://example.com/a' },
    },
    {
      event: 'Signed Up',
      properties: {
        time: 1_602_611_311,
        distinct_id: 'ann',
        $insert_id: 'hpuDqcvp',
        mp_processing_time_ms: 1_602_625_799_999,
        $city: 'Bonn',
        Plan: 'pro',
      },
    },
    // identity management by events: what the SDK sends at a login, and what a server sends to join two users
    {
      event: '$identify',
      properties: { time: 1_602_611_313, distinct_id: 'ann', $identified_id: 'ann', $anon_id: '$device:1', $insert_id: 'y' },
    },
    { event: '$merge', properties: { time: 1_602_611_314, $distinct_ids: ['ann', 'ann@work'], $insert_id: 'z' } },
  ),
  'umami-export/website_event.csv': [
    'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,utm_source,referrer_path,referrer_domain,page_title,event_type,event_name,tag,distinct_id,created_at',
    'w,0197a3c1-0000-4000-8000-000000000001,v1,0197a3c1-0000-4000-8000-00000000000a,example.com,chrome,Linux,desktop,1920x1080,de-DE,DE,DE-NW,Bonn,/docs,utm_source=news,news,/,google.com,Docs,1,,,,2024-05-01 10:11:12',
    'w,0197a3c1-0000-4000-8000-000000000001,v1,0197a3c1-0000-4000-8000-00000000000b,example.com,chrome,Linux,desktop,1920x1080,de-DE,DE,DE-NW,Bonn,/docs,,,,,Docs,2,download,,ann,2024-05-01 10:12:12',
    // a measurement of speed, and a visit of a short link
    'w,0197a3c1-0000-4000-8000-000000000001,v1,0197a3c1-0000-4000-8000-00000000000c,example.com,chrome,Linux,desktop,1920x1080,de-DE,DE,DE-NW,Bonn,/docs,,,,,Docs,5,,,,2024-05-01 10:12:13',
    'l,0197a3c1-0000-4000-8000-000000000001,v1,0197a3c1-0000-4000-8000-00000000000d,\\N,chrome,Linux,desktop,\\N,de-DE,DE,\\N,\\N,/q/x,,\\N,,,\\N,3,\\N,\\N,\\N,2024-05-01 10:12:14',
    '',
  ].join('\n'),
  'umami-export/event_data.csv': [
    'website_id,session_id,event_id,event_name,data_key,string_value,number_value,date_value,data_type,created_at',
    'w,s,0197a3c1-0000-4000-8000-00000000000b,download,file.name,a.pdf,\\N,\\N,1,2024-05-01 10:12:12',
    'w,s,0197a3c1-0000-4000-8000-00000000000b,download,pages,12.5000,12.5000,,2,2024-05-01 10:12:12',
    'w,s,0197a3c1-0000-4000-8000-00000000000b,download,free,true,,,3,2024-05-01 10:12:12',
    'w,s,0197a3c1-0000-4000-8000-00000000000b,download,"tags","[""x"",""y""]",,,5,2024-05-01 10:12:12',
    '',
  ].join('\n'),
  'ga4-export/events_20240501.json.gz': jsonLines(
    {
      event_date: '20240501',
      event_timestamp: '1714558272000000',
      event_name: 'page_view',
      user_pseudo_id: '123.456',
      event_params: [
        parameter('page_location', { string_value: 'https://example.com/shop?x=1' }),
        parameter('ga_session_id', { int_value: '1714558000' }),
        parameter('page_title', { string_value: 'Shop' }),
      ],
      user_properties: [],
      device: { category: 'mobile', operating_system: 'iOS', web_info: { browser: 'Safari' } },
      geo: { country: 'Germany', city: 'Bonn' },
      collected_traffic_source: { manual_source: 'news', manual_medium: 'email', manual_campaign_name: 'may', gclid: 'g1' },
      batch_event_index: '1',
      items: [],
    },
    {
      event_date: '20240501',
      event_timestamp: '1714558273000000',
      event_name: 'purchase',
      user_id: 'ann',
      user_pseudo_id: '123.456',
      event_params: [parameter('value', { double_value: 12.5 })],
      user_properties: [parameter('plan', { string_value: 'pro' })],
      ecommerce: { total_item_quantity: '2', purchase_revenue: 12.5, unique_items: '1', transaction_id: '77' },
      items: [{ item_id: 'a', item_name: 'Shoe', price: 6.25, quantity: '2' }],
    },
  ),
  'sales.csv':
    'action,customer,at,id,price,currency,mail\nbought,ann,2024-05-01,0197a3c1-0000-4000-8000-0000000000aa,12.5,EUR,ann@example.com\n',
  'events/2024-05.jsonl': jsonLines({
    event: 'own',
    distinct_id: 'ann',
    timestamp: '2024-05-01T00:00:00Z',
    properties: { a: 1 },
  }),
};

/** Archives that are read as they come. */
const ARCHIVES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // not in the order of time: 9 comes before 10
  'amplitude-export/week.zip': {
    '123/123_2024-05-01_10#7.json.gz': jsonLines(
      amplitudeEvent({
        event_type: 'Bought',
        user_id: 'ann',
        device_id: 'd-1',
        amplitude_id: 453_294_039_203,
        event_time: '2024-05-01 10:11:12.345000',
        uuid: '0197a3c1-5d6e-4b2f-9a31-4c8e2f60b7d1',
        session_id: 1_714_558_000_000,
        event_properties: { price: 5 },
        user_properties: { plan: 'pro' },
        groups: { company: ['acme'] },
        platform: 'iOS',
        os_name: 'ios',
        os_version: '17.4.1',
        device_family: 'Apple iPhone',
        $insert_id: 'i',
      }),
      amplitudeEvent({
        event_type: '[Amplitude] Page Viewed',
        user_id: null,
        device_id: 'd-2',
        amplitude_id: 453_294_039_204,
        event_time: '2024-05-01 10:12:00.000000',
        uuid: '0197a3c1-5d6e-4b2f-9a31-4c8e2f60b7d2',
        session_id: -1,
        event_properties: {
          '[Amplitude] Page Location': 'https://example.com/b?x=1',
          '[Amplitude] Page URL': 'https://example.com/b',
          '[Amplitude] Page Path': '/b',
          '[Amplitude] Page Domain': 'example.com',
          '[Amplitude] Page Title': 'B',
        },
      }),
    ),
    '123/123_2024-05-01_9#7.json.gz': jsonLines(
      amplitudeEvent({
        event_type: 'Looked',
        user_id: null,
        device_id: 'd-1',
        amplitude_id: 453_294_039_203,
        event_time: '2024-05-01 09:11:12.345000',
        uuid: '0197a3c1-5d6e-4b2f-9a31-4c8e2f60b7d3',
        user_properties: { plan: 'free' },
      }),
    ),
  },
  'plausible-export/export.zip': {
    'imported_pages_20240501_20240502.csv':
      '"date","hostname","page","visits","visitors","pageviews","total_scroll_depth","total_scroll_depth_visits"\n"2024-05-01","example.com","/",3,2,5,0,0\n"2024-05-02","example.com","/a",1,1,1,0,0\n',
    'imported_sources_20240501_20240502.csv':
      '"date","source","referrer","utm_source","pageviews","visitors","visits","visit_duration","bounces"\n"2024-05-01","Google","google.com","",4,2,3,120,1\n',
    'imported_custom_events_20240501_20240502.csv':
      '"date","name","link_url","path","visitors","events"\n"2024-05-01","Signup","","/join",1,2\n',
  },
};

/** Writes the files that the guide names into a folder, as each product writes them. */
export async function writeForeignFiles(folder: string): Promise<void> {
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name.endsWith('.gz') ? gzipSync(content) : content);
  }
  for (const [name, files] of Object.entries(ARCHIVES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const packed = Object.entries(files).map(([inner, content]): [string, Uint8Array] => [
      inner,
      inner.endsWith('.gz') ? gzipSync(content) : Buffer.from(content),
    ]);
    await writeFile(join(folder, name), zipSync(Object.fromEntries(packed)));
  }
}
