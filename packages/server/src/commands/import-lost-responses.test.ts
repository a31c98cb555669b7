import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { createObject, newProject } from '../testing/project-calls.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

/** A connection that breaks leaves open whether an object was created. */
let service: TestService;
let url: string;
let folder: string;
/** The number of the project that is imported. */
let source: number;
/** A project of each test, and the environment of imports into it. */
let target: number;
let env: Record<string, string>;

/** Kinds with how many of them the source has. */
const KINDS = {
  cohorts: 1,
  actions: 1,
  insight_variables: 1,
  feature_flags: 2,
  experiments: 1,
  surveys: 1,
  early_access_feature: 1,
  insights: 4,
  dashboards: 1,
  annotations: 1,
  alerts: 1,
};

const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }], interval: 'day' };

beforeAll(async () => {
  service = await startTestService();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-import-lost-'));
  source = await newProject(service, 'Shop');
  const flag = await createObject(service, source, 'feature_flags/', { key: 'new-cart' });
  const insight = await createObject(service, source, 'insights/', { name: 'Purchases', saved: true, query });
  // two that differ in nothing
  for (const _ of [1, 2]) await createObject(service, source, 'insights/', { name: 'Twin', saved: true, query });
  // and one without a name
  await createObject(service, source, 'insights/', { saved: true, query: { ...query, interval: 'month' } });
  await createObject(service, source, 'cohorts/', { name: 'Interviewed', is_static: true });
  await createObject(service, source, 'actions/', { name: 'Bought', steps: [{ event: 'bought' }] });
  await createObject(service, source, 'insight_variables/', { name: 'Country', type: 'String', default_value: 'DE' });
  await createObject(service, source, 'experiments/', { name: 'Button', feature_flag_key: 'button' });
  await createObject(service, source, 'surveys/', {
    ...{ name: 'Happy?', type: 'popover', linked_flag_id: flag.id },
    questions: [{ type: 'open', question: 'Are you?' }],
  });
  await createObject(service, source, 'early_access_feature/', { name: 'Beta', stage: 'concept', feature_flag_id: flag.id });
  await createObject(service, source, 'dashboards/', { name: 'Overview', tiles: [{ insight: { id: insight.id } }] });
  await createObject(service, source, 'annotations/', {
    content: 'Launch',
    date_marker: '2023-01-02T00:00:00Z',
    scope: 'project',
  });
  await createObject(service, source, 'alerts/', {
    ...{ name: 'Too few', insight: insight.id, condition: { type: 'absolute_value' } },
    threshold: { configuration: { type: 'absolute', bounds: { lower: 100 } } },
  });
});
beforeEach(async () => {
  target = await newProject(service, 'Copy');
  env = {
    TIDEMARK_PERSONAL_API_KEY: service.personalKey,
    TIDEMARK_PROJECT: String(target),
    POSTHOG_HOST: url,
    POSTHOG_PERSONAL_API_KEY: service.personalKey,
  };
});
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const listOf = async (path: string) => (await service.call('GET', `/api/projects/${target}/${path}/?limit=100`)).json().results;

/** What a proxy does with the first request that creates an object of a kind, and with those of insights: with all, or with each first attempt. */
type Fault = 'loses the response' | 'loses the request';

/** Runs an import into the target through a proxy. */
async function importThrough(fault: Fault, kinds: readonly string[], ...args: string[]) {
  const left = new Set(kinds);
  let insights = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const kind = /^\/api\/projects\/\d+\/(\w+)\/$/.exec(request.url ?? '')?.[1] ?? '';
    if (request.method === 'POST' && kind === 'insights') insights++;
    const isInsight = kind === 'insights' && kinds.includes(kind) && (fault === 'loses the response' || insights % 2 === 1);
    const isLost = request.method === 'POST' && (left.delete(kind) || isInsight);
    if (isLost && fault === 'loses the request') return request.socket.destroy();
    const answer = await fetch(url + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const content = await answer.text();
    if (isLost) return request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(content || undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const TIDEMARK_HOST = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  try {
    const done = await runCommand(['import', 'posthog', '--project', String(source), '--events', 'none', ...args], {
      ...env,
      TIDEMARK_HOST,
    });
    return { ...done, unreached: [...left] };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each(['loses the response', 'loses the request'] as const)(
  'a connection that %s of each first creation: every object is there once',
  { timeout: 120_000 },
  async (fault) => {
    const report = join(folder, systemIds.uuid());
    const state = join(folder, systemIds.uuid());
    const done = await importThrough(fault, Object.keys(KINDS), '--state', state, '--report', report);
    expect(done).toMatchObject({ code: 0, unreached: [] });
    const counts = await Promise.all(Object.keys(KINDS).map(async (kind) => [kind, (await listOf(kind)).length]));
    expect(Object.fromEntries(counts)).toEqual(KINDS);
    const { kinds } = JSON.parse(await readFile(report, 'utf8'));
    const skipped = Object.entries<{ skipped: number; reasons: object[] }>(kinds).filter(([, kind]) => kind.skipped > 0);
    expect(skipped).toEqual([]);
  },
);

test('an import that ends before its request arrives takes no object of the same name for its own', {
  timeout: 120_000,
}, async () => {
  const ours = await createObject(service, target, 'insights/', {
    name: 'Purchases',
    saved: true,
    query: { ...query, interval: 'week' },
  });
  const state = join(folder, systemIds.uuid());
  const only = ['--only', 'insights', '--state', state, '--patience', '0'];
  // as if it was killed
  expect(await importThrough('loses the request', ['insights'], ...only)).toMatchObject({ code: 1 });
  const { subject, ...rest } = JSON.parse(await readFile(state, 'utf8'));
  expect(rest.pending).toMatchObject({ kind: 'insights', others: [ours.id] });
  const port = /127\.0\.0\.1:(\d+) project \d+ \(Copy\)/.exec(subject)?.[1] ?? '';
  expect(port).not.toBe('');
  // a state names the address of its target
  const moved = join(folder, systemIds.uuid());
  await writeMoved(state, moved, port);
  const again = await runCommand(
    ['import', 'posthog', '--project', String(source), '--events', 'none', '--only', 'insights', '--state', moved],
    { ...env, TIDEMARK_HOST: url },
  );
  expect(again).toMatchObject({ code: 0 });
  const insights = await listOf('insights');
  expect(insights.map(({ name }: { name: string | null }) => name ?? '').sort()).toEqual([
    '',
    'Purchases',
    'Purchases',
    'Twin',
    'Twin',
  ]);
  expect(insights.find(({ id }: { id: number }) => id === ours.id).query.interval).toBe('week');
});

/** Copies a state, as if its target were reached directly. */
async function writeMoved(from: string, to: string, port: string): Promise<void> {
  const text = await readFile(from, 'utf8');
  await writeFile(to, text.replaceAll(`http://127.0.0.1:${port} project ${target} `, `${url} project ${target} `));
}
