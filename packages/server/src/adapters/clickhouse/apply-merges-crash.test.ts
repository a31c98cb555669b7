import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ForkedStore, forkStore } from '../../testing/fork-store.js';
import { A, B, C, mergedPeople, ROUND } from '../../testing/merged-people.js';

/** Months with events: the engine rewrites the part of each on its own, so that a kill finds some of them rewritten. */
const MONTHS = 3;
const PROJECT = 1;

let directory: string;
let store: ForkedStore;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-merges-crash-'));
  store = await forkStore(directory);
});
afterAll(async () => {
  await store?.kill9();
  await rm(directory, { recursive: true, maxRetries: 10, retryDelay: 50 });
});

const { put, merge, answer, overrides, step, round } = mergedPeople(() => store);

async function restart(): Promise<void> {
  await store.kill9();
  store = await forkStore(directory);
}

test('kill -9 of the service at every step of a round: each event belongs to whom it belonged before', async () => {
  const expected = new Map<string, { id: string; person: string; n: number }>();
  const expectPeople = async () =>
    expect(await answer(PROJECT)).toEqual([...expected.values()].sort((a, b) => (a.id < b.id ? -1 : 1)));
  let version = 0;
  /** New ids with events of a person, who is merged twice; and those of before are merged again. */
  const more = async (round: number) => {
    version += 2;
    for (let at = 0; at < MONTHS; at++) {
      const id = `id ${round}.${at}`;
      await put(PROJECT, id, A, undefined, Date.UTC(2023, at, 5));
      // the newest one comes first
      await merge(PROJECT, id, C, version);
      await merge(PROJECT, id, B, version - 1);
      expected.set(id, { id, person: C, n: 1 });
    }
    const old = `id ${round - 1}.0`;
    const before = expected.get(old);
    if (!before) return;
    await merge(PROJECT, old, A, version);
    expected.set(old, { ...before, person: A });
  };
  /** An event whose person was read before it was merged. */
  const late = async (round: number) => {
    const id = `id ${round}.1`;
    await put(PROJECT, id, A);
    expected.set(id, { id, person: C, n: 2 });
  };
  /** A merge after the check: its override must stay. */
  const further = async (round: number) => {
    const id = `id ${round}.2`;
    await merge(PROJECT, id, B, ++version);
    expected.set(id, { id, person: B, n: 1 });
  };
  for (let steps = 1; steps < ROUND.length; steps++) {
    await more(steps);
    for (const [at, hours] of ROUND.slice(0, steps).entries()) {
      // the last one is killed while its mutation runs
      if (at === steps - 1) await store.advance(PROJECT, hours);
      else await step(PROJECT, hours);
      if (at === 0) await late(steps);
      if (at === 2) await further(steps);
    }
    await restart();
    await expectPeople();
  }
  await round(PROJECT);
  await expectPeople();
  expect(await overrides(PROJECT)).toEqual([]);
});

test('kill -9 after the deletion: what the log has of before the check is not stored again', async () => {
  const project = PROJECT + 1;
  await put(project, 'x', A);
  await merge(project, 'x', C, 2);
  // wait for the newest one, so that a replay begins after it
  await answer(project);
  await merge(project, 'x', B, 1);
  await round(project);
  expect(await overrides(project)).toEqual([]);
  await restart();
  expect(await answer(project)).toEqual([{ id: 'x', person: C, n: 1 }]);
});
