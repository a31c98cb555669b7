import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import type { Config } from '../../config.js';
import { compareMigrations, type MigrationStatus } from '../../kernel/migration-status.js';
import { type ConnectedNode, connectNodes, readDefinition, STATE_DEADLINE } from './cluster-nodes.js';
import { serverThatAnswers } from './cluster-status.js';
import { EngineError } from './engine/engine.js';
import { superviseEngine } from './engine/supervisor.js';
import { parseEngineMessage } from './errors.js';
import { listMigrations } from './migrate.js';
import { connect } from './nodes.js';
import { parseResult } from './rows.js';
import { DATABASE, type EventsOptions, readSettings } from './settings.js';
import { createTopology } from './topology.js';

/** The migrations of one place with tables of events; `status` is null when it does not answer. */
export interface PlaceOfEvents {
  /** Address of a node; null: there is only one place. */
  url: string | null;
  status: MigrationStatus | null;
}

/** No table, no database: nothing was migrated yet. */
const ABSENT = new Set(['60', '81']);
const STATEMENT = 'SELECT DISTINCT name FROM schema_migrations ORDER BY name';

/**
 * Reads the migrations of the event store without applying any. The embedded one must not be in use: the caller holds the lock.
 * @throws Error in one sentence when no server answers
 */
export async function readEventMigrations(config: Config, options: EventsOptions): Promise<PlaceOfEvents[]> {
  const known = await listMigrations();
  const { clickhouseUrl: address, clickhouseCluster: name } = config;
  if (!address) return [{ url: null, status: compareMigrations(known, await embedded(config, options)) }];
  const ca = config.clickhouseAuthority ?? undefined;
  const server = await serverThatAnswers(address, ca);
  if (!name) {
    const client = connect(server, server.database, { ca, connections: 1 });
    return [{ url: null, status: compareMigrations(known, await appliedAt(client).finally(() => client.close())) }];
  }
  const topology = createTopology(name, server.database, await readDefinition(server, { name, ca }));
  const nodes = connectNodes(server, topology, ca);
  try {
    return await Promise.all(nodes.map((node) => placeOf(node, known)));
  } finally {
    await Promise.all(nodes.map(({ client }) => client.close()));
  }
}

/** A running service's migrations, from the newest one that its health names. */
export async function eventMigrationsUpTo(newest: string): Promise<PlaceOfEvents[]> {
  const known = await listMigrations();
  return [{ url: null, status: compareMigrations(known, [...known.filter((name) => name < newest), newest]) }];
}

async function placeOf({ client, url }: ConnectedNode, known: readonly string[]): Promise<PlaceOfEvents> {
  try {
    return { url, status: compareMigrations(known, await appliedAt(client)) };
  } catch (error) {
    if (error instanceof ClickHouseError) throw error;
    return { url, status: null };
  }
}

async function appliedAt(client: ClickHouseClient): Promise<string[]> {
  try {
    const answer = await client.query({
      query: STATEMENT,
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(STATE_DEADLINE),
    });
    return (await answer.json<{ name: string }>()).map(({ name }) => name);
  } catch (error) {
    if (error instanceof ClickHouseError && ABSENT.has(error.code)) return [];
    throw error;
  }
}

async function embedded(config: Config, { log, scheduler }: EventsOptions): Promise<string[]> {
  const path = join(config.dataDir, 'events');
  if (!existsSync(path)) return [];
  const options = { path, memory: config.engineMemory, database: DATABASE, patience: 5_000 };
  const supervisor = await superviseEngine(options, { log, scheduler, onRestart: () => {} });
  try {
    const settings = readSettings({ sql: STATEMENT }, config.engineMemory);
    const read = { op: 'read', sql: STATEMENT, params: {}, settings, tenant: null, workload: 'interactive' } as const;
    return parseResult<{ name: string }>(await supervisor.engine().call(read).result).rows.map(({ name }) => name);
  } catch (error) {
    const code = error instanceof EngineError ? parseEngineMessage(error.message)?.code : undefined;
    if (ABSENT.has(String(code))) return [];
    throw error;
  } finally {
    await supervisor.close();
  }
}
