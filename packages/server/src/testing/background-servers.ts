// Servers that run background work on one database, in time that tests move.
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { type BackgroundKinds, createRunner, insertJob, type Job, type QueueKind, type Runner } from '../jobs/index.js';
import { type AccountsApp, startAccountsApp } from './accounts-app.js';
import { type ManualScheduler, manualScheduler } from './manual-scheduler.js';

export interface Server extends Runner {
  /** Runs that ended, by result. */
  runs(): Promise<Record<string, number>>;
}

export let app: AccountsApp;
export let projectId: number;
/** The time of all servers, but for those whose timers stand still. */
export let time: ManualScheduler;
export let servers: Server[];
/** Jobs that ended, with `done` or their error. */
export const ended: [string, unknown][] = [];

/** Registers the hooks of a test file: one database, and for each test new time and no servers. */
export function setUpServers(): void {
  beforeAll(async () => {
    app = await startAccountsApp();
    projectId = (await app.call({ key: app.owner.key }, 'POST', '/api/projects/', { name: 'Jobs' })).json().id;
  });
  afterAll(() => app.close());
  beforeEach(() => {
    time = manualScheduler();
    servers = [];
    ended.length = 0;
  });
  afterEach(async () => {
    for (const server of servers) await server.stop();
    await app.deps.db.deleteFrom('jobs').execute();
  });
}

export const name = (job: Job) => String(job.payload);

/** Kind of job that ends as `run` says, and notes the end. */
export const kind = (run: (job: Job, signal: AbortSignal) => Promise<void>, options: Partial<QueueKind> = {}): QueueKind => ({
  deadlineMs: 60_000,
  attempts: 3,
  run: async (job, signal) => {
    await run(job, signal);
    return async () => {
      ended.push([name(job), 'done']);
    };
  },
  failed: async (_, job, error) => {
    ended.push([name(job), error]);
  },
  ...options,
});

/** @param scheduler another one than that of all servers: nothing moves its timers, as on a server that hangs */
export function serverOf(kinds: Partial<BackgroundKinds>, scheduler = time, log = pino({ level: 'silent' })): Server {
  const metrics = new Registry();
  const runner = createRunner({ db: app.deps.db, clock: time.clock, ids: systemIds, log, scheduler, metrics });
  const runs = async () => {
    const values = (await metrics.getSingleMetric('tidemark_background_runs_total')?.get())?.values ?? [];
    return Object.fromEntries(values.map(({ labels, value }) => [labels['result'] ?? '', value]));
  };
  const started = { ...runner, runs };
  runner.start({ schedules: {}, queues: {}, ...kinds });
  servers.push(started);
  return started;
}
export const server = (test: QueueKind, scheduler?: ManualScheduler) => serverOf({ queues: { test } }, scheduler);
export const add = (payload: string) =>
  insertJob(app.deps.db, projectId, { kind: 'test', payload, now: new Date(time.clock.now()) });
export const rows = () => app.deps.db.selectFrom('jobs').selectAll().execute();
export const left = async () => (await rows()).length;
export const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 });
export const isFree = () => until(async () => expect((await rows()).map((row) => row.leased_by)).toEqual([null]));
export const abortOf = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
