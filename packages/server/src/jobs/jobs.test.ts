import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import { type AccountsApp, startAccountsApp } from '../testing/accounts-app.js';
import { type ManualScheduler, manualScheduler } from '../testing/manual-scheduler.js';
import {
  type BackgroundKinds,
  createRunner,
  insertJob,
  type Job,
  JobTimeout,
  NoUseTryingAgain,
  type QueueKind,
  type Runner,
  type ScheduleKind,
} from './index.js';

interface Server extends Runner {
  /** Runs that ended, by result. */
  runs(): Promise<Record<string, number>>;
}

let app: AccountsApp;
let projectId: number;
/** The time of all servers, but for those whose timers stand still. */
let time: ManualScheduler;
let servers: Server[];
const ended: [string, unknown][] = [];

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

const name = (job: Job) => String(job.payload);

/** Kind of job that ends as `run` says, and notes the end. */
const kind = (run: (job: Job, signal: AbortSignal) => Promise<void>, options: Partial<QueueKind> = {}): QueueKind => ({
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
function serverOf(kinds: Partial<BackgroundKinds>, scheduler = time, log = pino({ level: 'silent' })): Server {
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
const server = (test: QueueKind, scheduler?: ManualScheduler) => serverOf({ queues: { test } }, scheduler);
const add = (payload: string) => insertJob(app.deps.db, projectId, { kind: 'test', payload, now: new Date(time.clock.now()) });
const rows = () => app.deps.db.selectFrom('jobs').selectAll().execute();
const left = async () => (await rows()).length;
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 });
const isFree = () => until(async () => expect((await rows()).map((row) => row.leased_by)).toEqual([null]));
const abortOf = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('jobs of the queue', () => {
  test('are each done once by one of several servers', async () => {
    const runs: string[] = [];
    const names = Array.from({ length: 20 }, (_, i) => `job ${i}`);
    for (const one of names) await add(one);
    for (let i = 0; i < 3; i++) {
      server(
        kind(async (job) => {
          runs.push(name(job));
          await new Promise((resolve) => setImmediate(resolve));
        }),
      );
    }
    await until(() => expect(ended).toHaveLength(20));
    expect(runs.sort()).toEqual([...names].sort());
    await until(async () => expect(await left()).toBe(0));
  });

  test('of kinds that a server does not know are left to others', async () => {
    await insertJob(app.deps.db, projectId, { kind: 'other', payload: null, now: new Date(time.clock.now()) });
    await add('known');
    const runner = server(kind(async () => {}));
    await until(() => expect(ended).toEqual([['known', 'done']]));
    await until(async () => expect(await left()).toBe(1));
    await runner.wake();
    expect(await rows()).toMatchObject([{ kind: 'other', attempts: 0 }]);
  });

  test('that fail are tried again after growing pauses, and given up with the last reason', async () => {
    let runs = 0;
    await add('bad');
    const runner = server(
      kind(async () => {
        throw new Error(`fault ${++runs}`);
      }),
    );
    for (const [run, pause] of [
      [1, 2_000],
      [2, 4_000],
    ] as const) {
      await until(() => expect(runs).toBe(run));
      await isFree();
      await time.advance(pause - 1);
      await runner.wake();
      expect(runs).toBe(run);
      await time.advance(1);
      await runner.wake();
    }
    await until(() => expect(ended).toEqual([['bad', new Error('fault 3')]]));
    await until(async () => expect(await left()).toBe(0));
  });

  test('are given up at once when trying again is of no use, or when they take too long', async () => {
    let begun = 0;
    await add('useless');
    await add('slow');
    const runner = server(
      kind(
        async (job, signal) => {
          begun += 1;
          if (name(job) === 'slow') await abortOf(signal);
          throw new NoUseTryingAgain('never');
        },
        { deadlineMs: 50 },
      ),
    );
    await runner.wake();
    await until(() => expect(begun).toBe(2));
    await time.advance(49);
    await until(() => expect(ended).toEqual([['useless', new NoUseTryingAgain('never')]]));
    await time.advance(1);
    await until(() => expect(ended[1]).toEqual(['slow', expect.any(JobTimeout)]));
  });

  test('that end well after their deadline do not count as done', async () => {
    let signal: AbortSignal | null = null;
    await add('late');
    server(
      kind(
        (_, ofRun) => {
          signal = ofRun;
          return abortOf(ofRun).catch(() => {});
        },
        { deadlineMs: 20 },
      ),
    );
    await until(() => expect(signal).not.toBeNull());
    await time.advance(20);
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
    expect(await first.runs()).toEqual({ stopped: 1 });
    const attempts: number[] = [];
    server(
      kind(async (job) => {
        attempts.push(job.attempt);
      }),
    );
    await until(() => expect(ended).toEqual([['long', 'done']]));
    expect(attempts).toEqual([1]);
  });

  test('of a server that hangs go to another once its lease is over, and what the first one still writes does not count', async () => {
    await add('held');
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const hanging = server(
      kind(() => held, { run: async () => held.then(() => async () => void ended.push(['held', 'by the first'])) }),
      manualScheduler(),
    );
    await until(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    await time.advance(29_000);
    const other = server(kind(async () => {}));
    await other.wake();
    expect(ended).toEqual([]);
    await time.advance(2_000);
    await other.wake();
    await until(() => expect(ended).toEqual([['held', 'done']]));
    finish();
    await until(async () => expect(await hanging.runs()).toEqual({ ok: 1 }));
    expect(ended).toEqual([['held', 'done']]);
  });

  test('stay with a server whose heartbeat extends the lease', async () => {
    await add('long');
    let finish = () => {};
    server(
      kind(
        () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }),
        { deadlineMs: 3_600_000 },
      ),
    );
    await until(async () => expect(await rows()).toMatchObject([{ attempts: 1 }]));
    for (let beat = 1; beat <= 6; beat++) {
      await time.advance(10_000);
      await until(async () => expect((await rows())[0]?.leased_until?.getTime()).toBe(time.clock.now() + 30_000));
    }
    const other = server(
      kind(async () => {}),
      manualScheduler(),
    );
    await other.wake();
    expect(ended).toEqual([]);
    finish();
    await until(() => expect(ended).toEqual([['long', 'done']]));
  });

  test.each([
    ['an hour', 3_600_000],
    ['ten years', 315_360_000_000],
  ])('of a server that died before the clock was set back by %s are taken up at once', async (_, ms) => {
    await add('leased');
    await add('waiting');
    await app.deps.db
      .updateTable('jobs')
      .set({ leased_by: systemIds.uuid(), leased_until: new Date(time.clock.now() + 30_000) })
      .where('id', '=', (w) => w.selectFrom('jobs').select((m) => m.fn.min('id').as('id')))
      .execute();
    time.setClock(-ms);
    server(kind(async () => {}));
    await until(() => expect(ended.map(([one]) => one).sort()).toEqual(['leased', 'waiting']));
  });

  test('that another server has taken over meanwhile are stopped at the next heartbeat, and go on there', async () => {
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
    );
    await until(() => expect(begun).toBe(true));
    const other = systemIds.uuid();
    await app.deps.db
      .updateTable('jobs')
      .set({ leased_by: other, leased_until: new Date(time.clock.now() + 30_000) })
      .execute();
    await time.advance(10_000);
    await until(() => expect(stopped).not.toBeNull());
    expect(ended).toEqual([]);
    expect(await rows()).toMatchObject([{ leased_by: other }]);
  });

  test('that kill every server that takes them are given up', async () => {
    await add('poison');
    await app.deps.db
      .updateTable('jobs')
      .set({ attempts: 3, leased_by: systemIds.uuid(), leased_until: new Date(time.clock.now() - 1) })
      .execute();
    server(kind(async () => {}));
    await until(() => expect(ended).toEqual([['poison', null]]));
    await until(async () => expect(await left()).toBe(0));
  });
});

describe('schedules on one server', () => {
  const schedule = (run: ScheduleKind['run'], every: ScheduleKind['every'] = 60_000): Partial<BackgroundKinds> => ({
    schedules: { purge: { on: 'one-server', every, deadlineMs: 600_000, run } },
  });
  const wakeAll = () => Promise.all(servers.map((one) => one.wake()));
  const isStored = () => until(async () => expect(await left()).toBe(1));

  test('run once in each period, whichever server takes the run', async () => {
    let runs = 0;
    for (let i = 0; i < 3; i++) serverOf(schedule(async () => void runs++));
    await wakeAll();
    expect([runs, await left()]).toEqual([0, 1]);
    for (let period = 1; period <= 3; period++) {
      await time.advance(59_999);
      await wakeAll();
      expect(runs).toBe(period - 1);
      await time.advance(1);
      await wakeAll();
      await until(() => expect(runs).toBe(period));
      await isFree();
      await wakeAll();
      expect(runs).toBe(period);
    }
  });

  test('whose run lasts longer than a period are run by no other server meanwhile, unless the first one dies', async () => {
    let begun = 0;
    const run = () => {
      begun += 1;
      return new Promise<void>(() => {});
    };
    const stuck = manualScheduler();
    const first = serverOf(schedule(run), stuck);
    servers.length = 0;
    await first.wake();
    await time.advance(60_000);
    await first.wake();
    await until(() => expect(begun).toBe(1));
    const other = serverOf(schedule(async () => void begun++));
    await time.advance(10_000);
    await stuck.advance(10_000);
    await until(async () => expect((await rows())[0]?.leased_until?.getTime()).toBe(time.clock.now() + 30_000));
    await time.advance(29_000);
    await other.wake();
    expect(begun).toBe(1);
    await time.advance(1_000);
    await other.wake();
    await until(() => expect(begun).toBe(2));
  });

  test('that fail run again after growing pauses, are logged once, and at their period once they succeed', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).err?.message ?? 'works again') });
    const faults = ['away', 'away', 'full', null, null];
    let runs = 0;
    const run = async () => {
      const fault = faults[runs++];
      if (fault) throw new Error(fault);
    };
    const one = serverOf(schedule(run, 10_000), time, log);
    await one.wake();
    for (const [at, pause] of [10_000, 10_000, 20_000, 30_000, 10_000].entries()) {
      await time.advance(pause - 1);
      await one.wake();
      expect(runs).toBe(at);
      await time.advance(1);
      await one.wake();
      await until(() => expect(runs).toBe(at + 1));
      await isFree();
    }
    expect(lines).toEqual(['away', 'full', 'works again']);
    expect(await one.runs()).toEqual({ failed: 3, ok: 2 });
  });

  test('that take too long are stopped and have failed', async () => {
    let reason: unknown = null;
    const one = serverOf({
      schedules: {
        purge: {
          on: 'one-server',
          every: 60_000,
          deadlineMs: 5_000,
          run: (signal) =>
            abortOf(signal).catch((error: unknown) => {
              reason = error;
            }),
        },
      },
    });
    await one.wake();
    await time.advance(60_000);
    await one.wake();
    await until(async () => expect((await rows())[0]?.leased_by).not.toBeNull());
    await time.advance(5_000);
    await until(() => expect(reason).toBeInstanceOf(JobTimeout));
    await isFree();
    expect(await one.runs()).toEqual({ failed: 1 });
  });

  test('of a server that stops go to another at once', async () => {
    let begun = 0;
    const first = serverOf(
      schedule((signal) => {
        begun += 1;
        return abortOf(signal);
      }),
    );
    await first.wake();
    await time.advance(60_000);
    await first.wake();
    await until(() => expect(begun).toBe(1));
    await first.stop();
    serverOf(schedule(async () => void begun++));
    await until(() => expect(begun).toBe(2));
  });

  test('go on after the clock was set back', async () => {
    let runs = 0;
    const one = serverOf(schedule(async () => void runs++));
    await one.wake();
    await isStored();
    time.setClock(-315_360_000_000);
    await one.wake();
    await until(() => expect(runs).toBe(1));
  });

  test('run at the times of a cron pattern, in UTC', async () => {
    // it is midnight
    let runs = 0;
    const one = serverOf(schedule(async () => void runs++, '30 1 * * *'));
    await one.wake();
    expect((await rows())[0]?.run_at).toEqual(new Date('2026-05-01T01:30:00Z'));
    await time.advance(5_400_000);
    await one.wake();
    await until(() => expect(runs).toBe(1));
    await until(async () => expect((await rows())[0]?.run_at).toEqual(new Date('2026-05-02T01:30:00Z')));
  });
});
