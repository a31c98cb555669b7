import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createScheduler, systemIds } from '../adapters/system/index.js';
import type { Scheduler } from '../ports/system.js';
import { type AccountsApp, startAccountsApp } from '../testing/accounts-app.js';
import { manualScheduler } from '../testing/manual-scheduler.js';
import { insertJob, type Job, type JobKind, type Jobs, JobTimeout, NoUseTryingAgain, startJobs } from './index.js';

let app: AccountsApp;
let projectId: number;
let now: number;
let servers: Jobs[];
const ended: [string, unknown][] = [];

beforeAll(async () => {
  app = await startAccountsApp();
  projectId = (await app.call({ key: app.owner.key }, 'POST', '/api/projects/', { name: 'Jobs' })).json().id;
});
afterAll(() => app.close());
beforeEach(() => {
  now = Date.UTC(2026, 4, 1);
  servers = [];
  ended.length = 0;
});
afterEach(async () => {
  for (const server of servers) await server.stop();
  await app.deps.db.deleteFrom('jobs').execute();
});

const name = (job: Job) => String(job.payload);

/** Kind of job that ends as `run` says, and tells of the end. */
const kind = (run: (job: Job, signal: AbortSignal) => Promise<void>, options: Partial<JobKind> = {}): JobKind => ({
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

function server(test: JobKind, scheduler: Scheduler = createScheduler()): Jobs {
  const started = startJobs(
    { db: app.deps.db, clock: { now: () => now }, ids: systemIds, log: pino({ level: 'silent' }), scheduler },
    { test },
  );
  servers.push(started);
  return started;
}
const add = (payload: string) => insertJob(app.deps.db, projectId, { kind: 'test', payload, now: new Date(now) });
const left = async () => (await app.deps.db.selectFrom('jobs').selectAll().execute()).length;
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 });
const abortOf = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('jobs', () => {
  test('are each done once by one of several servers', async () => {
    const runs: string[] = [];
    const names = Array.from({ length: 20 }, (_, i) => `job ${i}`);
    for (const one of names) await add(one);
    for (let i = 0; i < 3; i++) {
      server(
        kind(async (job) => {
          runs.push(name(job));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }),
      );
    }
    await until(() => expect(ended).toHaveLength(20));
    expect(runs.sort()).toEqual([...names].sort());
    await until(async () => expect(await left()).toBe(0));
  });

  test('of kinds that a server does not know are left to others', async () => {
    await insertJob(app.deps.db, projectId, { kind: 'other', payload: null, now: new Date(now) });
    await add('known');
    server(kind(async () => {}));
    await until(() => expect(ended).toEqual([['known', 'done']]));
    await until(async () => expect(await left()).toBe(1));
  });

  test('that fail are tried again after a pause, and given up with the last reason', async () => {
    let runs = 0;
    const jobs = server(
      kind(async () => {
        throw new Error(`fault ${++runs}`);
      }),
    );
    await add('bad');
    jobs.wake();
    await until(() => expect(runs).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    jobs.wake();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(runs).toBe(1);
    for (const again of [2, 3]) {
      await until(() => {
        now += 10_000;
        jobs.wake();
        expect(runs).toBe(again);
      });
    }
    await until(() => expect(ended).toEqual([['bad', new Error('fault 3')]]));
    await until(async () => expect(await left()).toBe(0));
  });

  test('are given up at once when trying again is of no use, or when they take too long', async () => {
    const jobs = server(
      kind(
        async (job, signal) => {
          if (name(job) === 'slow') await abortOf(signal);
          throw new NoUseTryingAgain('never');
        },
        { deadlineMs: 50 },
      ),
    );
    await add('useless');
    await add('slow');
    jobs.wake();
    await until(() => expect(ended).toHaveLength(2));
    expect(ended[0]).toEqual(['useless', new NoUseTryingAgain('never')]);
    expect(ended[1]).toEqual(['slow', expect.any(JobTimeout)]);
  });

  test('that end well after their deadline do not count as done', async () => {
    await add('late');
    server(kind((_, signal) => abortOf(signal).catch(() => {}), { deadlineMs: 20 }));
    await until(() => expect(ended).toEqual([['late', expect.any(JobTimeout)]]));
    await until(async () => expect(await left()).toBe(0));
  });

  test('of a server that stops go to another without counting', async () => {
    await add('long');
    let begun = 0;
    const first = server(
      kind(async (_, signal) => {
        begun += 1;
        await abortOf(signal);
      }),
    );
    await until(() => expect(begun).toBe(1));
    await first.stop();
    const attempts: number[] = [];
    server(
      kind(async (job) => {
        attempts.push(job.attempt);
      }),
    );
    await until(() => expect(ended).toEqual([['long', 'done']]));
    expect(attempts).toEqual([1]);
  });

  test('of a server that died go to another once its lease is over, and what the dead one still writes does not count', async () => {
    await add('held');
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    server(kind(() => held, { run: async () => held.then(() => async () => void ended.push(['held', 'by the dead'])) }));
    await until(async () =>
      expect(await app.deps.db.selectFrom('jobs').select('attempts').executeTakeFirst()).toEqual({ attempts: 1 }),
    );
    now += 29_000;
    const other = server(kind(async () => {}));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).toEqual([]);
    now += 2_000;
    other.wake();
    await until(() => expect(ended).toEqual([['held', 'done']]));
    finish();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).toEqual([['held', 'done']]);
  });

  test.each([
    ['an hour', 3_600_000],
    ['ten years', 315_360_000_000],
  ])('of a server that died before the clock was set back by %s are taken up at once', async (_, ms) => {
    await add('leased');
    await add('waiting');
    await app.deps.db
      .updateTable('jobs')
      .set({ leased_by: systemIds.uuid(), leased_until: new Date(now + 30_000) })
      .where('id', '=', (w) => w.selectFrom('jobs').select((m) => m.fn.min('id').as('id')))
      .execute();
    now -= ms;
    server(kind(async () => {}));
    await until(() => expect(ended.map(([one]) => one).sort()).toEqual(['leased', 'waiting']));
    now += ms;
  });

  test('that another server has taken over meanwhile are stopped at the next heartbeat, and go on there', async () => {
    const scheduler = manualScheduler();
    await add('taken');
    let stopped: unknown = null;
    let begun = false;
    server(
      kind(async (_, signal) => {
        begun = true;
        await abortOf(signal).catch((reason: unknown) => {
          stopped = reason;
          throw reason;
        });
      }),
      scheduler,
    );
    await until(() => expect(begun).toBe(true));
    const other = systemIds.uuid();
    await app.deps.db
      .updateTable('jobs')
      .set({ leased_by: other, leased_until: new Date(now + 30_000) })
      .execute();
    await scheduler.advance(10_000);
    await until(() => expect(stopped).not.toBeNull());
    expect(ended).toEqual([]);
    expect(await app.deps.db.selectFrom('jobs').select('leased_by').execute()).toEqual([{ leased_by: other }]);
  });

  test('that kill every server that takes them are given up', async () => {
    await add('poison');
    await app.deps.db
      .updateTable('jobs')
      .set({ attempts: 3, leased_by: systemIds.uuid(), leased_until: new Date(now - 1) })
      .execute();
    server(kind(async () => {}));
    await until(() => expect(ended).toEqual([['poison', null]]));
    await until(async () => expect(await left()).toBe(0));
  });
});
