import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openState } from './state.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-state-'));
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

test('progress is written once a second, and what is left out by the next save and at the end', async () => {
  const path = join(folder, 'state.json');
  const written = async (): Promise<number> => JSON.parse(await readFile(path, 'utf8')).files.a.done;
  const state = openState(path, 'a test');
  const file = { size: 1, done: 1, finished: false };
  state.data.files = { a: file };
  state.saveProgress();
  expect(await written()).toBe(1);
  file.done = 2;
  vi.advanceTimersByTime(999);
  state.saveProgress();
  expect(await written()).toBe(1);
  file.done = 3;
  vi.advanceTimersByTime(1);
  state.saveProgress();
  expect(await written()).toBe(3);
  file.done = 4;
  state.saveProgress();
  state.save();
  expect(await written()).toBe(4);
  file.done = 5;
  state.saveProgress();
  expect(await written()).toBe(4);
  state.close();
  expect(await written()).toBe(5);
  const next = openState(path, 'a test');
  expect(next.data.files).toEqual({ a: file });
  next.close();
});

test('an import whose state cannot be written at its end releases the lock', async () => {
  const path = join(folder, 'inner', 'state.json');
  const state = openState(path, 'a test');
  state.saveProgress();
  state.saveProgress();
  await rm(join(folder, 'inner'), { recursive: true });
  state.close();
  openState(path, 'a test').close();
});
