import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createThreadPool, type ThreadPool } from './thread-pool.js';

/** A worker that does what the task says. */
const WORKER = `
export async function work({ wait = 0, value, breaksAfter }) {
  if (breaksAfter !== undefined) setTimeout(() => { throw new Error('broken later'); }, breaksAfter);
  await new Promise((resolve) => setTimeout(resolve, wait));
  return value;
}`;

interface Task {
  wait?: number;
  value?: string;
  breaksAfter?: number;
}

let folder: string;
let filename: string;
let pool: ThreadPool<Task, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-threads-'));
  filename = join(folder, 'worker.mjs');
  await writeFile(filename, WORKER);
  pool = createThreadPool<Task, string>({ filename, name: 'work', maxThreads: 2, idleMs: 60_000 });
});
afterEach(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

const forever = { wait: 600_000 };

test('tasks that wait behind cancelled ones run, though no other task follows', { timeout: 20_000 }, async () => {
  const cancelled = [new AbortController(), new AbortController()];
  const first = cancelled.map(({ signal }) => pool.run(forever, signal));
  const outcomes = Promise.allSettled(first);
  const waiting = ['a', 'b', 'c'].map((value) => pool.run({ value }));
  await delay(100);
  expect(pool.waiting()).toBe(3);
  for (const controller of cancelled) controller.abort();
  expect(await outcomes).toMatchObject(Array(2).fill({ status: 'rejected', reason: { name: 'AbortError' } }));
  expect(await Promise.all(waiting)).toEqual(['a', 'b', 'c']);
});

test('a waiting task that is cancelled rejects at once, and disturbs no other', { timeout: 20_000 }, async () => {
  const running = [pool.run({ wait: 500, value: 'a' }), pool.run({ wait: 500, value: 'b' })];
  const controller = new AbortController();
  let isRunning = true;
  void Promise.all(running).then(() => {
    isRunning = false;
  });
  const waiting = pool.run({ value: 'c' }, controller.signal);
  const last = pool.run({ value: 'd' });
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(isRunning).toBe(true);
  await expect(pool.run({ value: 'e' }, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  expect(await Promise.all([...running, last])).toEqual(['a', 'b', 'd']);
});

test('a thread that cannot start rejects its task, and a later one starts', { timeout: 20_000 }, async () => {
  await writeFile(filename, "throw new Error('cannot start');");
  await expect(pool.run({ value: 'a' })).rejects.toThrow('cannot start');
  await expect(Promise.all([pool.run({ value: 'b' }), pool.run({ value: 'c' }), pool.run({ value: 'd' })])).rejects.toThrow(
    'cannot start',
  );
  await writeFile(filename, WORKER);
  // a thread of before may fail only now, which rejects all tasks
  await expect.poll(() => pool.run({ value: 'e' }).catch(String), { timeout: 15_000 }).toBe('e');
});

test('an error of a thread after its task does not end the process', { timeout: 20_000 }, async () => {
  expect(await pool.run({ value: 'a', breaksAfter: 50 })).toBe('a');
  await delay(200);
  expect(await pool.run({ value: 'b' })).toBe('b');
});

test('a pool that is closed rejects running, waiting and later tasks', { timeout: 20_000 }, async () => {
  const unfinished = Promise.allSettled([pool.run(forever), pool.run(forever), pool.run(forever)]);
  await delay(100);
  await pool.close();
  expect((await unfinished).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await expect(pool.run({ value: 'a' })).rejects.toThrow();
});
