import { pino } from 'pino';
import { expect, test } from 'vitest';
import { EventsUnavailable } from '../../../ports/events.js';
import { manualScheduler } from '../../../testing/manual-scheduler.js';
import { createApplyQueue } from './apply-queue.js';
import type { WalRecord } from './record.js';

const MEGABYTE = 1024 * 1024;
const record = (seq: number, bytes: number): WalRecord => ({
  seq,
  applied: 0,
  table: 'events',
  format: 'lines',
  token: String(seq),
  rows: Buffer.alloc(bytes),
});

/** A backlog whose blocks end when and as the test says. */
function backlogOf() {
  const scheduler = manualScheduler();
  const begun: { seqs: number[]; end(error?: Error): void }[] = [];
  const applied: number[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const backlog = createApplyQueue({
    log: pino({ level: 'silent' }),
    first: 1,
    scheduler,
    onApplied: (seq) => applied.push(seq),
    apply: (records) =>
      new Promise((resolve, reject) => {
        running++;
        mostAtOnce = Math.max(mostAtOnce, running);
        const end = (error?: Error) => {
          running--;
          if (error) reject(error);
          else resolve();
        };
        begun.push({ seqs: records.map(({ seq }) => seq), end });
      }),
  });
  const mostFromNow = () => {
    mostAtOnce = running;
    return () => mostAtOnce;
  };
  return { scheduler, backlog, begun, applied, mostFromNow };
}

const away = () => new EventsUnavailable('away');

test('blocks that failed are applied one at a time, because they share the table of existing events', async () => {
  const { scheduler, backlog, begun, mostFromNow } = backlogOf();
  backlog.add([record(1, 6 * MEGABYTE), record(2, 6 * MEGABYTE)], false);
  await scheduler.advance(1);
  expect(begun.map(({ seqs }) => seqs)).toEqual([[1], [2]]);
  for (const block of begun.splice(0)) block.end(away());
  const atOnce = mostFromNow();
  await scheduler.advance(1_000);
  expect(begun.map(({ seqs }) => seqs)).toEqual([[1]]);
  begun[0]?.end();
  await scheduler.advance(1_000);
  expect(begun.map(({ seqs }) => seqs)).toEqual([[1], [2]]);
  expect(atOnce()).toBe(1);
});

test('blocks that failed out of order are applied in the order of the log, and a position is applied after all before it', async () => {
  const { scheduler, backlog, begun, applied } = backlogOf();
  backlog.add([record(1, 6 * MEGABYTE), record(2, 6 * MEGABYTE), record(3, MEGABYTE)], false);
  await scheduler.advance(1);
  const [first, second] = begun.splice(0);
  // the second fails later, and so would be put back in front of the first
  first?.end(away());
  await scheduler.advance(100);
  second?.end(away());
  await scheduler.advance(1_000);
  expect(backlog.applied()).toBe(0);
  for (let i = 0; i < 5; i++) {
    begun.at(-1)?.end();
    await scheduler.advance(1_000);
  }
  expect(begun.map(({ seqs }) => seqs)).toEqual([[1], [2], [3]]);
  expect(applied).toEqual([1, 2, 3]);
});

test('appends do not wait for a backlog while the tables do not respond', async () => {
  const scheduler = manualScheduler();
  let answers = true;
  const backlog = createApplyQueue({
    log: pino({ level: 'silent' }),
    first: 1,
    scheduler,
    onApplied: () => {},
    tablesAnswer: () => answers,
    apply: () => new Promise(() => {}),
  });
  backlog.add([record(1, 24 * MEGABYTE)], false);
  let outcome = 'waits';
  backlog.waitForCapacity().catch((error: Error) => {
    outcome = error.name;
  });
  await scheduler.advance(2_000);
  expect(outcome).toBe('waits');
  answers = false;
  await scheduler.advance(1_000);
  expect(outcome).toBe('EventsUnavailable');
});
