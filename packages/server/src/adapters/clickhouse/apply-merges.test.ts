import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import type { AppliedMerges, EventsStore } from '../../ports/events.js';
import { eventRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

const HOUR = 3_600_000;
const [A, B, C] = ['a', 'b', 'c'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [string, string, string];

let directory: string;
let store: EventsStore;
/** Milliseconds by which the scheduler is ahead. */
let ahead = 0;
let projects = 0;
const real = createScheduler();
const scheduler = { ...real, uptime: () => real.uptime() + ahead };
const open = () =>
  openEvents(loadConfig({ TIDEMARK_DATA: directory, TIDEMARK_ENGINE_MEMORY_MB: '512' }), {
    log: pino({ level: 'silent' }),
    scheduler,
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-merges-'));
  store = await open();
});
afterAll(async () => {
  await store?.close();
  await rm(directory, { recursive: true });
});

const merges = (): AppliedMerges => store.merges ?? expect.fail('the store applies no merges');
const token = () => ({ token: randomUUID() });
const put = (project_id: number, distinct_id: string, person_id: string, readAt = scheduler.uptime()) =>
  store.insert('events', [eventRow({ project_id, distinct_id, person_id })], { ...token(), readAt });
const merge = (project_id: number, distinct_id: string, person_id: string, version: number, readAt = scheduler.uptime()) =>
  store.insert('person_overrides', [{ project_id, distinct_id, person_id, version }], { ...token(), readAt });

const rowsOf = async <Row>(sql: string) => (await store.query<Row>({ sql })).rows;
/** The persons of each distinct id as queries see them. */
const answer = (project: number) =>
  rowsOf(`SELECT e.distinct_id AS id, if(o.is_known, o.person, e.person_id) AS person, count() AS n FROM events AS e
    ANY LEFT JOIN (SELECT cityHash64(distinct_id) AS hash, argMax(person_id, version) AS person, true AS is_known FROM person_overrides
      WHERE project_id = ${project} GROUP BY hash) AS o ON o.hash = e.distinct_hash
    WHERE e.project_id = ${project} GROUP BY id, person ORDER BY id, person`);
const overrides = (project: number) =>
  rowsOf<object>(`SELECT distinct_id, version FROM person_overrides FINAL WHERE project_id = ${project} ORDER BY distinct_id`);
const raw = (project: number) =>
  rowsOf<{ person_id: string }>(`SELECT DISTINCT person_id FROM events WHERE project_id = ${project} ORDER BY person_id`);
const versions = async (project: number) => (await store.dataVersion(project)).whole;
const running = async () =>
  (await rowsOf('SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND NOT is_done')).length;

/** Takes a step, and waits for what it began. */
async function step(project: number, hours = 0): Promise<void> {
  ahead += hours * HOUR;
  await merges().advance(project);
  await expect.poll(running, { timeout: 30_000 }).toBe(0);
}
/** A round: change, look, check, delete. */
async function round(project: number): Promise<void> {
  for (const hours of [25, 0, 1, 1, 0]) await step(project, hours);
}

test('merges are written into events and their overrides deleted, and no answer or version changes meanwhile', async () => {
  const project = ++projects;
  for (const id of ['x', 'y', 'z']) await put(project, id, A);
  await put(project, 'other', A);
  await merge(project, 'x', B, 1);
  await merge(project, 'y', B, 1);
  // a chain
  await merge(project, 'y', C, 2);
  await merge(project, 'z', A, 1);
  const [before, version] = [await answer(project), await versions(project)];
  for (const hours of [25, 0, 1, 1, 0]) {
    ahead += hours * HOUR;
    await merges().advance(project);
    // also while a mutation runs
    expect(await answer(project)).toEqual(before);
    await expect.poll(running, { timeout: 30_000 }).toBe(0);
    expect(await answer(project)).toEqual(before);
  }
  expect(await overrides(project)).toEqual([]);
  expect(await versions(project)).toBe(version);
  expect((await raw(project)).map(({ person_id }) => person_id)).toEqual([A, B, C]);
  // merged again, and back to the own person
  await merge(project, 'x', C, 3);
  await merge(project, 'y', A, 3);
  const again = await answer(project);
  await round(project);
  expect(await answer(project)).toEqual(again);
  expect(await overrides(project)).toEqual([]);
});

test('an override that came after the look stays, and so does one with an event that came late', async () => {
  const project = ++projects;
  for (const id of ['x', 'y', 'z']) await put(project, id, A);
  for (const id of ['x', 'y', 'z']) await merge(project, id, B, 1);
  await step(project, 25);
  await step(project);
  // 'x' is merged further, 'y' has an event whose person was read before
  await merge(project, 'x', C, 2);
  await put(project, 'y', A);
  const before = await answer(project);
  await step(project, 1);
  await step(project, 1);
  await step(project);
  expect(await overrides(project)).toEqual([
    { distinct_id: 'x', version: 2 },
    { distinct_id: 'y', version: 1 },
  ]);
  expect(await answer(project)).toEqual(before);
  await round(project);
  expect(await overrides(project)).toEqual([]);
  expect(await answer(project)).toEqual(before);
});

test('rows whose persons were read before the overrides were seen are refused from the check on, of this project alone', async () => {
  const [project, other] = [++projects, ++projects];
  await put(project, 'x', A);
  await merge(project, 'x', A, 1);
  await merge(project, 'x', B, 2);
  const early = scheduler.uptime();
  await round(project);
  expect(await overrides(project)).toEqual([]);
  await expect(put(project, 'x', A, early)).rejects.toThrow('read too long ago');
  await expect(merge(project, 'x', A, 1, early)).rejects.toThrow('read too long ago');
  await put(other, 'x', A, early);
  await put(project, 'x', B);
  expect(await answer(project)).toEqual([{ id: 'x', person: B, n: 2 }]);
});

test('a mutation of a store that was closed goes on, and the next round ends it', async () => {
  const project = ++projects;
  for (let i = 0; i < 50; i++) await put(project, `id ${i}`, A);
  for (let i = 0; i < 50; i++) await merge(project, `id ${i}`, B, 1);
  const before = await answer(project);
  ahead += 25 * HOUR;
  await merges().advance(project);
  await store.close();
  store = await open();
  expect(await answer(project)).toEqual(before);
  await expect.poll(running, { timeout: 30_000 }).toBe(0);
  await round(project);
  expect(await answer(project)).toEqual(before);
  expect(await overrides(project)).toEqual([]);
});
