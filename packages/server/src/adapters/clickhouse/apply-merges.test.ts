import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import type { AppliedMerges, EventsStore } from '../../ports/events.js';
import { A, B, C, HOUR, mergedPeople, ROUND } from '../../testing/merged-people.js';
import { runs } from '../../testing/runs.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

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
const advance = async (project: number, hours: number) => {
  ahead += hours * HOUR;
  await merges().advance(project);
};
const { put, merge, answer, overrides, raw, rowsOf, settled, step, round } = mergedPeople(() => ({
  ...store,
  advance,
  uptime: scheduler.uptime,
}));
const versions = async (project: number) => (await store.dataVersion(project)).whole;

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
  for (const hours of ROUND) {
    await advance(project, hours);
    // also while a mutation runs
    expect(await answer(project)).toEqual(before);
    await settled();
    expect(await answer(project)).toEqual(before);
  }
  expect(await overrides(project)).toEqual([]);
  expect(await versions(project)).toBe(version);
  expect(await raw(project)).toEqual([A, B, C]);
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

test('a mutation of a store that was closed continues, and the next round ends it', async () => {
  const project = ++projects;
  for (let i = 0; i < 50; i++) await put(project, `id ${i}`, A);
  for (let i = 0; i < 50; i++) await merge(project, `id ${i}`, B, 1);
  const before = await answer(project);
  await advance(project, 25);
  await store.close();
  store = await open();
  expect(await answer(project)).toEqual(before);
  await settled();
  await round(project);
  expect(await answer(project)).toEqual(before);
  expect(await overrides(project)).toEqual([]);
});

test('of several overrides of a distinct id the newest counts until none is left, whichever part is rewritten first', async () => {
  const project = ++projects;
  const ids = Array.from({ length: 50_000 }, (_, at) => `id ${at}`);
  const mergeAll = (of: readonly string[], person_id: string, version: number) =>
    store.insert(
      'person_overrides',
      of.map((distinct_id) => ({ project_id: project, distinct_id, person_id, version })),
      { token: `${person_id} ${of.length}` },
    );
  await put(project, 'id 0', A);
  // the part with the newest ones is small, and comes before the large one
  await mergeAll(ids.slice(0, 10), C, 2);
  await answer(project);
  await mergeAll(ids, B, 1);
  await answer(project);
  for (const hours of [25, 0, 1]) await step(project, hours);
  const newest = `SELECT DISTINCT argMax(person_id, version) AS person FROM person_overrides
    WHERE project_id = ${project} AND distinct_id = 'id 0' GROUP BY distinct_id`;
  const seen = new Set<string>();
  let isReading = true;
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (isReading) for (const { person } of await rowsOf<{ person: string }>(newest)) seen.add(person);
    }),
  );
  for (const hours of [1, 0, 0]) await step(project, hours);
  isReading = false;
  await reading;
  expect([...seen]).toEqual([C]);
  expect(await overrides(project)).toEqual([]);
  expect(await answer(project)).toEqual([{ id: 'id 0', person: C, n: 1 }]);
});

test('what was noted of overrides is deleted with a person and with a project, also in the middle of a round', async () => {
  const project = ++projects;
  const noted = () =>
    rowsOf(`SELECT distinct_hash = cityHash64('x') AS is_x FROM overrides_seen WHERE project_id = ${project}
      UNION ALL SELECT distinct_hash = cityHash64('x') FROM overrides_applied WHERE project_id = ${project}`);
  for (const id of ['x', 'y']) await put(project, id, A);
  for (const id of ['x', 'y']) await merge(project, id, B, 1);
  for (const hours of [25, 0, 1]) await step(project, hours);
  expect(await noted()).toHaveLength(4);
  const erased = [{ distinctIds: ['x'], personIds: [B], until: Date.now() + HOUR }];
  await expect.poll(() => store.deleteEvents(project, erased)).toBe(true);
  await expect.poll(() => store.deleteProfiles(project, erased)).toBe(true);
  expect(await noted()).toEqual([{ is_x: 0 }, { is_x: 0 }]);
  for (const hours of [1, 0, 0]) await step(project, hours);
  expect(await overrides(project)).toEqual([]);
  expect(await answer(project)).toEqual([{ id: 'y', person: B, n: 1 }]);
  await expect.poll(() => store.deleteProject(project)).toBe(true);
  expect(await noted()).toEqual([]);
});

/** What happens to a few distinct ids: `late` rows carry what was read some acts ago. */
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('capture' as const), id: fc.nat(3), late: fc.nat(6) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('merge' as const), id: fc.nat(3), person: fc.nat(2), late: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deliver' as const) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('advance' as const), hours: fc.constantFrom(0, 1, 1, 25) }) },
);

test('whatever comes between the steps, also late, the answer is that of events and overrides that are never changed', async () => {
  const people = [A, B, C] as const;
  let droppedInAll = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 30 }), async (acts) => {
      const project = ++projects;
      // as PostgreSQL has them: the person of each id, with its version, after each act
      let links = people.map((_, id) => ({ id, person: A as string, version: 0 })).concat({ id: 3, person: A, version: 0 });
      const history = [{ links, readAt: scheduler.uptime() }];
      const events: { id: number; person: string }[] = [];
      const newest = new Map<number, { person: string; version: number }>();
      let waiting: { id: number; person: string; version: number; readAt: number }[] = [];

      const deliver = async (row: (typeof waiting)[number]) => {
        await merge(project, `id ${row.id}`, row.person, row.version, row.readAt).then(
          () => {
            if ((newest.get(row.id)?.version ?? 0) < row.version) newest.set(row.id, row);
          },
          // the outbox reads it again
          () => waiting.push({ ...(links[row.id] ?? row), readAt: scheduler.uptime() }),
        );
      };
      const deliverAll = async () => {
        while (waiting.length > 0) {
          const rows = waiting;
          waiting = [];
          for (const row of rows) await deliver(row);
        }
      };
      for (const one of acts) {
        if (one.kind === 'capture') {
          const read = history[Math.max(0, history.length - 1 - one.late)];
          const person = read?.links[one.id]?.person ?? A;
          await put(project, `id ${one.id}`, person, read?.readAt).then(
            () => events.push({ id: one.id, person }),
            () => {},
          );
        } else if (one.kind === 'merge') {
          const readAt = scheduler.uptime();
          const version = (links[one.id]?.version ?? 0) + 1;
          const row = { id: one.id, person: people[one.person] ?? A, version };
          links = links.map((link) => (link.id === one.id ? row : link));
          if (one.late) waiting.push({ ...row, readAt });
          else await deliver({ ...row, readAt });
        } else if (one.kind === 'deliver') await deliverAll();
        else await step(project, one.hours);
        history.push({ links, readAt: scheduler.uptime() });
      }
      await deliverAll();
      const counts = new Map<string, { id: string; person: string; n: number }>();
      for (const { id, person } of events) {
        const own = newest.get(id)?.person ?? person;
        const row = counts.get(`${id} ${own}`) ?? { id: `id ${id}`, person: own, n: 0 };
        counts.set(`${id} ${own}`, { ...row, n: row.n + 1 });
      }
      const expected = [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      expect(await answer(project)).toEqual(expected);
      droppedInAll += newest.size - (await overrides(project)).length;
    }),
    runs(12),
  );
  // the acts did reach the last step
  expect(droppedInAll).toBeGreaterThan(0);
}, 120_000);
