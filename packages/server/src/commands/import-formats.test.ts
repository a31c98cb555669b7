import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines } from '../testing/foreign-files.js';
import { useImportTarget } from '../testing/import-target.js';
import { keyWith } from '../testing/key-with.js';
import { runCommand } from '../testing/run-command.js';

const target = useImportTarget();
const { newProject, importInto } = target;

test('events of Mixpanel: what it would deduplicate is one event, and ids that it joined are one person', async () => {
  const { env, events, id } = await newProject();
  await importInto(env, 'mixpanel', join(target.folder, 'mixpanel-export'));
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
    {
      event: '$identify',
      distinct_id: 'ann',
      timestamp: '2020-10-13T17:48:33.000Z',
      properties: { $identified_id: 'ann', $anon_distinct_id: '$device:1' },
    },
  ]);
  const { results } = (await target.service.call('GET', `/api/projects/${id}/persons/?distinct_id=ann`)).json();
  expect([...results[0].distinct_ids].sort()).toEqual(['$device:1', 'ann', 'ann@work']);
});

test('times of Mixpanel are those on the clocks of its project', async () => {
  const { env, events } = await newProject();
  const clocks = [
    '2024-01-15T12:00:00',
    // clocks show 02:00 to 03:00 not at all, then twice
    '2024-03-31T01:59:59',
    '2024-03-31T03:00:00',
    '2024-07-15T12:00:00',
    '2024-10-27T02:30:00',
    '2024-10-27T03:00:00',
  ];
  const file = join(target.folder, 'clocks.jsonl');
  const rows = clocks.map((clock) => ({
    event: clock,
    properties: { time: Date.parse(`${clock}Z`) / 1_000, distinct_id: 'ann' },
  }));
  await writeFile(file, jsonLines(...rows));
  await importInto(env, 'mixpanel', file, '--time-zone', 'Europe/Berlin');
  expect(((await events()) as { event: string; timestamp: string }[]).map(({ event, timestamp }) => [event, timestamp])).toEqual([
    ['2024-01-15T12:00:00', '2024-01-15T11:00:00.000Z'],
    ['2024-03-31T01:59:59', '2024-03-31T00:59:59.000Z'],
    ['2024-03-31T03:00:00', '2024-03-31T01:00:00.000Z'],
    ['2024-07-15T12:00:00', '2024-07-15T10:00:00.000Z'],
    ['2024-10-27T02:30:00', '2024-10-27T00:30:00.000Z'],
    ['2024-10-27T03:00:00', '2024-10-27T02:00:00.000Z'],
  ]);
  const wrong = await runCommand(['import', 'mixpanel', file, '--time-zone', 'Berlin'], env);
  expect(wrong).toMatchObject({ code: 1, errors: expect.stringContaining('There is no time zone "Berlin"') });
});

test('profiles of Mixpanel: pages of them, and one a line', async () => {
  const { env, events, id } = await newProject();
  const profile = (name: string) => ({
    $distinct_id: name,
    $properties: {
      $email: `${name}@example.com`,
      $created: '2020-01-02T03:04:05',
      Plan: 'pro',
      $distinct_ids: [name, `$device:${name}`],
    },
  });
  const file = join(target.folder, 'profiles.jsonl');
  await writeFile(file, jsonLines({ page: 0, results: [profile('cat'), profile('dan')] }, profile('eve'), { $distinct_id: '' }));
  const done = await importInto(env, 'mixpanel', file);
  expect(done.output).toMatch(/persons\s+3\s+3/);
  expect(done.output).toContain('the profile has no distinct id or no properties (');
  const { results } = (
    await target.service.call('GET', `/api/projects/${id}/persons/?distinct_id=${encodeURIComponent('$device:dan')}`)
  ).json();
  expect(results).toMatchObject([
    {
      distinct_ids: expect.arrayContaining(['dan', '$device:dan']),
      properties: { email: 'dan@example.com', Plan: 'pro' },
      created_at: expect.stringMatching(/^2020-01-02T03:04:05/),
    },
  ]);
  expect(await events()).toEqual([]);
});

test('events of Amplitude: those before a login are of the same person, and the last properties count', async () => {
  const { env, events, id } = await newProject();
  await importInto(env, 'amplitude', join(target.folder, 'amplitude-export'));
  const all = (await events()) as { properties: object }[];
  expect(all).toMatchObject([
    {
      event: 'Looked',
      distinct_id: '453294039203',
      properties: { $device_id: 'd-1', $os: 'Mac OS X', $browser: 'Chrome', $browser_version: '124', $set: { plan: 'free' } },
    },
    {
      event: 'Bought',
      distinct_id: 'ann',
      timestamp: '2024-05-01T10:11:12.345Z',
      properties: {
        price: 5,
        $os: 'ios',
        $os_version: '17.4.1',
        $geoip_country_name: 'Germany',
        $session_id: 'd-1-1714558000000',
        $groups: { company: 'acme' },
        $set: { plan: 'pro' },
      },
    },
    {
      event: '$pageview',
      distinct_id: '453294039204',
      properties: { $current_url: 'https://example.com/b?x=1', $pathname: '/b', $host: 'example.com', title: 'B' },
    },
  ]);
  expect(all[1]?.properties).not.toHaveProperty('$browser');
  const persons = async (distinctId: string) =>
    (await target.service.call('GET', `/api/projects/${id}/persons/?distinct_id=${distinctId}`)).json().results;
  expect(await persons('ann')).toMatchObject([
    {
      distinct_ids: expect.arrayContaining(['ann', '453294039203']),
      properties: { plan: 'pro' },
      is_identified: true,
    },
  ]);
  expect((await persons('453294039204'))[0].distinct_ids).toEqual(['453294039204']);
  // who is who does not depend on what came before: the same again changes nothing
  await importInto(
    { ...env },
    'amplitude',
    join(target.folder, 'amplitude-export'),
    '--state',
    join(target.folder, `again-${id}`),
  );
  expect(await events()).toEqual(all);
});

test('a key that may not write persons: a sentence', async () => {
  const { env } = await newProject();
  const key = await keyWith(target.service, 'project:read');
  const args = ['import', 'amplitude', join(target.folder, 'amplitude-export'), '--state', join(target.folder, `s-${key}`)];
  const done = await runCommand(args, { ...env, TIDEMARK_PERSONAL_API_KEY: key });
  expect(done).toMatchObject({ code: 1, errors: expect.stringContaining("missing required scope 'person:write'") });
});

test('persons that the service refuses are reported, and those around them are stored', async () => {
  const { env, id } = await newProject();
  const profile = (name: string, ...others: string[]) => ({ $distinct_id: name, $properties: { $distinct_ids: others } });
  const many = Array.from({ length: 2_500 }, (_, index) => `many-${index}`);
  const file = join(target.folder, 'refused.jsonl');
  await writeFile(file, jsonLines(profile('fay'), profile('x'.repeat(500)), profile('gus', ...many)));
  const { output } = await importInto(env, 'mixpanel', file);
  expect(output).toMatch(/persons\s+3\s+2\s+0\s+0\s+1\n/);
  expect(output).toContain('persons, 1: the service refuses the person: ');
  const idsOf = async (name: string) =>
    (await target.service.call('GET', `/api/projects/${id}/persons/?distinct_id=${name}`)).json().results[0].uuid;
  expect(await idsOf('many-2499')).toBe(await idsOf('gus'));
  expect(await idsOf('fay')).not.toBe(await idsOf('gus'));
});

test('events of Umami: rows that are no page views are none here', async () => {
  const { env, events } = await newProject();
  const { output } = await importInto(env, 'umami', join(target.folder, 'umami-export'));
  expect(output).toContain('events, 1: the row is a measurement of speed, not a page view');
  expect(output).toContain('events, 1: the row is a visit of a short link, not of a page');
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
    {
      event: 'download',
      distinct_id: 'ann',
      properties: { 'file.name': 'a.pdf', pages: 12.5, free: true, tags: ['x', 'y'] },
    },
  ]);
});

test('events of Google Analytics', async () => {
  const { env, events } = await newProject();
  await importInto(env, 'ga4', join(target.folder, 'ga4-export'));
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
        utm_source: 'news',
        utm_medium: 'email',
        utm_campaign: 'may',
        gclid: 'g1',
        $process_person_profile: false,
      },
    },
    {
      event: 'purchase',
      distinct_id: 'ann',
      properties: {
        value: 12.5,
        items: [{ item_id: 'a', item_name: 'Shoe', price: 6.25, quantity: 2 }],
        ecommerce: { total_item_quantity: 2, purchase_revenue: 12.5, unique_items: 1, transaction_id: '77' },
        $set: { plan: 'pro' },
      },
    },
  ]);
});

test('sums of Plausible become as many page views of as many visitors', async () => {
  const { env, events } = await newProject();
  await importInto(env, 'plausible', join(target.folder, 'plausible-export'));
  const all = (await events()) as { event: string; distinct_id: string; timestamp: string; properties: { $pathname: string } }[];
  const made = all.filter(({ event }) => event === '$pageview');
  const first = made.filter((event) => event.timestamp.startsWith('2024-05-01'));
  expect([made.length, first.length, new Set(first.map((event) => event.distinct_id)).size]).toEqual([6, 5, 2]);
  expect(made.at(-1)).toMatchObject({
    event: '$pageview',
    properties: { $pathname: '/a', $current_url: 'https://example.com/a' },
  });
  // goals are events, other tables keep their sums as numbers
  expect(all.filter(({ event }) => event === 'Signup')).toMatchObject([
    { distinct_id: 'plausible-2024-05-01-1', properties: { $pathname: '/join' } },
    { distinct_id: 'plausible-2024-05-01-1', properties: { $pathname: '/join' } },
  ]);
  expect(all.filter(({ event }) => event === 'Plausible sources')).toMatchObject([
    { timestamp: '2024-05-01T12:00:00.000Z', properties: { source: 'Google', visitors: 2, visits: 3, visit_duration: 120 } },
  ]);
  expect(all).toHaveLength(9);
});

test('a report with sums is no file of Google Analytics', async () => {
  const { env } = await newProject();
  await writeFile(join(target.folder, 'report.csv'), '# ----\n# Pages\nPage path,Views\n/,5\n/a,3\n');
  const done = await runCommand(
    ['import', 'ga4', join(target.folder, 'report.csv'), '--state', join(target.folder, 'r.json')],
    env,
  );
  expect(done).toMatchObject({ code: 1, errors: expect.stringContaining('reports of the interface have sums, not events') });
});
