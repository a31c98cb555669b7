import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClickHouseCluster,
  eventMaker,
  eventually,
  type Service,
  startClickHouseCluster,
  startService,
  whyNoReplicas,
} from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../testing/run-command.js';

const reason = whyNoReplicas();
if (reason) console.log(`Tests of backups of replicas are skipped. ${reason}`);

/*
 * Backups of two shards of two replicas, without a quorum: what was acknowledged may be on one replica only.
 */
describe.skipIf(reason)('on two shards of two replicas', () => {
  let home: string;
  let cluster: ClickHouseCluster;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tidemark-replicas-'));
    cluster = await startClickHouseCluster({ shards: 2, replicas: 2, memory: 768 * 1024 * 1024 });
  });
  afterAll(async () => {
    await cluster?.close();
    await rm(home, { recursive: true, force: true });
  });

  const make = eventMaker(Math.floor(Math.random() * 1e9));
  /** Sends a batch until it is taken, as clients do. */
  async function capture({ url, account }: Service, count: number): Promise<void> {
    const batch = Array.from({ length: count }, (_, i) =>
      make({ distinct_id: `person ${i % 7}`, timestamp: new Date(Date.now() - (i % 5) * 24 * 3_600_000).toISOString() }),
    );
    const body = JSON.stringify({ api_key: account.projectKey, batch });
    const headers = { 'content-type': 'application/json' };
    await eventually(async () => expect((await fetch(`${url}/batch/`, { method: 'POST', headers, body })).status).toBe(200), {
      within: 120_000,
    });
  }
  /** Settings of a service on the cluster. */
  const settingsOf = (name: string) => {
    const [url, ...others] = cluster.nodes.map((node) => node.url);
    return {
      TIDEMARK_DATA: join(home, name),
      CLICKHOUSE_URL: `${[url, ...others.map((other) => new URL(other).host)].join()}/${name}`,
      CLICKHOUSE_CLUSTER: cluster.name,
    };
  };
  const start = (env: Record<string, string>, account?: Service['account']) =>
    startService({ dataDir: env['TIDEMARK_DATA'] ?? '', env, ...(account ? { account } : {}) });
  const nameOf = (word: string) => `${word}_${randomUUID().slice(0, 8)}`;
  const sortedUuids = async (service: Service) => (await service.storedUuids()).sort();
  /** All that is stored of each event and person. */
  async function contentOf(service: Service): Promise<unknown> {
    const answers = await Promise.all(
      [
        'select uuid, event, distinct_id, toString(timestamp), person_id, toString(properties) from events order by uuid limit 50000',
        'select id, toString(properties), is_identified from persons order by id limit 50000',
      ].map((query) =>
        service.post('/api/projects/@current/query/', { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' }),
      ),
    );
    return answers.map(({ status, body }) => {
      expect(status, JSON.stringify(body)).toBe(200);
      return (body as { results: unknown[] }).results;
    });
  }

  test('a backup under load has what was acknowledged before, and restores on one machine and on replicas', async () => {
    const settings = settingsOf(nameOf('loaded'));
    const service = await start(settings);
    const folder = join(home, nameOf('backup'));
    let isLoading = true;
    let acknowledged = 0;
    const load = (async () => {
      for (; isLoading; acknowledged += 20) await capture(service, 20);
    })();
    try {
      await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(100), { timeout: 120_000 });
      const before = await service.storedUuids();
      expect(await runCommand(['backup', folder], settings)).toMatchObject({ code: 0, errors: '' });
      isLoading = false;
      await load;
      const [wanted, uuids] = [await contentOf(service), await sortedUuids(service)];
      const one = { TIDEMARK_DATA: join(home, nameOf('one')) };
      expect(await runCommand(['restore', folder], one)).toMatchObject({ code: 0, errors: '' });
      const onOne = await start(one, service.account);
      const stored = await onOne.storedUuids();
      await onOne.stop();
      expect(new Set(stored).size).toBe(stored.length);
      expect(before.filter((uuid) => !stored.includes(uuid))).toEqual([]);

      expect(await runCommand(['backup', folder], settings)).toMatchObject({ code: 0, errors: '' });
      const other = settingsOf(nameOf('restored'));
      expect(await runCommand(['restore', folder], other)).toMatchObject({ code: 0, errors: '' });
      const onOther = await start(other, service.account);
      expect(await sortedUuids(onOther)).toEqual(uuids);
      expect(await contentOf(onOther)).toEqual(wanted);
      await onOther.stop();
    } finally {
      isLoading = false;
      await load.catch(() => {});
      await service.close();
    }
  });

  test('a backup has the rows that the first replica of a shard has not copied yet', async () => {
    const name = nameOf('behind');
    const settings = settingsOf(name);
    const service = await start(settings);
    const folder = join(home, nameOf('backup'));
    const [first, second] = [
      [0, 2],
      [1, 3],
    ] as const;
    const on = (nodes: readonly number[], statement: string) =>
      Promise.all(
        nodes.map(async (node) => {
          const answer = await fetch(cluster.nodes[node]?.url ?? '', { method: 'POST', body: statement });
          const text = (await answer.text()).trim();
          if (!answer.ok) throw new Error(text);
          return text;
        }),
      );
    const table = `${name}_local.events`;
    const count = async (nodes: readonly number[]) =>
      (await on(nodes, `SELECT count() FROM ${table}`)).reduce((sum, text) => sum + Number(text), 0);
    try {
      await capture(service, 40);
      await expect.poll(() => count(second)).toBe(40);
      await on(first, `SYSTEM STOP FETCHES ${table}`);
      // as if they had been captured while the first replicas were away
      await on(second, `INSERT INTO ${table} SELECT * REPLACE (generateUUIDv4() AS uuid) FROM ${table}`);
      const wanted = (await on(second, `SELECT uuid FROM ${table}`)).flatMap((text) => text.split('\n')).sort();
      expect(wanted).toHaveLength(80);
      expect(await sortedUuids(service)).toHaveLength(40);
      expect(await runCommand(['backup', folder], settings)).toMatchObject({ code: 0, errors: '' });
      expect(await count(first)).toBe(40);
      const one = { TIDEMARK_DATA: join(home, nameOf('one')) };
      expect(await runCommand(['restore', folder], one)).toMatchObject({ code: 0, errors: '' });
      const onOne = await start(one, service.account);
      expect(await sortedUuids(onOne)).toEqual(wanted);
      await onOne.stop();
    } finally {
      await service.close();
    }
  });
});
