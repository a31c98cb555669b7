import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseCluster, startClickHouseCluster } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { eventRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

/*
 * Nodes with a cheaper disk for old parts, as docs/guide/clusters.md has it.
 */

let folder: string;
let cluster: ClickHouseCluster;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-cold-'));
  cluster = await startClickHouseCluster({
    shards: 2,
    config: `<storage_configuration>
      <disks><cold><path>${folder}/{host}/</path></cold></disks>
      <policies><tiered><volumes>
        <default><disk>default</disk></default>
        <cold><disk>cold</disk></cold>
      </volumes></tiered></policies>
    </storage_configuration>
    <merge_tree><storage_policy>tiered</storage_policy></merge_tree>`,
  });
});
afterAll(async () => {
  await cluster?.close();
  await rm(folder, { recursive: true, force: true });
});

test('tables are made with the storage policy of their nodes, and old parts on its second volume are read and deleted', async () => {
  const open = () =>
    openEvents(loadConfig({ CLICKHOUSE_URL: `${cluster.url}/tiered`, CLICKHOUSE_CLUSTER: cluster.name }), {
      log: pino({ level: 'silent' }),
      scheduler: createScheduler(),
    });
  const store = await open();
  const on = (statement: string) =>
    Promise.all(
      cluster.nodes.map(async ({ url }) => {
        const answer = await fetch(url, { method: 'POST', body: statement });
        const text = (await answer.text()).trim();
        if (!answer.ok) throw new Error(text);
        return text;
      }),
    );
  const policies =
    "SELECT DISTINCT storage_policy FROM system.tables WHERE database = 'tiered_local' AND engine LIKE '%MergeTree'";
  expect(await on(policies)).toEqual(['tiered', 'tiered']);
  // tables that were there before the policy
  await on("CREATE TABLE tiered_local.former (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS storage_policy = 'default'");
  await on("ALTER TABLE tiered_local.former MODIFY SETTING storage_policy = 'tiered'");
  expect(await on(policies)).toEqual(['tiered', 'tiered']);

  await on("ALTER TABLE tiered_local.events MODIFY TTL toDateTime(timestamp) + INTERVAL 90 DAY TO VOLUME 'cold'");
  const rows = [1, 200].flatMap((days) => {
    const timestamp = Date.now() - days * 24 * 3_600_000;
    return Array.from({ length: 50 }, (_, number) => eventRow({ project_id: 1, distinct_id: `id ${number}`, timestamp }));
  });
  await store.insert('events', rows, { token: 'a' });
  const disks =
    "SELECT DISTINCT disk_name FROM system.parts WHERE database = 'tiered_local' AND table = 'events' AND active ORDER BY 1";
  await expect.poll(() => on(disks)).toEqual(['cold\ndefault', 'cold\ndefault']);
  const count = async () => (await store.query({ sql: 'SELECT count() AS n FROM events' })).rows;
  expect(await count()).toEqual([{ n: 100 }]);
  await expect.poll(() => store.deleteEvents(1, [{ distinctIds: ['id 4'], until: Date.now() + 60_000 }])).toBe(true);
  expect(await count()).toEqual([{ n: 98 }]);
  // a start finds the tables as they should be
  await (await open()).close();
  await store.close();
});
