import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { backgroundKinds } from '../background-work.js';
import type { Deps } from '../deps.js';
import { createRunner, type Runner } from '../jobs/index.js';
import { eventRow } from '../testing/events.js';
import { type ManualScheduler, manualScheduler } from '../testing/manual-scheduler.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService, type TestService } from '../testing/service.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

let home: string;
let folder: string;
let service: TestService;
let time: ManualScheduler;
/** Two servers on the same stores, in time that the test moves. */
let servers: Runner[];
/** Backups that wait at their folder until the function is called; null: none is to wait. */
let held: (() => void)[] | null = null;
let opened = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-schedule-'));
  folder = join(home, 'backups');
  service = await startTestService({ backup: { target: folder, every: 'daily', keep: 2 }, roles: ['api'] });
  time = manualScheduler();
  servers = Array.from({ length: 2 }, () => startServer());
});
afterAll(async () => {
  for (const server of servers ?? []) await server.stop();
  await service?.close();
  await rm(home, { recursive: true, force: true });
});

function startServer(): Runner {
  const openFolder: Deps['openFolder'] = async (place, options) => {
    opened++;
    if (held) await new Promise<void>((resolve) => held?.push(resolve));
    return service.deps.openFolder(place, options);
  };
  const log = pino({ level: 'silent' });
  const deps = { ...service.deps, clock: time.clock, scheduler: time, metrics: new Registry(), log, openFolder };
  const { backups } = backgroundKinds(service.app, deps).schedules;
  if (!backups) throw new Error('There is no schedule of backups.');
  const runner = createRunner({ ...deps, ids: systemIds });
  runner.start({ schedules: { backups }, queues: {} });
  return runner;
}

/** Moves the time of all servers, and lets each look for work. */
async function pass(ms: number): Promise<void> {
  await time.suspend(ms);
  await Promise.all(servers.map((server) => server.wake()));
}

/** Waits until no server has the lease. */
const idle = () =>
  vi.waitFor(
    async () => {
      const rows = await service.deps.db.selectFrom('jobs').select('leased_by').where('kind', '=', 'backups').execute();
      expect(rows.map(({ leased_by }) => leased_by)).toEqual([null]);
    },
    { timeout: 120_000, interval: 20 },
  );

/** Lets so much time pass, and the run that is due then end. */
async function after(ms: number): Promise<void> {
  await pass(ms);
  await idle();
}

const states = async () =>
  (await service.deps.db.selectFrom('backups').select('state').orderBy('id').execute()).map(({ state }) => state);

/** Days of the backups that "tidemark restore --list" shows. */
async function listed(): Promise<string[]> {
  const { code, output } = await runCommand(['restore', folder, '--list'], { TIDEMARK_DATA: join(home, 'unused') });
  expect(code).toBe(0);
  return output
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 10));
}

const health = async () => (await service.call('GET', '/_health', { key: null })).json().backup;
async function metric(name: string): Promise<number> {
  const { body } = await service.call('GET', '/metrics', { key: null });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
}

async function addEvent(): Promise<void> {
  const row = eventRow(opened, { project_id: service.projectId, timestamp: time.clock.now() });
  await service.deps.events.insert('events', [row], { token: systemIds.uuid() });
}

test('a daily backup is made at its time by one of two servers, and older ones are deleted as the setting says', async () => {
  expect(await health()).toEqual({ ok: true, last_done_at: null, last_failed_at: null });
  expect(await metric('tidemark_backup_last_success_timestamp_seconds')).toBe(0);
  await Promise.all(servers.map((server) => server.wake()));
  await addEvent();

  // the first one is due at once; while a server makes it, the other one does not
  held = [];
  await pass(SECOND);
  await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 60_000 });
  for (let i = 0; i < 6; i++) {
    await time.advance(10 * SECOND);
    await Promise.all(servers.map((server) => server.wake()));
  }
  expect([opened, await states()]).toEqual([1, ['running']]);
  const [release] = held;
  held = null;
  release?.();
  await idle();
  expect(await states()).toEqual(['done']);
  expect(await listed()).toEqual(['2026-05-01']);

  await addEvent();
  await after(DAY - 5 * MINUTE);
  expect(await states()).toEqual(['done']);
  await after(5 * MINUTE);
  expect(await states()).toEqual(['done', 'done']);
  expect(await listed()).toEqual(['2026-05-01', '2026-05-02']);
  await after(DAY);
  expect(await listed()).toEqual(['2026-05-02', '2026-05-03']);
  expect(opened).toBe(3);
  expect(await health()).toEqual({ ok: true, last_done_at: expect.stringMatching(/^2026-05-03/), last_failed_at: null });
  expect(await metric('tidemark_backup_failed')).toBe(0);
});

test('a backup that fails in its middle is reported, deletes no earlier one, and is tried again after ten minutes', async () => {
  const before = { listed: await listed(), states: await states() };
  const success = await metric('tidemark_backup_last_success_timestamp_seconds');
  await service.deps.blobs.put('aside/file', Buffer.from('content'));
  await addEvent();
  // events and PostgreSQL can be copied; in the place of the file is a folder
  await mkdir(join(folder, 'data/blobs/aside/file'), { recursive: true });
  await after(DAY + MINUTE);
  expect(await states()).toEqual([...before.states, 'failed']);
  expect(await listed()).toEqual(before.listed);
  const { body } = await service.call('GET', '/_health', { key: null });
  expect(JSON.parse(body)).toMatchObject({
    status: 'ok',
    backup: { ok: false, last_done_at: expect.stringContaining(before.listed.at(-1) ?? ''), last_failed_at: expect.any(String) },
  });
  expect(await metric('tidemark_backup_failed')).toBe(1);
  expect(await metric('tidemark_backup_last_success_timestamp_seconds')).toBe(success);

  await after(9 * MINUTE);
  expect(await states()).toEqual([...before.states, 'failed']);
  await after(MINUTE);
  expect(await states()).toEqual([...before.states, 'failed', 'failed']);
  expect(await listed()).toEqual(before.listed);

  await rm(join(folder, 'data/blobs'), { recursive: true });
  await after(10 * MINUTE);
  expect(await states()).toEqual([...before.states, 'failed', 'failed', 'done']);
  expect(await listed()).toEqual([before.listed.at(-1), new Date(time.clock.now()).toISOString().slice(0, 10)]);
  // what was broken off is gone
  expect(await readdir(join(folder, 'backups'))).toHaveLength(2);
  expect(await health()).toMatchObject({ ok: true, last_failed_at: null });
  expect(await metric('tidemark_backup_failed')).toBe(0);
});
