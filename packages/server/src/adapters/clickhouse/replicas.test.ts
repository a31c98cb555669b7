import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseCluster, startClickHouseCluster, whyNoReplicas } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { type EventsStore, EventsUnavailable } from '../../ports/events.js';
import { eventRow, personRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';
import { settledRows } from './replicas.js';

test('rows count as stored when as many replicas have them as an insert needs', () => {
  const [one, other] = [{ uuid: 'a' }, { uuid: 'b' }];
  // a replica may have a row twice until its parts are merged
  const byReplica = [[one, other, other], [one]];
  expect(settledRows(byReplica, 2)).toEqual({ rows: [one], unsettled: [other] });
  expect(settledRows([[one], []], 2)).toEqual({ rows: [], unsettled: [one] });
  expect(settledRows(byReplica, 0)).toEqual({ rows: [one, other, other, one], unsettled: [] });
});

const reason = whyNoReplicas();
if (reason) console.log(`Tests of replicas are skipped. ${reason}`);

const shard = (...hosts: number[]) => {
  const replicas = hosts.map((host) => `<replica><host>127.0.0.${host}</host><port>{port}</port></replica>`);
  return `<shard><internal_replication>true</internal_replication>${replicas.join('')}</shard>`;
};

describe.skipIf(reason)('two shards of two replicas', () => {
  const options = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
  let cluster: ClickHouseCluster;
  beforeAll(async () => {
    cluster = await startClickHouseCluster({
      shards: 2,
      replicas: 2,
      memory: 768 * 1024 * 1024,
      otherClusters: `<mixed>${shard(1, 3)}</mixed><same>${shard(1, 1)}</same>`,
    });
  });
  afterAll(() => cluster?.close());

  const open = (database: string, quorum = '0', name = cluster.name): Promise<EventsStore> =>
    openEvents(
      loadConfig({
        CLICKHOUSE_URL: `${cluster.nodes.map(({ url }, index) => (index ? url.slice('http://'.length) : url)).join()}/${database}`,
        CLICKHOUSE_CLUSTER: name,
        TIDEMARK_CLICKHOUSE_QUORUM: quorum,
      }),
      options,
    );
  const rowsOf = (name: string) =>
    Array.from({ length: 100 }, (_, number) => eventRow({ project_id: 1, distinct_id: `${name} ${number}` }));
  const countsOf = async (store: EventsStore) =>
    (await store.query({ sql: 'SELECT count() AS n, uniq(uuid) AS uuids FROM events WHERE project_id = 1' })).rows[0];
  /** Inserts as a writer that meets an unknown end does: again and again. */
  const stored = (insert: () => Promise<unknown>) =>
    expect
      .poll(() =>
        insert().then(
          () => 'stored',
          (error) => (error instanceof EventsUnavailable ? 'again' : error),
        ),
      )
      .toBe('stored');
  const localCount = async (node: number, database: string): Promise<string> => {
    const body = `SELECT count() FROM ${database}_local.events`;
    return (await fetch(cluster.nodes[node]?.url ?? '', { method: 'POST', body })).text();
  };

  const on = async (node: number, body: string): Promise<void> => {
    const response = await fetch(cluster.nodes[node]?.url ?? '', { method: 'POST', body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  };

  test('while a replica is away rows are stored once, read and deleted, and it has them afterwards', async () => {
    const store = await open('away');
    await store.insert('events', rowsOf('first'), { token: 'first' });
    // without a quorum an insert is acknowledged by one replica, and copied afterwards
    await expect.poll(async () => (await localCount(0, 'away')) === (await localCount(1, 'away'))).toBe(true);
    await cluster.nodes[0]?.kill9();
    for (let round = 1; round <= 5; round++) {
      const rows = rowsOf(`round ${round}`);
      await stored(() => store.insert('events', rows, { token: `round ${round}` }));
      await store.insert('events', rows, { token: `round ${round}` });
    }
    expect(await countsOf(store)).toEqual({ n: 600, uuids: 600 });
    const erased = [{ distinctIds: ['first 5', 'round 1 7'], until: Date.now() + 60_000 }];
    await expect.poll(() => store.deleteEvents(1, erased)).toBe(true);
    expect(await countsOf(store)).toEqual({ n: 598, uuids: 598 });
    // a server that starts meanwhile
    const other = await open('away');
    expect(await countsOf(other)).toEqual({ n: 598, uuids: 598 });
    await cluster.nodes[0]?.restart();
    await expect.poll(async () => (await localCount(0, 'away')) === (await localCount(1, 'away'))).toBe(true);
    await Promise.all([store.close(), other.close()]);
  });

  test('with a quorum of two each replica has an acknowledged row', async () => {
    const store = await open('quorum', '2');
    const rows = rowsOf('all');
    // a replica that has just been started is not there at once
    await stored(() => store.insert('events', rows, { token: 'a' }));
    await store.insert('persons', [personRow({ project_id: 1, person_id: crypto.randomUUID() })], { token: 'b' });
    const counts = await Promise.all([0, 1, 2, 3].map((node) => localCount(node, 'quorum')));
    expect([counts[0], counts[2]]).toEqual([counts[1], counts[3]]);
    expect(Number(counts[0]) + Number(counts[2])).toBe(100);
    await expect(open('quorum', '3')).rejects.toMatchObject({ message: expect.stringMatching(/has 2 replicas: set 2 at most/) });
    await store.close();
  });

  test('with a quorum rows that one replica has are unsettled, because they are removed when that one goes away', async () => {
    const store = await open('unsettled', 'auto');
    await stored(() => store.insert('events', rowsOf('first'), { token: 'a' }));
    const found = async () => {
      const answer = await store.replicas?.query<{ uuid: string }>({ sql: 'SELECT uuid FROM events', maxSeconds: 5 });
      return { rows: answer?.rows.length, unsettled: answer?.unsettled.length };
    };
    expect(await found()).toEqual({ rows: 100, unsettled: 0 });
    // one of each shard does not copy what the other one has stored
    for (const node of [1, 3]) await on(node, 'SYSTEM STOP FETCHES unsettled_local.events');
    const inserting = store.insert('events', rowsOf('second'), { token: 'b' });
    await expect.poll(found).toEqual({ rows: 100, unsettled: 100 });
    for (const node of [1, 3]) await on(node, 'SYSTEM START FETCHES unsettled_local.events');
    expect(await inserting).toEqual([]);
    expect(await found()).toEqual({ rows: 200, unsettled: 0 });
    await store.close();
  });

  test('rows that one replica has are unsettled while it cannot compare its parts with those that Keeper knows', async () => {
    const store = await open('compared');
    await store.insert('events', rowsOf('first'), { token: 'a' });
    const found = async () => {
      const answer = await store.replicas?.query<{ uuid: string }>({ sql: 'SELECT uuid FROM events', maxSeconds: 5 });
      return { rows: new Set(answer?.rows.map(({ uuid }) => uuid)).size, unsettled: answer?.unsettled.length };
    };
    const isCopied = async () =>
      (await localCount(0, 'compared')) === (await localCount(1, 'compared')) &&
      (await localCount(2, 'compared')) === (await localCount(3, 'compared'));
    await expect.poll(isCopied).toBe(true);
    for (const node of [1, 3]) await on(node, 'SYSTEM STOP FETCHES compared_local.events');
    await store.insert('events', rowsOf('second'), { token: 'b' });
    expect(await found()).toEqual({ rows: 200, unsettled: 0 });
    await cluster.keeper?.kill9();
    await expect.poll(found).toEqual({ rows: 100, unsettled: 100 });
    await cluster.keeper?.restart();
    for (const node of [1, 3]) await on(node, 'SYSTEM START FETCHES compared_local.events');
    await expect.poll(isCopied).toBe(true);
    await expect.poll(found).toEqual({ rows: 200, unsettled: 0 });
    await store.close();
  });

  test('reads find what was stored while the other replicas lag, also if the one that has it is silent for a moment', async () => {
    const store = await open('moment');
    for (const node of [1, 3]) await on(node, 'SYSTEM STOP FETCHES moment_local.events');
    await store.insert('events', rowsOf('first'), { token: 'a' });
    // at once, so that they need connections of their own
    const readAll = () => Promise.all(Array.from({ length: 12 }, () => countsOf(store)));
    const ofSecondShard = cluster.nodes[2]?.pid ?? 0;
    let rounds = 0;
    for (let attempt = 0; attempt < 10 && rounds < 2; attempt += 1) {
      const begun = performance.now();
      process.kill(ofSecondShard, 'SIGSTOP');
      const answers = readAll().catch((error: unknown) => error);
      await sleep(300);
      process.kill(ofSecondShard, 'SIGCONT');
      const found = await answers;
      // it is left after two seconds, which pass on a machine that stalls
      if (performance.now() - begun > 1_500) continue;
      rounds += 1;
      expect(found).toEqual(Array(12).fill({ n: 100, uuids: 100 }));
    }
    expect(rounds).toBeGreaterThan(0);
    // one that stays silent is left
    for (const node of [1, 3]) await on(node, 'SYSTEM START FETCHES moment_local.events');
    await expect.poll(async () => (await localCount(2, 'moment')) === (await localCount(3, 'moment'))).toBe(true);
    process.kill(ofSecondShard, 'SIGSTOP');
    try {
      expect(await readAll()).toEqual(Array(12).fill({ n: 100, uuids: 100 }));
    } finally {
      process.kill(ofSecondShard, 'SIGCONT');
    }
    await store.close();
  });

  test.each([
    ['mixed', /127\.0\.0\.1:\d+ and http:\/\/127\.0\.0\.3:\d+ are replicas of one shard, but their macro "shard" differs/],
    ['same', /have the same macros: give each node its own <replica> in <macros>/],
  ])('a start says in one sentence what is wrong with the macros of the cluster "%s"', async (name, sentence) => {
    await expect(open('macros', '0', name)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(sentence),
    });
  });
});

describe.skipIf(reason)('three replicas of a shard', () => {
  const options = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
  const nameOf = (purpose: string) => `${purpose}_${crypto.randomUUID().slice(0, 8)}`;
  let cluster: ClickHouseCluster;
  beforeAll(async () => {
    cluster = await startClickHouseCluster({
      shards: 1,
      replicas: 3,
      memory: 768 * 1024 * 1024,
      otherClusters: `<pair>${shard(1, 2)}</pair><halves>${shard(1)}${shard(2, 3)}</halves>`,
    });
  });
  afterAll(() => cluster?.close());

  const open = (database: string, name: string): Promise<EventsStore> =>
    openEvents(loadConfig({ CLICKHOUSE_URL: `${cluster.url}/${database}`, CLICKHOUSE_CLUSTER: name }), options);
  const on = async (node: number, body: string): Promise<string> => {
    const response = await fetch(cluster.nodes[node]?.url ?? '', { method: 'POST', body });
    const text = (await response.text()).trim();
    if (!response.ok) throw new Error(text);
    return text;
  };
  const rowsOf = (name: string) =>
    Array.from({ length: 100 }, (_, number) => eventRow({ project_id: 1, distinct_id: `${name} ${number}` }));

  test('a start says that two shards have the same macro "shard"', async () => {
    await expect(open('halves', 'halves')).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/are of two shards, but have the same macro "shard": give each shard its own/),
    });
  });

  test('a replica is added to two, and gets the rows and later changes', async () => {
    // of this try alone
    const database = nameOf('added');
    const pair = await open(database, 'pair');
    await pair.insert('events', rowsOf('before'), { token: 'before' });
    await pair.close();
    // the definition has a third one now
    const trio = await open(database, cluster.name);
    await expect.poll(() => on(2, `SELECT count() FROM ${database}_local.events`)).toBe('100');
    await trio.insert('events', rowsOf('after'), { token: 'after' });
    await expect.poll(() => on(2, `SELECT count() FROM ${database}_local.events`)).toBe('200');
    expect(await on(2, `SELECT count() FROM ${database}.events`)).toBe('200');
    await trio.close();
  });

  test.each([0, 1])(
    'an empty machine in the place of replica %i gets tables and rows once Keeper has forgotten the lost one',
    async (lost) => {
      const database = nameOf(`replaced${lost}`);
      await (await open(database, cluster.name)).close();
      const store = await open(database, cluster.name);
      await store.insert('events', rowsOf('before'), { token: 'before' });
      const other = (lost + 1) % 3;
      await expect.poll(() => on(other, `SELECT count() FROM ${database}_local.events`)).toBe('100');
      await store.close();
      await cluster.nodes[lost]?.restart({ isEmpty: true });
      await expect(open(database, cluster.name)).rejects.toMatchObject({
        name: 'ConfigError',
        message: expect.stringMatching(/has no tables, and Keeper knows a replica of its name: .*SYSTEM DROP REPLICA/),
      });
      // Keeper notices that the lost one is away only when its session ends
      await expect
        .poll(() => on(other, `SYSTEM DROP REPLICA '${lost + 1}' FROM DATABASE ${database}_local`).then(() => 'done', String))
        .toBe('done');
      const again = await open(database, cluster.name);
      await expect.poll(() => on(lost, `SELECT count() FROM ${database}_local.events`)).toBe('100');
      await again.insert('events', rowsOf('after'), { token: 'after' });
      await expect.poll(() => on(lost, `SELECT count() FROM ${database}_local.events`)).toBe('200');
      await again.close();
    },
  );
});
