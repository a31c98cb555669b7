import type { FastifyInstance } from 'fastify';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createScheduler, systemIds } from '../adapters/system/index.js';
import { buildApp } from '../app.js';
import { loadConfig } from '../config.js';
import type { DB } from '../ports/db.js';
import { withServices } from '../services.js';
import { noBlobs, noFolder } from './no-blobs.js';
import { noChanges } from './no-changes.js';
import { noEvents } from './no-events.js';

/** The whole service on empty stores, for tests of what its routes declare. */
export async function appWithoutStores(scheduler = createScheduler()): Promise<FastifyInstance> {
  const deps = withServices({
    config: loadConfig({}),
    clock: { now: () => 0 },
    scheduler,
    ids: systemIds,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    db: new Kysely<DB>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
    changes: noChanges,
    events: noEvents,
    blobs: noBlobs,
    openFolder: noFolder,
  });
  const app = await buildApp(deps);
  await app.ready();
  return app;
}
