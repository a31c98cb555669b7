import { randomUUID } from 'node:crypto';
import { type Service, startClickHouseServer, startService } from '@tidemark/testkit';
import { type PostgresServer, startPostgresServer } from '../../../packages/server/src/testing/postgres-server.js';

const EVENTS = 1_000;
const BATCH = 20;

/** PostgreSQL statements, commits included, for 1,000 events. */
export interface StatementCosts {
  /** Of persons without a profile. */
  anonymous: number;
  /** Of persons that are known, without a change of their properties. */
  known: number;
  /** Each of a person that is new. */
  fresh: number;
}

/** Counts the statements that PostgreSQL runs while batches are captured one after the other. */
export async function statementsPerEvent(): Promise<StatementCosts> {
  const [clickhouse, postgres] = await Promise.all([startClickHouseServer(), startPostgresServer()]);
  await postgres.run("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await postgres.restart();
  await postgres.run('create extension pg_stat_statements');
  const service = await startService({ env: { DATABASE_URL: postgres.url(), CLICKHOUSE_URL: `${clickhouse.url}/statements` } });
  try {
    await capture(service, 'people', true);
    return {
      anonymous: await counted(postgres, () => capture(service, 'visitors', false)),
      known: await counted(postgres, () => capture(service, 'people', true)),
      fresh: await counted(postgres, () => capture(service, null, true)),
    };
  } finally {
    await service.close();
    await Promise.all([postgres.close(), clickhouse.close()]);
  }
}

/** @param group whose 50 members the events are; null: a new person each */
async function capture(service: Service, group: string | null, hasProfile: boolean): Promise<void> {
  for (let at = 0; at < EVENTS; at += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, number) => ({
      uuid: randomUUID(),
      event: 'counted',
      distinct_id: group ? `${group} ${(at + number) % 50}` : randomUUID(),
      timestamp: new Date().toISOString(),
      properties: { $process_person_profile: hasProfile, ...(hasProfile ? { $set: { plan: 'team' } } : {}) },
    }));
    const { status } = await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
    if (status !== 200) throw new Error(`The batch is answered ${status}.`);
  }
}

async function counted(postgres: PostgresServer, work: () => Promise<void>): Promise<number> {
  const before = await statementsOf(postgres);
  await work();
  return (await statementsOf(postgres)) - before;
}

/** Calls of all statements so far: those of the module pg_stat_statements. */
async function statementsOf(postgres: PostgresServer): Promise<number> {
  const { rows } = await postgres.run('select sum(calls)::int as calls from pg_stat_statements');
  return rows[0]?.calls ?? 0;
}
