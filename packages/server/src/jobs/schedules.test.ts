import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { abortOf, isFree, left, rows, serverOf, servers, setUpServers, time, until } from '../testing/background-servers.js';
import { manualScheduler } from '../testing/manual-scheduler.js';
import { type BackgroundKinds, JobTimeout, type ScheduleKind } from './index.js';

setUpServers();

describe('schedules on one server', () => {
  const schedule = (run: ScheduleKind['run'], every: ScheduleKind['every'] = 60_000): Partial<BackgroundKinds> => ({
    schedules: { purge: { on: 'one-server', every, deadlineMs: 600_000, run } },
  });
  const wakeAll = () => Promise.all(servers.map((one) => one.wake()));
  const isStored = () => until(async () => expect(await left()).toBe(1));

  test('they run once in each period, on any server', async () => {
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

  test('a run longer than a period is not repeated by another server, unless the first one dies', async () => {
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

  test('failed runs are repeated after growing pauses, logged once, and follow their period after a success', async () => {
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
    await until(async () => expect(await one.runs()).toEqual({ failed: 3, ok: 2 }));
  });

  test('runs that take too long are stopped and have failed', async () => {
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
    await until(async () => expect(await one.runs()).toEqual({ failed: 1 }));
  });

  test('runs of a server that stops are taken over at once', async () => {
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

  test('they continue after the clock was set back', async () => {
    let runs = 0;
    const one = serverOf(schedule(async () => void runs++));
    await one.wake();
    await isStored();
    time.setClock(-315_360_000_000);
    await one.wake();
    await until(() => expect(runs).toBe(1));
  });

  test('they run at the times of a cron pattern, in UTC', async () => {
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
