import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { logOnce } from '../kernel/log-once.js';
import { manualScheduler } from '../testing/manual-scheduler.js';
import { startOnEachServer } from './each-server.js';
import { createRunMetrics } from './run-metrics.js';

function start(run: (signal: AbortSignal) => Promise<unknown>) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).err?.message ?? 'works again') });
  const scheduler = manualScheduler();
  const deps = { clock: scheduler.clock, scheduler, metrics: new Registry() };
  const stop = startOnEachServer(
    deps,
    createRunMetrics(deps),
    { on: 'each-server', every: 1_000, deadlineMs: 10_000, run },
    { name: 'test', fault: logOnce(log, 'warn', 'works again') },
  );
  return { scheduler, stop, lines };
}

test('a run begins a period after the end of the last one, and none after the stop, which awaits the current run', async () => {
  let [begun, ended] = [0, 0];
  const { scheduler, stop } = start(async (signal) => {
    begun += 1;
    if (begun === 2) await new Promise((resolve) => scheduler.after(5_000, () => resolve(null)));
    if (begun === 3) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended += 1;
  });
  await scheduler.advance(999);
  expect(begun).toBe(0);
  await scheduler.advance(1_001);
  expect([begun, ended]).toEqual([2, 1]);
  await scheduler.advance(5_999);
  expect([begun, ended]).toEqual([2, 2]);
  await scheduler.advance(1);
  expect([begun, ended]).toEqual([3, 2]);
  await stop();
  expect([begun, ended]).toEqual([3, 3]);
  await scheduler.advance(100_000);
  expect(begun).toBe(3);
});

test('repeated equal failures are logged once, and the recovery once', async () => {
  const faults = ['away', 'away', 'away', 'full', null, null, 'away', null];
  let runs = 0;
  const { scheduler, stop, lines } = start(async () => {
    const fault = faults[runs++];
    if (fault) throw new Error(fault);
  });
  await scheduler.advance(faults.length * 1_000);
  await stop();
  expect(runs).toBe(faults.length);
  expect(lines).toEqual(['away', 'full', 'works again', 'away', 'works again']);
});
