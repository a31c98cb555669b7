import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventMaker, eventually, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tidemark } from './testing/backup-commands.js';

let home: string;
let service: Service;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-contents-'));
  service = await startService();
});
afterAll(async () => {
  await service?.close();
  await rm(home, { recursive: true, force: true });
});

const PROJECT = '/api/projects/@current';
const make = eventMaker(Math.floor(Math.random() * 1e9));
const idOf = (body: unknown): number | string => (body as { id: number | string }).id;

/** The bytes of an answer. */
async function bytesOf(one: Service, path: string, key = one.account.personalKey): Promise<Buffer> {
  const answer = await fetch(`${one.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Records a session in several blocks. @param parts rrweb events */
async function record(session: string, parts: number): Promise<void> {
  const start = Date.now() - 60_000;
  for (let part = 0; part < parts; part++) {
    const click = (i: number) => ({
      type: 3,
      timestamp: start + part * 1_000 + i,
      data: { source: 2, type: 2, text: `${i}é`.repeat(20) },
    });
    const opened = { type: 4, timestamp: start, data: { href: 'https://shop.example/', width: 800, height: 600 } };
    const $snapshot_data = [...(part ? [] : [opened]), ...Array.from({ length: 50 }, (_, i) => click(i + 1))];
    const properties = {
      $snapshot_data,
      $session_id: session,
      $window_id: 'w',
      token: service.account.projectKey,
      distinct_id: 'ada',
    };
    const { status, body } = await service.post('/s/', [{ event: '$snapshot', properties }]);
    expect([status, body]).toEqual([200, { status: 'Ok' }]);
  }
}

/** Logs in by the password. @returns the cookie */
async function logIn(one: Service): Promise<string> {
  const { email, password } = one.account;
  const { status, headers } = await one.call('POST', '/api/login/', { key: null, body: { email, password } });
  expect(status).toBe(200);
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Makes a personal key that may read dashboards, as a person does. */
async function makeKey(name: string): Promise<string> {
  const { status, body } = await service.call('POST', '/api/personal_api_keys/', {
    key: null,
    headers: { cookie: await logIn(service) },
    body: { label: name.slice(0, 40), scopes: ['dashboard:read'] },
  });
  expect([status, body]).toMatchObject([201, { value: expect.stringMatching(/^tms_/) }]);
  return (body as { value: string }).value;
}

/** What a recording is played from: the list of its blocks, and their content. */
async function played(one: Service, session: string): Promise<{ blocks: unknown; content: string }> {
  const path = `${PROJECT}/session_recordings/${session}/snapshots/`;
  const { status, body } = await one.get(path);
  expect(status).toBe(200);
  const { sources } = body as { sources: { blob_key: string }[] };
  const [first, last] = [sources[0]?.blob_key, sources.at(-1)?.blob_key];
  const content = await bytesOf(one, `${path}?source=blob_v2&start_blob_key=${first}&end_blob_key=${last}`);
  return { blocks: sources, content: content.toString('base64') };
}

/** Makes an export and waits for its file. */
async function makeExport(format: string): Promise<number> {
  const source = { kind: 'EventsQuery', select: ['event', 'uuid'], limit: 50 };
  const { status, body } = await service.post(`${PROJECT}/exports/`, { export_format: format, export_context: { source } });
  expect(status).toBe(201);
  const id = Number(idOf(body));
  await eventually(async () => {
    const shown = await service.get(`${PROJECT}/exports/${id}/`);
    expect(shown.body).toMatchObject({ has_content: 'true', exception: null });
  });
  return id;
}

test('a backup under load has recordings, files, dashboards, flags and keys, and all of them work where it is restored', async () => {
  const name = `kept ${randomUUID()}`;
  const flag = `kept-${randomUUID()}`;
  const session = randomUUID();
  const dashboard = idOf((await service.post(`${PROJECT}/dashboards/`, { name, description: 'Line\u2028of two' })).body);
  const query = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'kept' }] } };
  expect((await service.post(`${PROJECT}/insights/`, { name, query, dashboards: [dashboard] })).status).toBe(201);
  const payload = { large: 1e21, text: '"null"' };
  const created = await service.post(`${PROJECT}/feature_flags/`, {
    key: flag,
    active: true,
    filters: {
      groups: [{ properties: [], rollout_percentage: 100 }],
      multivariate: {
        variants: [
          { key: 'control', rollout_percentage: 0 },
          { key: 'other', rollout_percentage: 100 },
        ],
      },
      payloads: { other: JSON.stringify(payload) },
    },
  });
  expect(created.status).toBe(201);
  const key = await makeKey(name);
  expect((await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } })).status).toBe(200);

  let isLoading = true;
  let acknowledged = 0;
  const load = (async () => {
    while (isLoading) {
      const batch = Array.from({ length: 50 }, () => make({ event: 'kept' }));
      const { status } = await service.post('/batch/', { api_key: service.account.projectKey, batch });
      if (status === 200) acknowledged += batch.length;
      await service.post('/s/', [
        {
          event: '$snapshot',
          properties: {
            $snapshot_data: [{ type: 3, timestamp: Date.now(), data: { source: 2, type: 2 } }],
            $session_id: `load-${acknowledged}`,
            $window_id: 'w',
            token: service.account.projectKey,
            distinct_id: 'load',
          },
        },
      ]);
      await sleep(20);
    }
  })();
  await eventually(async () => expect(acknowledged).toBeGreaterThan(200));
  await record(session, 4);
  const exports = [await makeExport('text/csv'), await makeExport('image/png')];
  const wanted = {
    played: await played(service, session),
    files: await Promise.all(exports.map((id) => bytesOf(service, `${PROJECT}/exports/${id}/content/`))),
    dashboard: await seenDashboard(service, dashboard),
    flag: await evaluated(service),
  };
  expect(wanted.flag).toMatchObject({ enabled: true, variant: 'other' });
  expect(Buffer.from(wanted.played.content, 'base64').toString()).toContain('50é');

  const folder = join(home, `backup-${session}`);
  const dataDir = join(home, `restored-${session}`);
  const backup = await tidemark(['backup', folder], { TIDEMARK_DATA: service.dataDir });
  isLoading = false;
  await load;
  expect(backup).toMatchObject({ code: 0, errors: '' });
  expect(await tidemark(['restore', folder], { TIDEMARK_DATA: dataDir })).toMatchObject({ code: 0, errors: '' });

  const copy = await startService({ dataDir, account: service.account });
  try {
    expect(await played(copy, session)).toEqual(wanted.played);
    expect(await Promise.all(exports.map((id) => bytesOf(copy, `${PROJECT}/exports/${id}/content/`)))).toEqual(wanted.files);
    expect(await seenDashboard(copy, dashboard)).toEqual(wanted.dashboard);
    expect(await evaluated(copy)).toEqual(wanted.flag);
    // the key may read dashboards, and nothing else
    const byKey = await copy.call('GET', `${PROJECT}/dashboards/${dashboard}/`, { key });
    expect([byKey.status, byKey.body]).toMatchObject([200, { name }]);
    expect((await copy.call('GET', `${PROJECT}/feature_flags/`, { key })).status).toBe(403);
    expect((await copy.call('GET', `${PROJECT}/dashboards/`, { key: `${key}x` })).status).toBe(401);
    expect(await logIn(copy)).not.toBe('');
    // what is captured next does not meet numbers that are taken
    expect((await copy.post(`${PROJECT}/dashboards/`, { name: `${name} again` })).status).toBe(201);
    expect((await copy.post('/batch/', { api_key: service.account.projectKey, batch: [make()] })).status).toBe(200);
  } finally {
    await copy.close();
  }

  async function evaluated(one: Service): Promise<unknown> {
    const answer = await fetch(`${one.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ api_key: service.account.projectKey, distinct_id: 'ada' }),
    });
    return ((await answer.json()) as { flags: Record<string, unknown> }).flags[flag];
  }
});

/** What does not change with the time of a dashboard. */
async function seenDashboard(one: Service, id: number | string) {
  const { status, body } = await one.get(`${PROJECT}/dashboards/${id}/`);
  const { name, description, tiles } = body as {
    name: string;
    description: string;
    tiles: { insight: { name: string; query: unknown } }[];
  };
  return { status, name, description, tiles: tiles.map(({ insight }) => [insight.name, insight.query]) };
}
