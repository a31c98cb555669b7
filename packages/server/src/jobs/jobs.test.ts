import { describe, expect, test } from 'vitest';
import { systemIds } from '../adapters/system/index.js';
import {
  abortOf,
  add,
  app,
  ended,
  isFree,
  kind,
  left,
  name,
  projectId,
  rows,
  server,
  setUpServers,
  time,
  until,
} from '../testing/background-servers.js';
import { manualScheduler } from '../testing/manual-scheduler.js';
import { insertJob, JobTimeout, UnrecoverableError } from './index.js';

setUpServers();

describe('jobs of the queue', () => {
  test('each job runs once on one of several servers', async () => {
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

  test('jobs of kinds that a server does not know are left to others', async () => {
    await insertJob(app.deps.db, projectId, { kind: 'other', payload: null, now: new Date(time.clock.now()) });
    await add('known');
    const runner = server(kind(async () => {}));
    await until(() => expect(ended).toEqual([['known', 'done']]));
    await until(async () => expect(await left()).toBe(1));
    await runner.wake();
    expect(await rows()).toMatchObject([{ kind: 'other', attempts: 0 }]);
  });

  test('failed jobs are retried after growing pauses, and given up with the last error', async () => {
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

  test('jobs are given up at once after a permanent error or their time limit', async () => {
    let begun = 0;
    await add('useless');
    await add('slow');
    const runner = server(
      kind(
        async (job, signal) => {
          begun += 1;
          if (name(job) === 'slow') await abortOf(signal);
          throw new UnrecoverableError('never');
        },
        { deadlineMs: 50 },
      ),
    );
    await runner.wake();
    await until(() => expect(begun).toBe(2));
    await time.advance(49);
    await until(() => expect(ended).toEqual([['useless', new UnrecoverableError('never')]]));
    await time.advance(1);
    await until(() => expect(ended[1]).toEqual(['slow', expect.any(JobTimeout)]));
  });

  test('jobs that end well after their deadline do not count as done', async () => {
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

  test('jobs of a server that stops are taken over without counting an attempt', async () => {
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

  test('jobs of a server that hangs are taken over after their lease, and later writes of the first one are ignored', async () => {
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

  test('jobs stay with a server whose heartbeat extends the lease', async () => {
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
  ])('jobs of a server that died before the clock was set back by %s are taken over at once', async (_, ms) => {
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

  test('jobs that another server took over are stopped at the next heartbeat, and continue there', async () => {
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

  test('jobs that kill every server that takes them are given up', async () => {
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
