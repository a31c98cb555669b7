import { randomUUID } from 'node:crypto';
import {
  type ClickHouseCluster,
  cpuOf,
  type EventMaker,
  processTree,
  type Service,
  startClickHouseCluster,
  startService,
  webEventMaker,
} from '@tidemark/testkit';
import { type PostgresServer, startPostgresServer } from '../../../packages/server/src/testing/postgres-server.js';
import { type LoadResult, runLoad } from '../load.js';
import { batchRequest, eachOnce, flagsRequest } from '../requests.js';
import { type CountedWay, countBytes } from './count-bytes.js';
import { cpuByNode, sum, untilMerged } from './nodes.js';

const DATABASE = 'capture';
const BATCH = 20;
const CONNECTIONS = 64;
const PEOPLE = 2_000;
const FLAGS = 50;

/** What one event, or one request for flags, costs: microseconds of processor time, statements and bytes. */
export interface UnitCosts {
  service: number;
  postgres: number;
  /** All nodes together, with the merges that follow. */
  clickhouse: number;
  /** PostgreSQL statements, commits included. */
  statements: number;
  /** Bytes of the requests. */
  requestBytes: number;
  /** Bytes between service and PostgreSQL. */
  postgresBytes: number;
  /** Bytes of PostgreSQL's write-ahead log, which standbys receive. */
  walBytes: number;
}

/** Costs through the whole service with a PostgreSQL server and a cluster. */
export interface ServiceCosts {
  shards: number;
  /** An event of a known person. */
  known: UnitCosts;
  /** An event of a new person. */
  fresh: UnitCosts;
  /** A request for 50 flags that was not answered before. */
  flags: UnitCosts;
  /** Events of an insert into ClickHouse, on average. */
  rowsPerInsert: number;
  /** Bytes of the tables and indexes that a person with one distinct id takes in PostgreSQL. */
  bytesPerPerson: number;
}

interface Parts {
  service: Service;
  postgres: PostgresServer;
  way: CountedWay;
  cluster: ClickHouseCluster;
}

/** Captures events and asks for flags, and reads what each process and each connection has used. */
export async function serviceCosts(shards: number, events: number): Promise<ServiceCosts> {
  const [cluster, postgres] = await Promise.all([
    startClickHouseCluster({ shards, memory: 2 * 1024 ** 3 }),
    startPostgresServer(),
  ]);
  await postgres.run("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await postgres.restart();
  await postgres.run('create extension pg_stat_statements');
  const way = await countBytes(postgres.port);
  const service = await startService({
    env: {
      DATABASE_URL: postgres.url().replace(`:${postgres.port}/`, `:${way.port}/`),
      CLICKHOUSE_URL: `${cluster.url}/${DATABASE}`,
      CLICKHOUSE_CLUSTER: cluster.name,
    },
  });
  const parts = { service, postgres, way, cluster };
  try {
    await makeFlags(service);
    const requests = (count: number, make: EventMaker) =>
      Array.from({ length: Math.ceil(count / BATCH) }, () => batchRequest(service.account.projectKey, make, BATCH));
    await send(service, requests(PEOPLE * 5, webEventMaker(1, PEOPLE)));
    const inserts = await insertsOf(service);
    const known = await costs(parts, requests(events, webEventMaker(2, PEOPLE)), BATCH, webEventMaker(2, PEOPLE));
    const later = await insertsOf(service);
    const rowsPerInsert = (later.rows - inserts.rows) / (later.count - inserts.count);
    const anybody = webEventMaker(3);
    const [before, persons] = [await personBytes(postgres), Math.ceil(events / 2 / BATCH) * BATCH];
    const fresh = await costs(
      parts,
      requests(persons, () => anybody({ distinct_id: randomUUID() })),
      BATCH,
    );
    const bytesPerPerson = ((await personBytes(postgres)) - before) / persons;
    const questions = Array.from({ length: events / 4 }, (_, number) =>
      flagsRequest(service.account.projectKey, `visitor-2-${number % PEOPLE}`, `device-${number}`),
    );
    const flags = await costs(parts, questions, 1);
    return { shards, known, fresh, flags, rowsPerInsert, bytesPerPerson };
  } finally {
    await service.close();
    way.close();
    await Promise.all([postgres.close(), cluster.close()]);
  }
}

/** @param first events of these persons are captured before, so that they are known */
async function costs(parts: Parts, requests: readonly Buffer[], size: number, first?: EventMaker): Promise<UnitCosts> {
  const { service } = parts;
  if (first) {
    const known = Array.from({ length: (PEOPLE * 5) / BATCH }, () => batchRequest(service.account.projectKey, first, BATCH));
    await send(service, known);
  }
  await untilMerged(parts.cluster);
  const before = await usedBy(parts);
  await send(service, requests);
  await untilMerged(parts.cluster);
  const after = await usedBy(parts);
  const count = requests.length * size;
  const each = (name: keyof Used, factor = 1) => ((after[name] - before[name]) / count) * factor;
  return {
    service: each('service', 1e6),
    postgres: each('postgres', 1e6),
    clickhouse: each('clickhouse', 1e6),
    statements: each('statements'),
    requestBytes: sum(requests.map(({ length }) => length)) / count,
    postgresBytes: each('postgresBytes'),
    walBytes: each('walBytes'),
  };
}

async function send(service: Service, requests: readonly Buffer[]): Promise<void> {
  const result: LoadResult = await runLoad({
    port: service.port,
    connections: CONNECTIONS,
    seconds: 120,
    next: eachOnce(requests),
  });
  const taken = result.statuses.get(200) ?? 0;
  if (taken !== requests.length) throw new Error(`${taken} of ${requests.length} requests were taken.`);
}

interface Used {
  service: number;
  postgres: number;
  clickhouse: number;
  statements: number;
  postgresBytes: number;
  walBytes: number;
}

async function usedBy({ service, postgres, way, cluster }: Parts): Promise<Used> {
  const postgresBytes = way.bytes();
  const { rows } = await postgres.run(
    "select (select sum(calls) from pg_stat_statements)::int as calls, pg_current_wal_lsn() - '0/0' as wal",
  );
  return {
    service: await cpuOf(await service.tree()),
    postgres: await cpuOf(await processTree(postgres.pid)),
    clickhouse: sum(await cpuByNode(cluster)),
    statements: rows[0]?.calls ?? 0,
    postgresBytes,
    walBytes: Number(rows[0]?.wal ?? 0),
  };
}

/** The inserts of events so far. */
async function insertsOf({ url }: Service): Promise<{ rows: number; count: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const of = (name: string) =>
    Number(new RegExp(`^tidemark_ingest_insert_rows_${name}\\{[^}]*table="events"[^}]*\\} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
  return { rows: of('sum'), count: of('count') };
}

async function personBytes(postgres: PostgresServer): Promise<number> {
  const { rows } = await postgres.run(
    "select pg_total_relation_size('persons') + pg_total_relation_size('person_distinct_ids') as bytes",
    'tidemark',
  );
  return Number(rows[0]?.bytes);
}

async function makeFlags(service: Service): Promise<void> {
  for (let number = 0; number < FLAGS; number++) {
    const plan = { key: 'plan', operator: 'exact', value: ['pro'], type: 'person' };
    const groups = [{ properties: number % 2 ? [plan] : [], rollout_percentage: (number * 7) % 100 }];
    const { status } = await service.post('/api/projects/@current/feature_flags/', {
      key: `flag-${number}`,
      name: `Flag ${number}`,
      filters: { groups },
      active: true,
    });
    if (status !== 201) throw new Error(`The flag is answered ${status}.`);
  }
}
