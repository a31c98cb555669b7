import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, freePort, processTree, startService } from '@tidemark/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/server/dist/bundle/tidemark.js', import.meta.url));

let dataDir: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-migration-crash-'));
});
afterEach(async () => {
  child?.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** A first start of the service. */
async function firstStart() {
  const port = await freePort();
  const started = spawn(process.execPath, [MAIN, 'serve'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TIDEMARK_DATA: dataDir, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let output = '';
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    child: started,
    output: () => output,
    isReady: async () => {
      const refused = (error: unknown) => {
        throw new Error(`exit code ${started.exitCode}, output: ${output.slice(-4_000)}`, { cause: error });
      };
      return (await fetch(`http://127.0.0.1:${port}/_ready`).catch(refused)).ok;
    },
  };
}

const ended = (process: ChildProcess) => new Promise((resolve) => process.once('exit', resolve));

type Start = Awaited<ReturnType<typeof firstStart>>;

/** Polls without pauses for a moment of a start. */
async function moment({ child, output }: Start, come: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await come())) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output()}`);
    await sleep(1);
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

/** Checks that the next start serves and stores events. */
async function expectServing(): Promise<void> {
  const service = await startService({ dataDir });
  try {
    const batch = [{ event: 'after the crash', distinct_id: 'ann' }];
    const body = { api_key: service.account.projectKey, batch };
    expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
    const query = { kind: 'HogQLQuery', query: "select count() from events where event = 'after the crash'" };
    const response = await service.call('POST', '/api/projects/@current/query/', { body: { query } });
    expect(response.body).toMatchObject({ results: [[1]] });
  } finally {
    await service.close();
  }
}

test.each([
  ['PostgreSQL', inPostgres, (output: string) => migrations(output) < 20],
  ['the event store', inEvents, (output: string) => !output.includes('"event store migrated"')],
] as const)(
  'kill -9 of the service in the middle of the migrations of %s: the next start migrates and serves',
  async (_, until, isMiddle) => {
    const start = await firstStart();
    await until(start);
    const gone = ended(start.child);
    start.child.kill('SIGKILL');
    await gone;
    expect(isMiddle(start.output())).toBe(true);
    await expectServing();
  },
);

test.each([
  ['PostgreSQL', inPostgres],
  ['the event store', inEvents],
] as const)('kill -9 of %s in the middle of its migrations: the same start migrates and serves', async (victim, until) => {
  const start = await firstStart();
  await until(start);
  const pid =
    victim === 'PostgreSQL'
      ? Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
      : (await processTree(start.child.pid ?? 0)).find(({ command }) => command.includes('engine-process'))?.pid;
  process.kill(pid ?? 0, 'SIGKILL');
  await eventually(async () => expect(await start.isReady()).toBe(true), { within: 240_000, every: 50 });
  const gone = ended(start.child);
  start.child.kill('SIGTERM');
  await gone;
  await expectServing();
});
