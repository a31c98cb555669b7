import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { createScheduler } from '../adapters/system/index.js';
import { repeat } from './index.js';

const deps = { log: pino({ level: 'silent' }), scheduler: createScheduler() };

test('runs one after the other, goes on after a failure, and stops once the last run has ended', async () => {
  let [runs, under, most] = [0, 0, 0];
  const job = repeat(deps, {
    name: 'test',
    everyMs: 1,
    run: async () => {
      runs += 1;
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 3));
      under -= 1;
      if (runs === 2) throw new Error('once');
    },
  });
  await vi.waitFor(() => expect(runs).toBeGreaterThan(3), { timeout: 60_000 });
  await job.stop();
  const at = runs;
  expect([most, under]).toEqual([1, 0]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(runs).toBe(at);
});

test('tells of the same failure once in a row, and when it works again', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).err?.message ?? 'works again') });
  const faults = ['away', 'away', 'away', 'full', null, null, 'away', null];
  let runs = 0;
  const run = async () => {
    const fault = faults[runs++];
    if (fault) throw new Error(fault);
  };
  const job = repeat({ log, scheduler: createScheduler() }, { name: 'test', everyMs: 1, run });
  await vi.waitFor(() => expect(runs).toBeGreaterThan(faults.length), { timeout: 60_000 });
  await job.stop();
  expect(lines).toEqual(['away', 'full', 'works again', 'away', 'works again']);
});
