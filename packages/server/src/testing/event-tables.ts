import { pino } from 'pino';
import { openEvents } from '../adapters/clickhouse/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';
import { madeOnce } from './made-once.js';

/** Gives a data directory the tables of an embedded event store. */
export const makeEventTables = madeOnce(async (dataDir) => {
  const config = { ...loadConfig({}), dataDir, fsync: false };
  const store = await openEvents(config, { log: pino({ level: 'silent' }), scheduler: createScheduler() });
  await store.close();
});
