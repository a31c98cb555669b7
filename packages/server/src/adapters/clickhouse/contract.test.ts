import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickHouseCluster, startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { loadConfig } from '../../config.js';
import { eventsContract } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openEvents } from './index.js';

const log = pino({ level: 'silent' });
const MEMORY_MB = 512;

eventsContract('the embedded engine', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-contract-'));
  const config = loadConfig({ TIDEMARK_DATA: directory, TIDEMARK_ENGINE_MEMORY_MB: String(MEMORY_MB) });
  const store = await openEvents(config, { log, scheduler: createScheduler() });
  return {
    store,
    close: async () => {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});

eventsContract('a ClickHouse server', async () => {
  const server = await startClickHouseServer({ memory: MEMORY_MB * 1024 * 1024 });
  const store = await openEvents(loadConfig({ CLICKHOUSE_URL: `${server.url}/contract` }), { log, scheduler: createScheduler() });
  return {
    store,
    close: async () => {
      await store.close();
      await server.close();
    },
  };
});

eventsContract('two shards', async () => {
  const cluster = await startClickHouseCluster({ shards: 2, memory: MEMORY_MB * 1024 * 1024 });
  const config = loadConfig({ CLICKHOUSE_URL: `${cluster.url}/contract`, CLICKHOUSE_CLUSTER: cluster.name });
  const store = await openEvents(config, { log, scheduler: createScheduler() });
  return {
    store,
    close: async () => {
      await store.close();
      await cluster.close();
    },
  };
});
