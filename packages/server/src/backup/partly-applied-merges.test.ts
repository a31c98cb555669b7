import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBlobs, openFolder } from '../adapters/blobs/index.js';
import { openEvents } from '../adapters/clickhouse/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';
import type { Blobs } from '../ports/blobs.js';
import { testDatabase } from '../testing/database.js';
import { A, B, C, HOUR, mergedPeople, ROUND } from '../testing/merged-people.js';
import { makeBackup, move, readManifest, restore } from './index.js';

const log = pino({ level: 'silent' });
const PROJECT = 1;

let home: string;
let folder: Blobs;
let directories = 0;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-partly-'));
  folder = await openFolder({ path: join(home, 'backups') }, { fsync: false, log });
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await rm(home, { recursive: true, force: true });
});

/** Empty stores, or those of a directory. @param env where they are, besides the directory */
async function openStores(env: Record<string, string> = {}) {
  const config = loadConfig({ TIDEMARK_DATA: join(home, `data ${++directories}`), TIDEMARK_ENGINE_MEMORY_MB: '512', ...env });
  let ahead = 0;
  const real = createScheduler();
  const scheduler = { ...real, uptime: () => real.uptime() + ahead };
  const [database, events, blobs] = await Promise.all([
    testDatabase(),
    openEvents(config, { log, scheduler }),
    openBlobs(config, log),
  ]);
  const people = mergedPeople(() => ({
    ...events,
    uptime: scheduler.uptime,
    advance: async (project, hours) => {
      ahead += hours * HOUR;
      await events.merges?.advance(project);
    },
  }));
  let isOpen = true;
  const close = async () => {
    if (isOpen) await Promise.all([database.close(), events.close(), blobs.close()]);
    isOpen = false;
  };
  closing.push(close);
  return { stores: { db: database.db, events, blobs }, people, close, directory: config.dataDir };
}

/** Events of two ids in some months, who were merged twice, the newest time first. */
async function fill({ put, merge }: ReturnType<typeof mergedPeople>): Promise<void> {
  for (const id of ['x', 'y']) {
    for (let month = 0; month < 3; month++) await put(PROJECT, id, A, undefined, Date.UTC(2026, month, 5));
    await merge(PROJECT, id, C, 2);
    await merge(PROJECT, id, B, 1);
  }
}

const PEOPLE = ['x', 'y'].map((id) => ({ id, person: C, n: 3 }));

test('a backup of any step of a round has the same people when it is restored, and its next round ends well', async () => {
  const { stores, people, close } = await openStores();
  await fill(people);
  const backups: string[] = [];
  const backup = async () => {
    const options = { clock: { now: () => Date.UTC(2026, 5, 1) + backups.length * HOUR }, version: 'test', keep: null };
    const { name, manifest } = await makeBackup(stores, async () => folder, options);
    backups.push(name);
    return new Set(manifest.events.units.map(({ file }) => file.key));
  };
  const first = await backup();
  const ofSteps: Set<string>[] = [];
  for (const hours of ROUND) {
    // while the mutation runs
    await people.advance(PROJECT, hours);
    ofSteps.push(await backup());
    await people.settled();
  }
  // days whose events were changed are copied again, and nothing else
  const last = await backup();
  expect([...last].filter((key) => first.has(key))).toEqual([]);
  expect(await backup()).toEqual(last);
  await close();

  for (const name of backups.slice(1, ROUND.length)) {
    const restored = await openStores();
    await restore(restored.stores, folder, await readManifest(folder, name), { report: () => {}, withMetadata: false });
    expect(await restored.people.answer(PROJECT)).toEqual(PEOPLE);
    await restored.people.round(PROJECT);
    expect(await restored.people.answer(PROJECT)).toEqual(PEOPLE);
    expect(await restored.people.overrides(PROJECT)).toEqual([]);
    await restored.close();
  }
});

test('stores whose merges are partly applied move to servers, which keep the overrides, and back, where the next round ends well', async () => {
  const clickhouse = await startClickHouseServer();
  closing.push(() => clickhouse.close());
  const embedded = await openStores();
  await fill(embedded.people);
  for (const hours of ROUND.slice(0, 3)) await embedded.people.step(PROJECT, hours);
  // of two ids, one needs its override and the other one does not
  await embedded.people.merge(PROJECT, 'y', A, 3);
  const people = PEOPLE.map((row) => (row.id === 'y' ? { ...row, person: A } : row));
  // the mutation runs when the move begins
  await embedded.people.advance(PROJECT, 1);

  const onServers = await openStores({ CLICKHOUSE_URL: `${clickhouse.url}/moved` });
  await move(embedded.stores, onServers.stores, () => {});
  expect(await onServers.people.answer(PROJECT)).toEqual(people);
  expect(await onServers.people.overrides(PROJECT)).toContainEqual({ distinct_id: 'y', version: 3 });
  await onServers.people.merge(PROJECT, 'x', B, 4);
  const moved = people.map((row) => (row.id === 'x' ? { ...row, person: B } : row));
  await onServers.people.round(PROJECT);
  expect(await onServers.people.overrides(PROJECT)).toHaveLength(2);

  const back = await openStores();
  await move(onServers.stores, back.stores, () => {});
  expect(await back.people.answer(PROJECT)).toEqual(moved);
  await back.people.round(PROJECT);
  expect(await back.people.answer(PROJECT)).toEqual(moved);
  expect(await back.people.overrides(PROJECT)).toEqual([]);
});
