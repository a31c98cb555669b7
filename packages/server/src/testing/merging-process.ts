/**
 * A store in a process of its own, whose uptime a test moves: `fork` it with the data directory, and send it calls. It can be killed.
 */
import { pino } from 'pino';
import { openEvents } from '../adapters/clickhouse/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';

const [directory = ''] = process.argv.slice(2);
const real = createScheduler();
let ahead = 0;
const scheduler = { ...real, uptime: () => real.uptime() + ahead };
const store = await openEvents(loadConfig({ TIDEMARK_DATA: directory, TIDEMARK_ENGINE_MEMORY_MB: '512' }), {
  log: pino({ level: 'silent' }),
  scheduler,
});

const calls: Record<string, (...args: never[]) => unknown> = {
  insert: store.insert,
  query: store.query,
  uptime: scheduler.uptime,
  advance: async (project: number, ms: number) => {
    ahead += ms;
    await store.merges?.advance(project);
  },
};
process.on('message', async ({ id, name, args }: { id: number; name: string; args: never[] }) => {
  try {
    process.send?.({ id, result: await calls[name]?.(...args) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});
// the test has ended
process.on('disconnect', () => process.exit());
process.send?.({ id: 0 });
