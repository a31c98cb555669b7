import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { keyWith } from '../testing/key-with.js';
import { createObject, newProject } from '../testing/project-calls.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

/** Two imports of objects at once would both make what neither has found. */
let service: TestService;
let url: string;
let folder: string;
/** The number of the project that is imported. */
let source: number;
/** A project of each test, and the environment of imports into it. */
let target: number;
let env: Record<string, string>;

const KINDS = ['cohorts', 'actions', 'feature_flags', 'insights', 'dashboards', 'annotations'];

beforeAll(async () => {
  service = await startTestService();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  folder = await mkdtemp(join(tmpdir(), 'tidemark-import-leases-'));
  source = await newProject(service, 'Shop');
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }] };
  const insight = await createObject(service, source, 'insights/', { name: 'Purchases', saved: true, query });
  await createObject(service, source, 'cohorts/', { name: 'Interviewed', is_static: true });
  await createObject(service, source, 'actions/', { name: 'Bought', steps: [{ event: 'bought' }] });
  await createObject(service, source, 'feature_flags/', { key: 'new-cart' });
  await createObject(service, source, 'dashboards/', { name: 'Overview', tiles: [{ insight: { id: insight.id } }] });
  await createObject(service, source, 'annotations/', {
    content: 'Launch',
    date_marker: '2023-01-02T00:00:00Z',
    scope: 'project',
  });
});
beforeEach(async () => {
  target = await newProject(service, 'Copy');
  env = {
    TIDEMARK_HOST: url,
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

const newState = () => join(folder, `state-${systemIds.uuid()}.json`);
const argsOf = (state: string, ...more: string[]) => [
  ...['import', 'posthog', '--project', String(source), '--events', 'none', '--state', state],
  ...more,
];
const run = (state: string, ...more: string[]) => runCommand(argsOf(state, ...more), env);
/** The same command as that of the proxy: a state names the address of the target. */
const runAgain = (proxy: Proxy, state: string) => {
  proxy.release();
  return runCommand(argsOf(state), proxy.env);
};

/** How many objects of each kind a project has. */
async function countsOf(project: number): Promise<(readonly [string, number])[]> {
  return Promise.all(
    KINDS.map(
      async (kind) => [kind, (await service.call('GET', `/api/projects/${project}/${kind}/`)).json().results.length] as const,
    ),
  );
}
const ONCE = KINDS.map((kind) => [kind, 1]);

interface Proxy {
  /** Of imports through it. */
  env: Record<string, string>;
  /** Resolves when the response is there. */
  reached: Promise<void>;
  /** Lets the response through. */
  release: () => void;
}

/** A way to the service that keeps the response back which lists the annotations of the target, the last objects that an import makes. */
async function withProxy(work: (proxy: Proxy) => Promise<void>): Promise<void> {
  let reach = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(url + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const content = await answer.text();
    if (request.method === 'GET' && request.url?.startsWith(`/api/projects/${target}/annotations/`)) {
      reach();
      await released;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(content || undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = { ...env, TIDEMARK_HOST: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
  try {
    await work({ env: through, reached, release });
  } finally {
    release();
    server.closeAllConnections();
    server.close();
  }
}

const REFUSAL =
  /^The import of http:\S+ project \d+ \(Shop\), begun by owner@example\.com at \S+Z, has this project until \S+Z, and longer while it runs\. Nothing was written: run this command again when that import has ended\.\n$/;

test('of two imports at once, each with a state of its own, the second is refused, and nothing is made twice', async () => {
  await withProxy(async (proxy) => {
    const first = runCommand(argsOf(newState()), proxy.env);
    await proxy.reached;
    const state = newState();
    expect(await run(state)).toMatchObject({ code: 1, errors: expect.stringMatching(REFUSAL) });
    // what writes nothing, and what may be written twice
    expect(await run(newState(), '--dry-run')).toMatchObject({ code: 0 });
    expect(await run(newState(), '--only', 'persons,groups')).toMatchObject({ code: 0 });
    proxy.release();
    expect(await first).toMatchObject({ code: 0 });
    expect(await countsOf(target)).toEqual(ONCE);
    expect(await run(state)).toMatchObject({ code: 0 });
    expect(await countsOf(target)).toEqual(ONCE);
  });
});

test('keys for one kind of objects alone keep each other out, too', async () => {
  const keys = await Promise.all([1, 2].map(() => keyWith(service, 'project:read', 'annotation:write')));
  const [first, second] = keys.map((TIDEMARK_PERSONAL_API_KEY) => ({ ...env, TIDEMARK_PERSONAL_API_KEY }));
  await withProxy(async (proxy) => {
    const only = ['--only', 'annotations'];
    const running = runCommand(argsOf(newState(), ...only), { ...first, TIDEMARK_HOST: proxy.env['TIDEMARK_HOST'] ?? '' });
    await proxy.reached;
    expect(await runCommand(argsOf(newState(), ...only), second)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(REFUSAL),
    });
    proxy.release();
    expect(await running).toMatchObject({ code: 0, output: expect.not.stringContaining('does not keep other imports out') });
  });
  expect((await countsOf(target)).find(([kind]) => kind === 'annotations')).toEqual(['annotations', 1]);
});

test.each([
  ['another import has the project after a minute', 'other', 61_000],
  ['the same command has it at once, by its state file', 'own', 0],
] as const)('kill -9 of an import: %s', async (_, which, waitMs) => {
  await withProxy(async (proxy) => {
    const [own, other] = [newState(), newState()];
    const main = fileURLToPath(new URL('../../dist/bundle/tidemark.js', import.meta.url));
    const child = spawn(process.execPath, [main, ...argsOf(own)], { env: { ...process.env, ...proxy.env }, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await proxy.reached;
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await run(other)).toMatchObject({ code: 1, errors: expect.stringMatching(REFUSAL) });
    service.clock.advance(waitMs);
    expect(await (which === 'own' ? runAgain(proxy, own) : run(other))).toMatchObject({ code: 0 });
    expect(await countsOf(target)).toEqual(ONCE);
  });
});

test.each([
  ['stops before it writes anything if another import has had the project', true],
  ['continues if nobody has', false],
])('an import whose machine was suspended for longer than its lease %s', async (_, isTaken) => {
  await withProxy(async (proxy) => {
    const state = newState();
    const first = runCommand(argsOf(state), proxy.env, { piped: '' }, service.clock);
    await proxy.reached;
    service.clock.advance(61_000);
    if (isTaken) expect(await run(newState())).toMatchObject({ code: 0 });
    const before = isTaken ? ONCE : ONCE.map(([kind, count]) => [kind, kind === 'annotations' ? 0 : count]);
    expect(await countsOf(target)).toEqual(before);
    proxy.release();
    const done = await first;
    expect(done).toMatchObject(isTaken ? { code: 1, errors: expect.stringContaining('has lost the project') } : { code: 0 });
    expect(await countsOf(target)).toEqual(ONCE);
    expect(await runAgain(proxy, state)).toMatchObject({ code: 0 });
    expect(await countsOf(target)).toEqual(ONCE);
  });
});
