import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { runCommand } from '../testing/run-command.js';
import { OWNER_EMAIL, startTestService, type TestService } from '../testing/service.js';

let source: TestService;
let sourceUrl: string;
let folder: string;
let member: string;
const START = Date.UTC(2024, 2, 1, 12);
/** Of two windows, with more than one block. */
const SNAPSHOTS = 260;

beforeAll(async () => {
  source = await startTestService();
  sourceUrl = await source.app.listen({ port: 0, host: '127.0.0.1' });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-parts-'));
  await fill();
}, 600_000);
afterAll(async () => {
  await source?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

type Made = { id: number; [name: string]: unknown };

async function send(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object, service = source): Promise<Made> {
  const url = path.startsWith('/') ? path : `/api/projects/@current/${path}`;
  const response = await service.call(method, url, { body });
  expect([path, response.body, response.statusCode]).toEqual([path, expect.anything(), expect.toSatisfy((code) => code < 300)]);
  return response.json();
}

/** Fills the source with what belongs to objects: history, an alert, a share, rules and a recording. */
async function fill(): Promise<void> {
  await send('PATCH', '', { session_recording_opt_in: true });
  const flag = await send('POST', 'feature_flags/', { key: 'new-cart', filters: { groups: [{ rollout_percentage: 10 }] } });
  await send('PATCH', `feature_flags/${flag.id}/`, { filters: { groups: [{ rollout_percentage: 60 }] } });
  await send('POST', 'cohorts/', {
    name: 'Everybody',
    filters: { properties: { type: 'AND', values: [{ type: 'person', key: 'a', operator: 'is_set' }] } },
  });
  await send('POST', 'surveys/', { name: 'Happy?', type: 'popover', questions: [{ type: 'open', question: 'Are you?' }] });
  await send('POST', 'early_access_feature/', { name: 'Beta', stage: 'concept' });
  const query = {
    kind: 'InsightVizNode',
    source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }], interval: 'day' },
  };
  const insight = await send('POST', 'insights/', { name: 'Sign-ups', saved: true, query });
  // two that differ in nothing
  for (const _ of [1, 2]) await send('POST', 'insights/', { name: 'Twin', saved: true, query });
  const tiles = [
    { insight: { id: insight.id }, layouts: { sm: { x: 0, y: 0, w: 6, h: 5 } } },
    { text: { body: 'Words' }, layouts: { sm: { x: 6, y: 0, w: 6, h: 2 } } },
  ];
  const board = await send('POST', 'dashboards/', { name: 'Numbers', tiles });
  await send('POST', 'annotations/', { content: 'Launch', date_marker: '2024-03-01T12:00:00Z', scope: 'project' });
  await send('POST', 'alerts/', {
    name: 'Too few',
    insight: insight.id,
    calculation_interval: 'weekly',
    condition: { type: 'absolute_value' },
    threshold: { configuration: { type: 'absolute', bounds: { lower: 100 } } },
    webhook_url: 'https://hooks.example.com/services/secret',
  });
  await send('PATCH', `dashboards/${board.id}/sharing/`, { enabled: true, settings: { theme: 'dark', whitelabel: true } });
  const { id: invite } = await send('POST', '/api/organizations/@current/invites/', { target_email: 'member@example.com' });
  await send('POST', `/api/signup/${invite}/`, { first_name: 'Member', password: 'a long and strong passphrase 43' });
  const { results } = (await source.call('GET', '/api/organizations/@current/members/')).json();
  const idOf = (email: string) => results.find(({ user }: { user: { email: string } }) => user.email === email).id;
  member = idOf('member@example.com');
  const role = await send('POST', '/api/organizations/@current/roles/', { name: 'Support' });
  await send('PUT', `dashboards/${board.id}/access_controls/`, { access_level: 'none' });
  await send('PUT', `dashboards/${board.id}/access_controls/`, { access_level: 'viewer', role: role.id });
  await send('PUT', `feature_flags/${flag.id}/access_controls/`, { access_level: 'viewer', organization_member: member });
  await send('PUT', `feature_flags/${flag.id}/access_controls/`, {
    access_level: 'editor',
    organization_member: idOf(OWNER_EMAIL),
  });
  await send('PUT', 'resource_access_controls/', { resource: 'survey', access_level: 'viewer' });
  const snapshots = Array.from({ length: SNAPSHOTS }, (_, index) => ({
    event: '$snapshot',
    properties: {
      token: source.projectKey,
      distinct_id: 'ann',
      $session_id: 'session-1',
      $window_id: `window-${index % 3 === 0 ? 1 : 2}`,
      $lib: 'web',
      $snapshot_data: [
        index < 2
          ? { type: 4, timestamp: START + index, data: { href: 'https://shop.example/ü', width: 1280, height: 720 } }
          : { type: 3, timestamp: START + index * 100, data: { source: 2, type: 2, id: index, text: 'x'.repeat(8_000) } },
      ],
    },
  }));
  for (let at = 0; at < SNAPSHOTS; at += 50) {
    const response = await source.call('POST', '/s/', { key: null, body: snapshots.slice(at, at + 50) });
    expect(response.json()).toEqual({ status: 'Ok' });
  }
}

async function withTarget(work: (target: TestService, run: (...args: string[]) => Promise<Run>) => Promise<void>) {
  const target = await startTestService();
  try {
    const env = {
      TIDEMARK_HOST: await target.app.listen({ port: 0, host: '127.0.0.1' }),
      TIDEMARK_PERSONAL_API_KEY: target.personalKey,
      POSTHOG_HOST: sourceUrl,
      POSTHOG_PERSONAL_API_KEY: source.personalKey,
    };
    await work(target, async (...args) => {
      const report = join(folder, `report-${systemIds.uuid()}`);
      // each run has a state of its own: as if that of the run before were lost
      const state = join(folder, `state-${systemIds.uuid()}`);
      const done = await runCommand([...args, '--state', state, '--report', report], env);
      expect([done.code, done.errors]).toEqual([0, expect.any(String)]);
      return { ...done, ...JSON.parse(await readFile(report, 'utf8')) };
    });
  } finally {
    await target.close();
  }
}
interface Run {
  output: string;
  kinds: Record<
    string,
    { read: number; imported: number; translated: number; present: number; skipped: number; reasons: Reason[] }
  >;
}
interface Reason {
  reason: string;
  count: number;
  examples: string[];
}

const listOf = async (service: TestService, path: string) => (await service.call('GET', `/api/projects/@current/${path}`)).json();

/** All snapshots of a session as lines. */
async function snapshotsOf(service: TestService, id: string): Promise<string> {
  const path = `session_recordings/${id}/snapshots/`;
  const { sources } = await listOf(service, path);
  const texts: string[] = [];
  for (const { blob_key: key } of sources) {
    const url = `/api/projects/@current/${path}?source=blob_v2&start_blob_key=${key}&end_blob_key=${key}`;
    texts.push((await service.call('GET', url)).body);
  }
  expect(texts.length).toBeGreaterThan(1);
  return texts.join('');
}

test('recordings, alerts, shares, access rules and the history of flags are taken, or the report says why not', async () => {
  await withTarget(async (target, run) => {
    const { kinds } = await run('import', 'posthog');
    const reasonOf = (kind: string) => kinds[kind]?.reasons.map(({ reason }) => reason).join('\n');

    expect(kinds['recordings']).toMatchObject({ imported: 1, skipped: 0 });
    const [recording] = (await listOf(target, 'session_recordings/?date_from=all')).results;
    const [original] = (await listOf(source, 'session_recordings/?date_from=all')).results;
    const { person: _, ...facts } = original;
    expect(recording).toMatchObject({
      id: 'session-1',
      distinct_id: 'ann',
      click_count: facts.click_count,
      start_time: facts.start_time,
      end_time: facts.end_time,
      start_url: facts.start_url,
    });
    expect(await snapshotsOf(target, 'session-1')).toBe(await snapshotsOf(source, 'session-1'));

    expect(kinds['alerts']).toMatchObject({ translated: 1 });
    const [alert] = (await listOf(target, 'alerts/')).results;
    expect(alert).toMatchObject({
      name: 'Too few',
      insight_name: 'Sign-ups',
      calculation_interval: 'weekly',
      threshold: { configuration: { type: 'absolute', bounds: { lower: 100 } } },
      webhook_url: 'https://hooks.example.com/services/secret',
      subscribed_users: [{ email: OWNER_EMAIL }],
    });

    expect(kinds['shares']).toMatchObject({ translated: 1 });
    expect(reasonOf('shares')).toContain('switched off');
    const [board] = (await listOf(target, 'dashboards/')).results;
    expect(await listOf(target, `dashboards/${board.id}/sharing/`)).toMatchObject({
      enabled: false,
      settings: { theme: 'dark', whitelabel: true },
    });

    expect(kinds['access_rules']).toMatchObject({ imported: 4, skipped: 1 });
    expect(reasonOf('access_rules')).toContain('its member has not joined yet');
    expect(kinds['access_rules']?.reasons[0]?.examples).toEqual(['feature_flags new-cart: viewer, member@example.com']);
    const rulesOf = async (path: string) =>
      (await listOf(target, `${path}access_controls/`)).access_controls.map(
        ({ access_level, resource, role }: { access_level: string; resource: string; role: string | null }) => [
          resource,
          access_level,
          role !== null,
        ],
      );
    expect((await rulesOf(`dashboards/${board.id}/`)).sort()).toEqual([
      ['dashboard', 'none', false],
      ['dashboard', 'viewer', true],
    ]);
    expect(await rulesOf('resource_')).toEqual([['survey', 'viewer', false]]);
    const roles = (await target.call('GET', '/api/organizations/@current/roles/')).json().results;
    expect(roles).toMatchObject([{ name: 'Support', members: [] }]);
    expect(reasonOf('roles')).toContain('add them');

    // the third is the flag of the early access feature
    expect(kinds['flag_history']).toMatchObject({ read: 3, imported: 3, skipped: 0 });
    const [flag] = (await listOf(target, 'feature_flags/?search=new-cart')).results;
    const history = async (service: TestService, id: number) => (await listOf(service, `feature_flags/${id}/activity/`)).results;
    const [before] = (await listOf(source, 'feature_flags/?search=new-cart')).results;
    const there = await history(source, before.id);
    const here = await history(target, flag.id);
    // the import itself made the flag here
    expect(here[0]).toMatchObject({ activity: 'created', user: { email: OWNER_EMAIL } });
    expect(here.slice(1)).toEqual(
      there.map(({ activity, created_at, detail }: Record<string, unknown>) =>
        expect.objectContaining({
          activity,
          created_at,
          detail,
          user: null,
          item_id: String(flag.id),
          imported: expect.objectContaining({ author: 'owner@example.com', by: expect.objectContaining({ email: OWNER_EMAIL }) }),
        }),
      ),
    );
    const again = await run('import', 'posthog', '--events', 'none', '--only', 'feature_flags,flag_history');
    expect(again.kinds['flag_history']).toMatchObject({ present: 3, imported: 0 });
    expect(await history(target, flag.id)).toEqual(here);
  });
});

/** The paths of what an import creates. */
const CREATED = [
  'insights',
  'dashboards',
  'annotations',
  'cohorts',
  'surveys',
  'early_access_feature',
  'alerts',
  'feature_flags',
];

test('a run without the state of the one before makes nothing twice', async () => {
  await withTarget(async (target, run) => {
    // what has the same name here, but another content, is another object
    await send('POST', 'dashboards/', { name: 'Numbers', tiles: [{ text: { body: 'Others' }, layouts: {} }] }, target);
    await run('import', 'posthog', '--events', 'none');
    const counts = async () =>
      Promise.all(CREATED.map(async (kind) => [kind, (await listOf(target, `${kind}/?limit=100`)).results.length]));
    const before = await counts();
    expect(Object.fromEntries(before)).toMatchObject({ insights: 3, dashboards: 2, annotations: 1, surveys: 1, alerts: 1 });
    const again = await run('import', 'posthog', '--events', 'none');
    expect(await counts()).toEqual(before);
    for (const kind of ['insights', 'dashboards', 'annotations', 'cohorts', 'surveys', 'early_access_features', 'alerts'])
      expect([kind, again.kinds[kind]]).toEqual([kind, expect.objectContaining({ imported: 0, translated: 0, skipped: 0 })]);
    expect(again.kinds['insights']?.present).toBe(3);
    expect(await snapshotsOf(target, 'session-1')).toBe(await snapshotsOf(source, 'session-1'));
  });
});

test('a run without the state makes nothing twice that was changed here, and what was deleted here again', async () => {
  await withTarget(async (target, run) => {
    await run('import', 'posthog', '--events', 'none');
    const all = async (kind: string) => (await listOf(target, `${kind}/?limit=100`)).results;
    // every object has another name, key or text
    for (const kind of CREATED) {
      for (const [at, { id }] of (await all(kind)).entries()) {
        const name = `our ${kind} ${at}`;
        const body = kind === 'annotations' ? { content: name } : kind === 'feature_flags' ? { key: `ours-${at}` } : { name };
        await send('PATCH', `${kind}/${id}/`, body, target);
      }
    }
    const [board] = await all('dashboards');
    await send('PATCH', `dashboards/${board.id}/sharing/`, { enabled: true }, target);
    const before = await Promise.all(CREATED.map(all));
    const again = await run('import', 'posthog', '--events', 'none');
    expect(await Promise.all(CREATED.map(all))).toEqual(before);
    for (const kind of ['insights', 'dashboards', 'annotations', 'cohorts', 'surveys', 'early_access_features', 'alerts'])
      expect([kind, again.kinds[kind]]).toEqual([kind, expect.objectContaining({ imported: 0, translated: 0, skipped: 0 })]);
    // somebody published it here
    expect(await listOf(target, `dashboards/${board.id}/sharing/`)).toMatchObject({ enabled: true });

    const [gone] = await all('annotations');
    await send('PATCH', `annotations/${gone.id}/`, { deleted: true }, target);
    const last = await run('import', 'posthog', '--events', 'none', '--only', 'annotations');
    expect(last.kinds['annotations']).toMatchObject({ imported: 1, present: 0 });
    expect(await all('annotations')).toMatchObject([{ content: 'Launch' }]);
  });
});

test('recordings are not taken where recording is off, and the next run takes them', async () => {
  await withTarget(async (target, run) => {
    const off = await run('import', 'posthog', '--events', 'none', '--only', 'recordings');
    expect(off.kinds['recordings']).toMatchObject({ imported: 0, skipped: 1 });
    expect(off.output).toContain('turn recordings on in its settings');
    await send('PATCH', '', { session_recording_opt_in: true }, target);
    const later = await run('import', 'posthog', '--events', 'none', '--only', 'recordings', '--since', '2024-03-02');
    expect(later.kinds['recordings']).toBeUndefined();
    const on = await run('import', 'posthog', '--events', 'none', '--only', 'recordings');
    expect(on.kinds['recordings']).toMatchObject({ imported: 1, skipped: 0 });
  });
});
