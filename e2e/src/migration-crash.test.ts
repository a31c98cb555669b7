import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiOf, eventually, freePort, processTree } from '@tidemark/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));

let dataDir: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-migration-crash-'));
});
afterEach(async () => {
  const gone = child && ended(child);
  child?.kill('SIGTERM');
  await gone;
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const KEYS = { project: 'tmk_key-of-the-crashed-service', personal: 'tms_personal-key-of-the-crashed-service' };

/** Starts the service. */
async function launch() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const account = {
    TIDEMARK_INIT_EMAIL: 'owner@example.com',
    TIDEMARK_INIT_PASSWORD: 'a passphrase 4711',
    TIDEMARK_INIT_PROJECT_KEY: KEYS.project,
    TIDEMARK_INIT_PERSONAL_KEY: KEYS.personal,
  };
  const started = spawn(process.execPath, [MAIN, 'serve'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TIDEMARK_DATA: dataDir, PORT: String(port), ...account },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let output = '';
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { child: started, output: () => output, url };
}

const ended = (process: ChildProcess) =>
  new Promise<void>((resolve) =>
    process.exitCode === null && process.signalCode === null ? process.once('exit', () => resolve()) : resolve(),
  );

type Start = Awaited<ReturnType<typeof launch>>;

/** Polls with short pauses for a moment of a start. */
async function moment({ child, output }: Start, come: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await come())) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output()}`);
    await sleep(5);
  }
}

const migrations = (text: string) => text.split('"schema migrated"').length - 1;
/** Some of the PostgreSQL migrations are done, most are not. */
const inPostgres = (start: Start) => moment(start, () => migrations(start.output()) >= 3);
/** The event store has its first table. */
const inEvents = (start: Start) =>
  moment(start, async () => {
    const names = await readdir(join(dataDir, 'events'), { recursive: true }).catch(() => []);
    return names.some((name) => name.endsWith('schema_migrations.sql'));
  });

/** Checks that a start gets ready, serves and stores events. */
async function expectServing({ child, output, url }: Start): Promise<void> {
  const isReady = async () => {
    if (child.exitCode !== null) return false;
    expect((await fetch(`${url}/_ready`)).status).toBe(200);
    return true;
  };
  if (!(await eventually(isReady, { within: 240_000 })))
    throw new Error(`ended with ${child.exitCode}: ${output().slice(-4_000)}`);
  const api = apiOf(url, KEYS.personal);
  const body = { api_key: KEYS.project, batch: [{ event: 'after the crash', distinct_id: 'ann' }] };
  expect((await api.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  const query = { kind: 'HogQLQuery', query: "select count() from events where event = 'after the crash'" };
  expect((await api.post('/api/projects/@current/query/', { query })).body).toMatchObject({ results: [[1]] });
}

test.each([
  ['PostgreSQL', inPostgres, (output: string) => migrations(output) < 20],
  ['the event store', inEvents, (output: string) => !output.includes('"event store migrated"')],
] as const)(
  'kill -9 of the service in the middle of the migrations of %s: the next start migrates and serves',
  async (_, until, isMiddle) => {
    const start = await launch();
    await until(start);
    const gone = ended(start.child);
    start.child.kill('SIGKILL');
    await gone;
    expect(isMiddle(start.output())).toBe(true);
    await expectServing(await launch());
  },
);

test.each([
  ['PostgreSQL', inPostgres],
  ['the event store', inEvents],
] as const)('kill -9 of %s in the middle of its migrations: the same start migrates and serves', async (victim, until) => {
  const start = await launch();
  await until(start);
  const pid =
    victim === 'PostgreSQL'
      ? Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
      : (await processTree(start.child.pid ?? 0)).find(({ command }) => command.includes('engine-process'))?.pid;
  process.kill(pid ?? 0, 'SIGKILL');
  await expectServing(start);
});
