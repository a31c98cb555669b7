import { randomUUID } from 'node:crypto';
import { type ClickHouseCluster, eventually, startClickHouseCluster, whyNoReplicas } from '@tidemark/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recoverOutbox, sweepEventLocks } from './ingestion/index.js';
import { EventsUnavailable } from './ports/events.js';
import { enforceRetention, purgePersons } from './purge/index.js';
import { startTestService, type TestService } from './testing/service.js';

const reason = whyNoReplicas();
if (reason) console.log(`Tests of events on replicas are skipped. ${reason}`);

const HOUR = 3_600_000;

/*
 * Two servers on two shards of two replicas, without a quorum. Reads and inserts go to the first replica of each shard that answers.
 */
describe.skipIf(reason)('on two shards of two replicas', () => {
  let cluster: ClickHouseCluster;
  let database: string;
  let first: TestService;
  let second: TestService;
  beforeAll(async () => {
    cluster = await startClickHouseCluster({ shards: 2, replicas: 2, memory: 768 * 1024 * 1024 });
  });
  afterAll(() => cluster?.close());
  beforeEach(async () => {
    database = `once_${randomUUID().slice(0, 8)}`;
    const [url, ...others] = cluster.nodes.map((node) => node.url);
    const shared = {
      clickhouseUrl: `${[url, ...others.map((other) => new URL(other).host)].join()}/${database}`,
      clickhouseCluster: cluster.name,
      databaseUrl: 'postgres://db.example.com/tidemark',
    };
    first = await startTestService(shared);
    second = await startTestService(shared, first);
  });
  /** Replicas that were killed. */
  const killed = new Set<number>();
  const away = async (node: number) => {
    killed.add(node);
    await cluster.nodes[node]?.kill9();
  };
  const back = async () => {
    for (const node of killed) await cluster.nodes[node]?.restart();
    killed.clear();
    await restartEnded();
  };
  /** The library of the test servers ends when a connection between them breaks, as when a part is not sent. */
  const restartEnded = async () => {
    for (const node of cluster.nodes) {
      const isThere = await fetch(`${node.url}/ping`, { signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!isThere) await node.restart();
    }
  };
  afterEach(async () => {
    await back();
    await second?.close();
    await first?.close();
  });

  const batchOf = (size = 20) =>
    Array.from({ length: size }, () => ({
      event: 'seen',
      distinct_id: randomUUID(),
      uuid: randomUUID(),
      timestamp: new Date().toISOString(),
    }));
  /** Events that are old enough to be looked up. */
  const aged = (batch: ReturnType<typeof batchOf>) =>
    batch.map((event) => ({ ...event, timestamp: new Date(Date.parse(event.timestamp) - 10_000).toISOString() }));
  const capture = async (server: TestService, batch: object[]) =>
    (await server.call('POST', '/batch/', { key: null, body: { api_key: server.projectKey, batch } })).statusCode;
  const on = async (node: number, body: string): Promise<string> => {
    const response = await fetch(cluster.nodes[node]?.url ?? '', { method: 'POST', body });
    const text = (await response.text()).trim();
    if (!response.ok) throw new Error(text);
    return text;
  };
  const onSecondReplicas = (statement: string) =>
    Promise.all([1, 3].map((node) => on(node, `${statement} ${database}_local.events`)));
  /** Locks of a server that has been gone for some seconds. */
  const ageLocks = (seconds: number) =>
    sql`update event_claims set claimed_at = clock_timestamp() - make_interval(secs => ${seconds}) where project_id > 0`.execute(
      second.deps.db,
    );
  /** Rows and uuids of all shards once their replicas are the same. */
  const counts = async () => {
    const local = (node: number) =>
      on(node, `SELECT count(), uniqExact(uuid), sum(cityHash64(uuid)) FROM ${database}_local.events`);
    const all = await eventually(
      async () => {
        const each = await Promise.all([0, 1, 2, 3].map(local));
        expect([each[0], each[2]]).toEqual([each[1], each[3]]);
        return [each[0], each[2]].map((text) => (text ?? '').split('\t').map(Number));
      },
      { within: 120_000 },
    );
    return [0, 1].map((column) => all.reduce((sum, shard) => sum + (shard[column] ?? 0), 0));
  };

  test('an event is stored once if the replica that has it goes away before it answers, and the other one lags', async () => {
    await onSecondReplicas('SYSTEM STOP FETCHES');
    const { events } = first.deps;
    const { insert } = events;
    let inserts = 0;
    events.insert = async (table, ...rest) => {
      if (table !== 'events' || ++inserts > 1) return insert(table, ...rest);
      await insert(table, ...rest);
      await away(0);
      throw new EventsUnavailable('no answer');
    };
    const batch = batchOf();
    expect(await capture(first, batch)).toBe(200);
    expect(inserts).toBe(2);
    await onSecondReplicas('SYSTEM START FETCHES');
    await back();
    expect(await counts()).toEqual([20, 20]);
  });

  test('an event is stored once if a client sends it again to another server while only a replica that is away has it', async () => {
    await sweepEventLocks(second.deps);
    await sql`update event_claims set claimed_at = clock_timestamp() - interval '1 hour'`.execute(second.deps.db);
    await onSecondReplicas('SYSTEM STOP FETCHES');
    const batch = batchOf();
    expect(await capture(first, batch)).toBe(200);
    await away(0);
    await ageLocks(10);
    expect(await capture(second, batch)).toBe(503);
    // events that nobody has seen are on no replica
    expect(await capture(second, aged(batchOf()))).toBe(200);
    // the locks, which tell this, are kept for as long
    await expect.poll(() => second.deps.events.replicas?.waiting()).toBeGreaterThan(5);
    await ageLocks(60);
    await sweepEventLocks(second.deps);
    expect(await capture(second, batch)).toBe(503);
    await onSecondReplicas('SYSTEM START FETCHES');
    await back();
    await ageLocks(10);
    await eventually(async () => expect(await capture(second, batch)).toBe(200), { within: 120_000 });
    expect(await counts()).toEqual([40, 40]);
    await expect.poll(() => second.deps.events.replicas?.waiting()).toBe(0);
    await ageLocks(60);
    await sweepEventLocks(second.deps);
    expect(await second.deps.db.selectFrom('event_claims').select('uuid').where('project_id', '>', 0).execute()).toEqual([]);
  });

  test('a new event is stored once if a client sends it again at once to another server, and PostgreSQL has crashed meanwhile', async () => {
    await sweepEventLocks(second.deps);
    await sql`update event_claims set claimed_at = clock_timestamp() - interval '1 hour'`.execute(second.deps.db);
    // as from a clock that is ahead, so that the machine may be slow
    const batch = batchOf().map((event) => ({ ...event, timestamp: new Date(Date.now() + 4_000).toISOString() }));
    expect(await capture(first, batch)).toBe(200);
    await sql`truncate event_claims`.execute(second.deps.db);
    expect(await capture(second, batch)).toBe(200);
    await sweepEventLocks(second.deps);
    expect(await capture(first, batch)).toBe(200);
    expect(await counts()).toEqual([20, 20]);
  });

  test('an event is stored once if only a replica that is away has it, and PostgreSQL has crashed and forgotten that it was tried', async () => {
    await sweepEventLocks(second.deps);
    await onSecondReplicas('SYSTEM STOP FETCHES');
    const batch = batchOf();
    expect(await capture(first, batch)).toBe(200);
    await away(0);
    // as a crash leaves a table without a log
    await sql`truncate event_claims`.execute(second.deps.db);
    const old = aged(batch);
    expect(await capture(second, old.slice(0, 10))).toBe(503);
    // locks that are kept since then tell nothing of the rows before
    await sweepEventLocks(second.deps);
    expect(await capture(second, old.slice(10))).toBe(503);
    await onSecondReplicas('SYSTEM START FETCHES');
    await back();
    await ageLocks(10);
    await eventually(async () => expect(await capture(second, old)).toBe(200), { within: 120_000 });
    expect(await counts()).toEqual([20, 20]);
  });

  test('an event is stored once if a replica that was away is back, and has not copied it yet', async () => {
    await away(0);
    const batch = batchOf();
    await eventually(async () => expect(await capture(first, batch)).toBe(200), { within: 120_000 });
    await onSecondReplicas('SYSTEM STOP REPLICATED SENDS');
    await back();
    await ageLocks(10);
    await eventually(
      async () => {
        await restartEnded();
        expect(await capture(second, batch)).toBe(200);
      },
      { within: 120_000 },
    );
    await restartEnded();
    await onSecondReplicas('SYSTEM START REPLICATED SENDS');
    expect(await counts()).toEqual([20, 20]);
  });

  test('with a quorum an event is acknowledged when enough replicas have it, also if it is found on one before', async () => {
    const { clickhouseUrl, clickhouseCluster, databaseUrl } = first.deps.config;
    const shared = { clickhouseUrl, clickhouseCluster, databaseUrl, clickhouseQuorum: 'auto' as const };
    const [third, fourth] = [await startTestService(shared, first), await startTestService(shared, first)];
    try {
      await onSecondReplicas('SYSTEM STOP FETCHES');
      const batch = batchOf();
      const waiting = capture(third, batch);
      const found = async () => Number(await on(0, `SELECT count() FROM ${database}.events`));
      await expect.poll(found).toBe(20);
      // as if the server of the insert had died
      await sql`update event_claims set server = gen_random_uuid() where project_id > 0`.execute(second.deps.db);
      await ageLocks(10);
      expect(await capture(fourth, batch)).toBe(503);
      await onSecondReplicas('SYSTEM START FETCHES');
      // on a slow machine its limit has passed meanwhile
      await waiting;
      await ageLocks(10);
      await eventually(
        async () => {
          await restartEnded();
          expect(await capture(fourth, batch)).toBe(200);
        },
        { within: 120_000 },
      );
      expect(await counts()).toEqual([20, 20]);
    } finally {
      await Promise.all([third.close(), fourth.close()]);
    }
  });

  test('an event is stored once if a server failed to store it, and another one gets it at once', async () => {
    const batch = batchOf();
    const { events } = first.deps;
    const { insert } = events;
    events.insert = async (table, ...rest) => {
      if (table === 'events') {
        await insert(table, ...rest);
        throw new EventsUnavailable('no answer');
      }
      return insert(table, ...rest);
    };
    expect(await capture(first, batch)).toBe(503);
    events.insert = insert;
    await eventually(async () => expect(await capture(second, batch)).toBe(200), { within: 60_000 });
    expect(await counts()).toEqual([20, 20]);
  });

  test('an event is stored once if its server dies while the insert waits for Keeper, and another server gets it', async () => {
    // merges would remove what is stored twice
    for (const node of [0, 1, 2, 3]) await on(node, `SYSTEM STOP MERGES ${database}_local.events`);
    // both servers use the first node
    const inserts = async () =>
      Number(
        await on(
          0,
          `SELECT count() FROM system.processes WHERE current_database = '${database}' AND query LIKE 'INSERT INTO events %'`,
        ),
      );
    await cluster.keeper?.kill9();
    const batch = batchOf();
    const abandoned = capture(first, batch);
    let refused: number | null = null;
    try {
      await expect.poll(inserts).toBe(1);
      // as if the first one had died: nobody renews its locks any more
      await sql`update event_claims set server = gen_random_uuid() where project_id > 0`.execute(second.deps.db);
      await ageLocks(10);
      capture(second, batch).then((status) => {
        refused = status;
      });
      await expect.poll(async () => refused ?? (await inserts())).toBeGreaterThan(1);
    } finally {
      await cluster.keeper?.restart();
    }
    await abandoned;
    await ageLocks(10);
    await eventually(async () => expect(await capture(second, batch)).toBe(200), { within: 120_000 });
    expect(await counts()).toEqual([20, 20]);
    expect(refused).toBe(503);
  });

  const poll = (work: () => Promise<unknown>) => expect.poll(work, { timeout: 120_000, interval: 100 });
  /** Values of a column on each node, of its own rows. */
  const onEach = (select: string, table: string) =>
    Promise.all([0, 1, 2, 3].map((node) => on(node, `SELECT ${select} FROM ${database}_local.${table}`)));

  test('what is known of a deleted person is gone on each replica, also on one that was away', async () => {
    const user = `user ${randomUUID()}`;
    const identify = {
      event: '$identify',
      distinct_id: user,
      properties: { $anon_distinct_id: `anonymous ${user}`, $set: { a: 1 } },
    };
    const seen = batchOf(10).map((event) => ({ ...event, distinct_id: `anonymous ${user}` }));
    const changed = { event: 'changed', distinct_id: user, properties: { $set: { email: 'ann@example.com' } } };
    for (const batch of [seen, [identify], [changed], batchOf(10)]) expect(await capture(first, batch)).toBe(200);
    const path = `/api/projects/${first.projectId}/persons`;
    const { id, uuid } = (await first.call('GET', `${path}/?distinct_id=${encodeURIComponent(user)}`)).json().results[0];
    const ofPerson = [
      ['events', `distinct_id LIKE '%${user}'`, 12],
      ['persons', `person_id = '${uuid}' AND NOT is_deleted`, 1],
      ['person_overrides', `distinct_id LIKE '%${user}'`, 1],
    ] as const;
    for (const [table, condition, least] of ofPerson) {
      await poll(async () => {
        const [a = '', , c = ''] = await onEach(`countIf(${condition})`, table);
        return Number(a) + Number(c);
      }).toBeGreaterThanOrEqual(least);
      // a deletion is not over while one replica alone has a part, even one without rows of the person
      await Promise.all([0, 1, 2, 3].map((node) => on(node, `SYSTEM SYNC REPLICA ${database}_local.${table}`)));
    }
    const { insert } = first.deps.events;
    const inserts: Promise<unknown>[] = [];
    first.deps.events.insert = (...given) => {
      const inserted = insert(...given);
      inserts.push(inserted);
      return inserted;
    };
    await away(0);
    const gone = await eventually(
      async () => {
        const answer = await first.call('DELETE', `${path}/${id}/?delete_events=true`);
        if (answer.statusCode === 503) throw new Error('a store is away');
        return answer;
      },
      { within: 60_000 },
    );
    expect(gone.statusCode, gone.body).toBe(204);
    // one insert of the deletion may go on after another one has failed; a purge comes minutes later
    await Promise.allSettled(inserts);
    const running = `SELECT count() FROM system.processes WHERE current_database LIKE '${database}%' AND query_kind = 'Insert'`;
    await poll(() => Promise.all([1, 2, 3].map((node) => on(node, running)))).toEqual(['0', '0', '0']);
    first.clock.advance(HOUR);
    await poll(async () => {
      // until another replica is in use
      const isAway = (error: unknown) => expect(error).toBeInstanceOf(EventsUnavailable);
      // as the sweep: what the deletion could not copy to the replica that is away
      await recoverOutbox(first.deps).catch(isAway);
      await purgePersons(first.deps).catch(isAway);
      const purges = await first.deps.db.selectFrom('person_purges').selectAll().execute();
      if (purges.length === 0) return [];
      // what a failure prints: why the purge waits
      const outbox = await first.deps.db.selectFrom('analytics_outbox').selectAll().execute();
      const where = `WHERE database = '${database}_local'`;
      const mutations = `SELECT table, command, parts_to_do, latest_fail_reason FROM system.mutations ${where} AND NOT is_done`;
      const parts = `SELECT table, type, new_part_name, left(last_exception, 200) FROM system.replication_queue ${where}`;
      const waiting = [mutations, parts].map((sql) => Promise.all([1, 2, 3].map((node) => on(node, sql).catch(String))));
      return [purges, outbox, await Promise.all(waiting)];
    }).toEqual([]);
    await back();
    for (const [table, condition] of ofPerson) {
      await poll(async () => [table, ...(await onEach(`countIf(${condition})`, table))]).toEqual([table, '0', '0', '0', '0']);
    }
    expect((await counts())[0]).toBe(10);
  });

  test('events whose retention is over are gone on each replica, also on one that was away', async () => {
    const old = batchOf(20).map((event) => ({ ...event, timestamp: new Date(Date.now() - 9 * 24 * HOUR).toISOString() }));
    expect(await capture(first, old)).toBe(200);
    expect(await capture(first, batchOf(20))).toBe(200);
    expect(await counts()).toEqual([40, 40]);
    const days = { events_retention_days: 7 };
    expect((await first.call('PATCH', `/api/projects/${first.projectId}/`, { body: days })).statusCode).toBe(200);
    await away(2);
    const left = async () => {
      await enforceRetention(first.deps).catch((error) => expect(error).toBeInstanceOf(EventsUnavailable));
      const { rows } = await first.deps.events.query<{ n: number }>({ sql: 'select count() as n from events' });
      return rows[0]?.n;
    };
    await poll(left).toBe(20);
    await back();
    await poll(() => onEach('countIf(timestamp < now() - INTERVAL 8 DAY)', 'events')).toEqual(['0', '0', '0', '0']);
    expect(await counts()).toEqual([20, 20]);
  });
});
