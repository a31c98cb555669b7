import { expect, test } from 'vitest';
import { manualScheduler } from '../testing/manual-scheduler.js';
import { createWatchdog } from './watchdog.js';

/** A store that answers probes, hangs, or is away. */
function watched(hungMs?: number) {
  const scheduler = manualScheduler();
  let state: 'answers' | 'hangs' | 'away' = 'answers';
  let probes = 0;
  const hangs: number[] = [];
  const watchdog = createWatchdog({
    scheduler,
    probe: async (signal) => {
      probes++;
      if (state === 'away') throw new Error('away');
      if (state === 'hangs') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    error: () => new Error('silent'),
    onHung: () => hangs.push(scheduler.uptime()),
    ...(hungMs === undefined ? {} : { hungMs }),
  });
  return { scheduler, watchdog, hangs, probes: () => probes, become: (next: typeof state) => (state = next) };
}

const never = new Promise<never>(() => {});

test('a store that answers its probes is never reported as hung, for any duration of a call', async () => {
  const { scheduler, watchdog, hangs, probes } = watched();
  let outcome = 'waits';
  watchdog.guard(never).catch(() => {
    outcome = 'refused';
  });
  await scheduler.advance(600_000);
  expect({ outcome, hangs, answers: watchdog.answers() }).toEqual({ outcome: 'waits', hangs: [], answers: true });
  expect(probes()).toBeLessThan(700);
});

test.each(['hangs', 'away'] as const)('calls to a store that %s fail within 5 s, and at once from then on', async (state) => {
  const { scheduler, watchdog, become } = watched();
  await scheduler.advance(10_000);
  become(state);
  const refused = expect(watchdog.guard(never)).rejects.toThrow('silent');
  await scheduler.advance(4_500);
  await refused;
  expect(watchdog.answers()).toBe(false);
  await expect(watchdog.guard(Promise.resolve('late'))).rejects.toThrow('silent');
  become('answers');
  await scheduler.advance(3_000);
  expect(watchdog.answers()).toBe(true);
  expect(await watchdog.guard(Promise.resolve('again'))).toBe('again');
});

test('a hang is reported repeatedly, counted from each restart', async () => {
  const { scheduler, watchdog, become, hangs } = watched(8_000);
  become('hangs');
  await scheduler.advance(20_000);
  expect(hangs).toHaveLength(2);
  const last = hangs.at(-1) ?? 0;
  await scheduler.advance(last + 7_000 - scheduler.uptime());
  watchdog.restarted();
  await scheduler.advance(7_000);
  expect(hangs).toHaveLength(2);
  await scheduler.advance(2_000);
  expect(hangs).toHaveLength(3);
});

test('time in which this process was suspended or blocked does not count', async () => {
  const { scheduler, watchdog, become, hangs } = watched();
  become('hangs');
  for (let i = 0; i < 5; i++) await scheduler.suspend(3_600_000);
  expect({ hangs, answers: watchdog.answers() }).toEqual({ hangs: [], answers: true });
});

test('after the stop there are no probes', async () => {
  const { scheduler, watchdog, probes, become, hangs } = watched();
  become('hangs');
  await scheduler.advance(2_000);
  watchdog.stop();
  const before = probes();
  await scheduler.advance(60_000);
  expect(probes()).toBe(before);
  expect(hangs).toEqual([]);
});
