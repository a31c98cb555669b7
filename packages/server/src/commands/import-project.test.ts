import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, apiOf, differences, eventSums, readProject } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

const EVENTS = Number(process.env['IMPORT_TEST_EVENTS'] ?? 100_000);

let source: TestService;
let sourceUrl: string;
let sourceApi: Api;
let folder: string;
beforeAll(async () => {
  source = await startTestService();
  sourceUrl = await source.app.listen({ port: 0, host: '127.0.0.1' });
  sourceApi = apiOf(sourceUrl, source.personalKey);
  folder = await mkdtemp(join(tmpdir(), 'tidemark-import-project-'));
  await fill();
}, 600_000);
afterAll(async () => {
  await source?.close();
  await rm(folder, { recursive: true, force: true });
});

async function create(path: string, body: object): Promise<{ id: number; [name: string]: unknown }> {
  const response = await source.call('POST', `/api/projects/@current/${path}`, { body });
  expect([response.statusCode, response.body]).toEqual([
    expect.toSatisfy((code) => code === 201 || code === 200),
    expect.anything(),
  ]);
  return response.json();
}

/** Fills the source with objects of every kind and with events of every kind that changes something. */
async function fill(): Promise<void> {
  const batch = async (events: object[]) => {
    const response = await source.call('POST', '/batch/', { key: null, body: { api_key: source.projectKey, batch: events } });
    expect(response.statusCode).toBe(200);
  };
  const at = (index: number) => new Date(Date.UTC(2023, 0, 1) + index * 307_000).toISOString();
  await batch([
    {
      event: '$groupidentify',
      distinct_id: 'ann',
      timestamp: at(0),
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme', seats: 5 } },
    },
    {
      event: '$pageview',
      distinct_id: 'ann-anonymous',
      timestamp: at(1),
      properties: { $current_url: 'https://example.com/', $browser: 'Firefox' },
    },
    {
      event: '$identify',
      distinct_id: 'ann',
      timestamp: at(2),
      properties: { $anon_distinct_id: 'ann-anonymous', $set: { email: 'ann@example.com' }, $set_once: { first: 1 } },
    },
    { event: '$create_alias', distinct_id: 'ann', timestamp: at(3), properties: { alias: 'ann-phone' } },
    {
      event: '$autocapture',
      distinct_id: 'bob',
      timestamp: at(4),
      properties: { $elements_chain: 'button.big:text="Buy"nth-child="1"', $groups: { company: 'acme' } },
    },
    {
      event: 'nobody',
      distinct_id: 'visitor',
      timestamp: at(5),
      properties: { $process_person_profile: false, deep: { list: [1, null, 'ü'] } },
    },
    { event: 'unset', distinct_id: 'bob', timestamp: at(6), properties: { $set: { plan: 'free', old: true } } },
    { event: 'unset', distinct_id: 'bob', timestamp: at(7), properties: { $set: { plan: 'pro' }, $unset: ['old'] } },
  ]);
  const size = 2_000;
  for (let from = 8; from < EVENTS; from += size) {
    const count = Math.min(size, EVENTS - from);
    await batch(
      Array.from({ length: count }, (_, one) => {
        const index = from + one;
        // several events have the same time
        return {
          event: `event ${index % 5}`,
          distinct_id: `user-${index % 500}`,
          timestamp: at(index - (index % 3)),
          properties: { index, amount: index / 8, text: 'x'.repeat(index % 50) },
        };
      }),
    );
  }
  const everybody = await create('cohorts/', {
    name: 'Pros',
    filters: { properties: { type: 'AND', values: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] } },
  });
  await create('cohorts/', {
    name: 'Pros of pros',
    filters: { properties: { type: 'AND', values: [{ type: 'cohort', key: 'id', value: everybody.id }] } },
  });
  await create('cohorts/', { name: 'Interviewed', is_static: true, _create_static_person_ids: ['ann', 'user-7'] });
  const action = await create('actions/', {
    name: 'Bought',
    tags: ['money'],
    steps: [{ event: '$autocapture', text: 'Buy', text_matching: 'exact' }],
  });
  await create('insight_variables/', { name: 'Country', type: 'String', default_value: 'DE' });
  const flag = await create('feature_flags/', {
    key: 'checkout',
    name: 'The checkout on one page',
    tags: ['web'],
    filters: {
      groups: [{ properties: [{ key: 'id', type: 'cohort', value: everybody.id }], rollout_percentage: 40 }],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 50 },
          { key: 'b', rollout_percentage: 50 },
        ],
      },
      payloads: { a: '{"color":"red"}' },
    },
  });
  await create('feature_flags/', {
    key: 'depends',
    active: false,
    filters: {
      groups: [
        {
          properties: [{ key: String(flag.id), type: 'flag', value: true, operator: 'flag_evaluates_to' }],
          rollout_percentage: 100,
        },
      ],
    },
  });
  await create('experiments/', {
    name: 'Button',
    feature_flag_key: 'button',
    description: 'Green sells more',
    parameters: {
      feature_flag_variants: [
        { key: 'control', rollout_percentage: 50 },
        { key: 'test', rollout_percentage: 50 },
      ],
    },
    metrics: [{ kind: 'ExperimentMetric', metric_type: 'mean', source: { kind: 'EventsNode', event: 'event 1' } }],
  });
  // one that is paused, and one whose flag gives everybody what won
  for (const [key, stages] of [
    ['paused', ['launch', 'pause']],
    ['shipped', ['launch', 'ship_variant']],
  ] as const) {
    const { id } = await create('experiments/', { name: key, feature_flag_key: key, metrics: [] });
    for (const stage of stages)
      await create(`experiments/${id}/${stage}/`, stage === 'ship_variant' ? { variant_key: 'test' } : {});
  }
  await create('surveys/', {
    name: 'Of the same people',
    type: 'popover',
    targeting_flag_id: flag.id,
    questions: [{ type: 'open', question: 'Why?' }],
  });
  await create('surveys/', {
    name: 'Happy?',
    type: 'popover',
    linked_flag_id: flag.id,
    questions: [{ type: 'open', question: 'Are you happy?' }],
    targeting_flag_filters: {
      groups: [{ properties: [{ key: 'plan', type: 'person', value: ['pro'], operator: 'exact' }], rollout_percentage: 100 }],
    },
  });
  await create('early_access_feature/', { name: 'Beta', stage: 'beta', description: 'New things' });
  const trend = await create('insights/', {
    name: 'Purchases',
    saved: true,
    query: {
      kind: 'InsightVizNode',
      source: {
        kind: 'TrendsQuery',
        series: [{ kind: 'ActionsNode', id: action.id }],
        properties: [{ key: 'id', type: 'cohort', value: everybody.id }],
        breakdownFilter: { breakdown_type: 'cohort', breakdown: [everybody.id, 'all'] },
      },
    },
  });
  await create('insights/', {
    name: 'Older form',
    saved: true,
    filters: { insight: 'TRENDS', events: [{ id: 'event 2', type: 'events' }], date_from: '-30d' },
  });
  const dashboard = await create('dashboards/', {
    name: 'Overview',
    description: 'All of it',
    pinned: true,
    tags: ['main'],
    tiles: [
      { insight: { id: trend.id }, layouts: { sm: { x: 0, y: 0, w: 6, h: 5 } }, color: 'blue' },
      { text: { body: '# Words' }, layouts: { sm: { x: 6, y: 0, w: 6, h: 2 } } },
    ],
  });
  const shared = await source.call('PATCH', `/api/projects/@current/dashboards/${dashboard.id}/sharing/`, {
    body: { enabled: true, password_required: true, settings: { dateRange: true, downloads: true, theme: 'dark' } },
  });
  expect([shared.statusCode, shared.body]).toEqual([200, expect.anything()]);
  // a second one, with the same insight
  await create('dashboards/', { name: 'Board of one', tiles: [{ insight: { id: trend.id }, layouts: {} }] });
  await create('dashboard_templates/', { template_name: 'Mondays', tiles: [{ type: 'TEXT', body: 'Numbers' }] });
  await create('scheduled_changes/', {
    record_id: String(flag.id),
    model_name: 'FeatureFlag',
    payload: { operation: 'update_status', value: false },
    scheduled_at: '2099-01-01T00:00:00Z',
  });
  await create('annotations/', { content: 'Launch', date_marker: '2023-01-02T00:00:00Z', scope: 'project' });
  await create('annotations/', {
    content: 'Dip',
    date_marker: '2023-01-03T00:00:00Z',
    scope: 'dashboard',
    dashboard_id: dashboard.id,
  });
  const settings = {
    events_retention_days: 3650,
    timezone: 'Europe/Berlin',
    week_start_day: 1,
    test_account_filters: [{ key: 'id', type: 'cohort', value: everybody.id, operator: 'not_in' }],
  };
  const changed = await source.call('PATCH', '/api/projects/@current/', { body: settings });
  expect([changed.statusCode, changed.body]).toEqual([200, expect.anything()]);
  // names of events are listed a moment after the events are stored
  const definition = await vi.waitFor(
    async () => {
      const [found] = (await source.call('GET', '/api/projects/@current/event_definitions/?search=nobody')).json().results;
      expect(found).toBeDefined();
      return found;
    },
    { timeout: 60_000 },
  );
  await source.call('PATCH', `/api/projects/@current/event_definitions/${definition.id}/`, {
    body: { description: 'Nobody did it', verified: true, tags: ['odd'] },
  });
}

async function withTarget(work: (target: Api, env: Record<string, string>) => Promise<void>): Promise<void> {
  const target = await startTestService();
  try {
    const url = await target.app.listen({ port: 0, host: '127.0.0.1' });
    await work(apiOf(url, target.personalKey), {
      TIDEMARK_HOST: url,
      TIDEMARK_PERSONAL_API_KEY: target.personalKey,
      POSTHOG_HOST: sourceUrl,
      POSTHOG_PERSONAL_API_KEY: source.personalKey,
    });
  } finally {
    await target.close();
  }
}

/** Waits until a copy has what the source has: names of events and properties are listed a moment after they are stored. */
const expectCopy = (target: Api): Promise<void> =>
  vi.waitFor(
    async () => expect(differences(await readProject(sourceApi), await readProject(target, { isCopy: true }))).toEqual([]),
    { timeout: 60_000, interval: 250 },
  );

test('a filled project imported by its API compares equal, and importing it again changes nothing', async () => {
  await withTarget(async (target, env) => {
    const state = join(folder, `state-${systemIds.uuid()}.json`);
    const report = join(folder, 'report-posthog.json');
    const first = await runCommand(['import', 'posthog', '--state', state, '--report', report], env);
    expect(first).toMatchObject({ code: 0 });
    const { kinds } = JSON.parse(await readFile(report, 'utf8'));
    expect(kinds.events).toMatchObject({ imported: EVENTS, skipped: 0 });
    const skipped = Object.entries(kinds).filter(([, kind]) => (kind as { skipped: number }).skipped > 0);
    expect(skipped.map(([kind]) => kind)).toEqual([]);
    expect(await eventSums(target)).toEqual(await eventSums(sourceApi));
    await expectCopy(target);

    const again = await runCommand(['import', 'posthog', '--state', state], env);
    expect(again).toMatchObject({ code: 0 });
    await expectCopy(target);
    expect(await eventSums(target)).toEqual(await eventSums(sourceApi));

    // without its state, a run finds what is there by its content
    const lost = join(folder, `state-${systemIds.uuid()}.json`);
    expect(await runCommand(['import', 'posthog', '--state', lost, '--events', 'none'], env)).toMatchObject({ code: 0 });
    await expectCopy(target);
  });
});

test('an export imported into another service compares equal', async () => {
  const archive = join(folder, `export-${systemIds.uuid()}`);
  const env = { TIDEMARK_HOST: sourceUrl, TIDEMARK_PERSONAL_API_KEY: source.personalKey };
  const exported = await runCommand(['export', archive], env);
  expect(exported).toMatchObject({ code: 0 });
  expect(await readdir(archive)).toEqual(expect.arrayContaining(['events', 'manifest.json', 'objects', 'persons.jsonl.gz']));
  const again = await runCommand(['export', archive], env);
  expect(again.code).toBe(0);
  await withTarget(async (target, targetEnv) => {
    const imported = await runCommand(
      ['import', 'archive', archive, '--state', join(folder, `s-${systemIds.uuid()}.json`)],
      targetEnv,
    );
    expect(imported).toMatchObject({ code: 0 });
    expect(await eventSums(target)).toEqual(await eventSums(sourceApi));
    await expectCopy(target);
  });
});

test('a dry run of a project writes nothing', async () => {
  await withTarget(async (target, env) => {
    const dry = await runCommand(
      ['import', 'posthog', '--dry-run', '--events', 'api', '--since', '2023-01-01', '--until', '2023-01-02'],
      env,
    );
    expect(dry).toMatchObject({ code: 0, output: expect.stringContaining('nothing was written') });
    expect(dry.output).toMatch(/feature_flags\s+6/);
    expect((await target.get('/api/projects/@current/feature_flags/')).body).toMatchObject({ count: 0 });
    expect(await eventSums(target)).toEqual([]);
  });
});

test.each([
  [
    'newest first, in two ranges',
    [
      ['--newest-first', '--until', '2023-06-01'],
      ['--newest-first', '--since', '2023-06-01'],
    ],
  ],
  ['by the events API', [['--events', 'api', '--until', '2023-01-11']]],
  ['from batch exports beside the API', [['--events', 'EXPORT']]],
])('events %s', async (name, runs) => {
  await withTarget(async (target, env) => {
    const archive = join(folder, `batch-${systemIds.uuid()}`);
    if (name.includes('batch')) {
      const from = { TIDEMARK_HOST: sourceUrl, TIDEMARK_PERSONAL_API_KEY: source.personalKey };
      expect((await runCommand(['export', archive, '--until', '2023-02-15'], from)).code).toBe(0);
    }
    for (const [nth, args] of runs.entries()) {
      const given = args.map((arg) => (arg === 'EXPORT' ? join(archive, 'events') : arg));
      const state = join(folder, `range-${systemIds.uuid()}-${nth}.json`);
      const done = await runCommand(['import', 'posthog', '--only', 'group_types,persons', '--state', state, ...given], env);
      expect(done).toMatchObject({ code: 0 });
    }
    const until = name.includes('API') && !name.includes('batch') ? '2023-01-11' : name.includes('batch') ? '2023-02-15' : null;
    expect(await eventSums(target)).toEqual(await eventSums(sourceApi, { until }));
  });
});

test('a project that has events does not get settings that would delete some of them', async () => {
  await withTarget(async (target, env) => {
    const { body } = await target.get('/api/projects/@current/');
    const { api_token } = body as { api_token: string };
    const batch = [{ event: 'of before', distinct_id: 'ann', timestamp: '2010-01-01T00:00:00Z' }];
    const sent = await target.call('POST', '/batch/', {
      key: null,
      body: { api_key: api_token, historical_migration: true, batch },
    });
    expect(sent.status).toBe(200);
    await vi.waitFor(
      async () => expect((await target.get('/api/projects/@current/')).body).toMatchObject({ ingested_event: true }),
      { timeout: 60_000, interval: 100 },
    );
    const state = join(folder, `deleting-${systemIds.uuid()}.json`);
    const imported = await runCommand(['import', 'posthog', '--only', 'settings', '--events', 'none', '--state', state], env);
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.output).toContain(
      'the target has events, and this deletes what is older: set it there (events_retention_days)',
    );
    expect((await target.get('/api/projects/@current/')).body).toMatchObject({ events_retention_days: null });
    expect(await eventSums(target)).toMatchObject([['of before', 1, expect.anything()]]);
  });
});
