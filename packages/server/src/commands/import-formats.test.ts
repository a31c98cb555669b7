import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

let service: TestService;
let url: string;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-formats-'));
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
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const json = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const parameter = (key: string, value: object) => ({ key, value });

/** Files as each product writes them, by its documentation; and those that the guide names. */
const FILES: Readonly<Record<string, string>> = {
  'mixpanel-export/2024-05.jsonl.gz': json(
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
  ),
  'umami-export/website_event.csv': [
    'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,utm_source,referrer_path,referrer_domain,page_title,event_type,event_name,tag,distinct_id,created_at',
    'w,0197a3c1-0000-4000-8000-000000000001,v1,0197a3c1-0000-4000-8000-00000000000a,example.com,chrome,Linux,desktop,1920x1080,de-DE,DE,DE-NW,Bonn,/docs,utm_source=news,news,/,google.com,Docs,1,,,,2024-05-01 10:11:12',
    'w,0197a3c1-0000-4000-8000-000000000001,v1,0197a3c1-0000-4000-8000-00000000000b,example.com,chrome,Linux,desktop,1920x1080,de-DE,DE,DE-NW,Bonn,/docs,,,,,Docs,2,download,,ann,2024-05-01 10:12:12',
    '',
  ].join('\n'),
  'umami-export/event_data.csv': 'website_id,event_id\nw,e\n',
  'ga4-export/events_20240501.json.gz': json(
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
      items: [{ item_id: 'a', quantity: '2' }],
    },
  ),
  'sales.csv':
    'action,customer,at,id,price,currency,mail\nbought,ann,2024-05-01,0197a3c1-0000-4000-8000-0000000000aa,12.5,EUR,ann@example.com\n',
  'events/2024-05.jsonl': json({ event: 'own', distinct_id: 'ann', timestamp: '2024-05-01T00:00:00Z', properties: { a: 1 } }),
};

/** Archives that are read as they come. */
const ARCHIVES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'amplitude-export/week.zip': {
    '123/123_2024-05-01_10.json.gz': json(
      {
        event_type: 'Bought',
        user_id: 'ann',
        device_id: 'd-1',
        event_time: '2024-05-01 10:11:12.345000',
        uuid: '0197a3c1-5d6e-4b2f-9a31-4c8e2f60b7d1',
        session_id: 1_714_558_000_000,
        event_properties: { price: 5 },
        user_properties: { plan: 'pro' },
        groups: { company: ['acme'] },
        os_name: 'iOS',
        country: 'Germany',
        $insert_id: 'i',
      },
      {
        event_type: '[Amplitude] Page Viewed',
        user_id: null,
        device_id: 'd-2',
        event_time: '2024-05-01 10:12:00.000000',
        uuid: '0197a3c1-5d6e-4b2f-9a31-4c8e2f60b7d2',
        event_properties: { '[Amplitude] Page URL': 'https://example.com/b' },
        user_properties: {},
        groups: {},
      },
    ),
  },
  'plausible-export/export.zip': {
    'imported_pages_20240501_20240502.csv':
      '"date","hostname","page","visits","visitors","pageviews","total_scroll_depth","total_scroll_depth_visits"\n"2024-05-01","example.com","/",3,2,5,0,0\n"2024-05-02","example.com","/a",1,1,1,0,0\n',
    'imported_sources_20240501_20240502.csv': '"date","source"\n"2024-05-01","Google"\n',
  },
};

/** A new project, and what its events are after an import. */
async function newProject() {
  const { id, api_token: key } = (await service.call('POST', '/api/projects/', { body: { name: 'Imported' } })).json();
  const env = { TIDEMARK_HOST: url, TIDEMARK_PERSONAL_API_KEY: service.personalKey, TIDEMARK_PROJECT: String(id) };
  const events = async () => {
    const { results } = (await service.call('GET', `/api/projects/${id}/events/?after=all&limit=100`)).json();
    return results
      .map(({ event, distinct_id, timestamp, properties }: Record<string, unknown>) => ({
        event,
        distinct_id,
        timestamp: new Date(String(timestamp)).toISOString(),
        properties,
      }))
      .reverse();
  };
  return { id, key, env, events };
}

const importInto = async (env: Record<string, string>, ...args: string[]) => {
  const done = await runCommand(['import', ...args, '--state', join(folder, `state-${env['TIDEMARK_PROJECT']}.json`)], env);
  expect(done).toMatchObject({ code: 0 });
  return done;
};

test('events of Mixpanel: what it would deduplicate is one event', async () => {
  const { env, events } = await newProject();
  await importInto(env, 'mixpanel', join(folder, 'mixpanel-export'));
  expect(await events()).toEqual([
    {
      event: 'Signed Up',
      distinct_id: 'ann',
      timestamp: '2020-10-13T17:48:31.000Z',
      properties: { $geoip_city_name: 'Bonn', Plan: 'pro' },
    },
    {
      event: '$pageview',
      distinct_id: '$device:1',
      timestamp: '2020-10-13T17:48:32.500Z',
      properties: { $current_url: 'https://example.com/a' },
    },
  ]);
});

test('events of Amplitude', async () => {
  const { env, events, id } = await newProject();
  await importInto(env, 'amplitude', join(folder, 'amplitude-export'));
  expect(await events()).toMatchObject([
    {
      event: 'Bought',
      distinct_id: 'ann',
      timestamp: '2024-05-01T10:11:12.345Z',
      properties: {
        price: 5,
        $os: 'iOS',
        $geoip_country_name: 'Germany',
        $session_id: 'd-1-1714558000000',
        $groups: { company: 'acme' },
        $set: { plan: 'pro' },
      },
    },
    { event: '$pageview', distinct_id: 'd-2', properties: { $current_url: 'https://example.com/b' } },
  ]);
  const { results } = (await service.call('GET', `/api/projects/${id}/persons/?distinct_id=ann`)).json();
  expect(results[0].properties).toMatchObject({ plan: 'pro' });
});

test('events of Umami', async () => {
  const { env, events } = await newProject();
  await importInto(env, 'umami', join(folder, 'umami-export'));
  expect(await events()).toMatchObject([
    {
      event: '$pageview',
      distinct_id: '0197a3c1-0000-4000-8000-000000000001',
      timestamp: '2024-05-01T10:11:12.000Z',
      properties: {
        $current_url: 'https://example.com/docs?utm_source=news',
        $pathname: '/docs',
        title: 'Docs',
        $referrer: 'https://google.com/',
        $session_id: 'v1',
        utm_source: 'news',
        $geoip_country_code: 'DE',
      },
    },
    { event: 'download', distinct_id: 'ann' },
  ]);
});

test('events of Google Analytics', async () => {
  const { env, events } = await newProject();
  await importInto(env, 'ga4', join(folder, 'ga4-export'));
  expect(await events()).toMatchObject([
    {
      event: '$pageview',
      distinct_id: '123.456',
      timestamp: '2024-05-01T10:11:12.000Z',
      properties: {
        $current_url: 'https://example.com/shop?x=1',
        $pathname: '/shop',
        $host: 'example.com',
        $session_id: '123.456-1714558000',
        $os: 'iOS',
        $browser: 'Safari',
        $process_person_profile: false,
      },
    },
    {
      event: 'purchase',
      distinct_id: 'ann',
      properties: { value: 12.5, items: [{ item_id: 'a', quantity: '2' }], $set: { plan: 'pro' } },
    },
  ]);
});

test('sums of Plausible become as many page views of as many visitors', async () => {
  const { env, events } = await newProject();
  await importInto(env, 'plausible', join(folder, 'plausible-export'));
  const made = (await events()) as { distinct_id: string; timestamp: string; properties: { $pathname: string } }[];
  const first = made.filter((event) => event.timestamp.startsWith('2024-05-01'));
  expect([made.length, first.length, new Set(first.map((event) => event.distinct_id)).size]).toEqual([6, 5, 2]);
  expect(made.at(-1)).toMatchObject({
    event: '$pageview',
    properties: { $pathname: '/a', $current_url: 'https://example.com/a' },
  });
});

test('a report with sums is no file of Google Analytics', async () => {
  const { env } = await newProject();
  await writeFile(join(folder, 'report.csv'), '# ----\n# Pages\nPage path,Views\n/,5\n/a,3\n');
  const done = await runCommand(['import', 'ga4', join(folder, 'report.csv'), '--state', join(folder, 'r.json')], env);
  expect(done).toMatchObject({ code: 1, errors: expect.stringContaining('reports of the interface have sums, not events') });
});

const GUIDE = new URL('../../../../docs/guide/', import.meta.url);
const pages = readdirSync(GUIDE).filter((name) => /^(from-.*|import)\.md$/.test(name));

/** The commands of a page, in their order. */
const commandsOf = (page: string): string[] =>
  [...readFileSync(new URL(page, GUIDE), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => line.startsWith('tidemark '));

test.each(pages.filter((page) => commandsOf(page).length > 0))('the commands of %s run', { timeout: 600_000 }, async (page) => {
  const { env } = await newProject();
  await writeFile(
    join(folder, 'mapping.json'),
    /```json\n([\s\S]*?)```/.exec(readFileSync(new URL('import.md', GUIDE), 'utf8'))?.[1] ?? '',
  );
  const source = { POSTHOG_HOST: url, POSTHOG_PERSONAL_API_KEY: service.personalKey };
  const before = process.cwd();
  // readers are where their files are
  process.chdir(folder);
  try {
    for (const command of commandsOf(page)) {
      const args = command.split(' ').slice(1);
      const project = args.indexOf('--project');
      if (project > 0) args[project + 1] = String(service.projectId);
      const done = await runCommand(args, { ...env, ...source });
      expect([command, done.code, done.errors]).toEqual([command, 0, expect.any(String)]);
    }
  } finally {
    process.chdir(before);
  }
});
