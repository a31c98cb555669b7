import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createScheduler, systemClock, systemIds } from '../adapters/system/index.js';
import type { ProjectByKey } from '../auth/index.js';
import { loadConfig } from '../config.js';
import type { Deps } from '../deps.js';
import type { CapturedEvent } from '../ingestion/capture.js';
import type { EventsStore } from '../ports/events.js';
import { withServices } from '../services.js';
import { testDatabase } from './database.js';
import { testEvents } from './events.js';
import { noBlobs, noFolder } from './no-blobs.js';
import { noChanges } from './no-changes.js';

/** What ingestion needs, on real stores of its own. */
export interface TestIngest {
  deps: Deps;
  /** Makes the next inserts into a table go wrong: before they reach the store, or after. */
  failInserts(times: number, error: () => Error, when?: 'before' | 'after'): void;
  /** A new project. */
  project(): Promise<ProjectByKey>;
  close(): Promise<void>;
}

export async function testIngest(): Promise<TestIngest> {
  const [database, events] = await Promise.all([testDatabase(), testEvents()]);
  const faults: { error: () => Error; when: 'before' | 'after' }[] = [];
  const store: EventsStore = {
    ...events.store,
    insert: async (table, rows, options) => {
      const fault = table === 'events' ? faults.shift() : undefined;
      if (fault?.when === 'before') throw fault.error();
      const refused = await events.store.insert(table, rows, options);
      if (fault) throw fault.error();
      return refused;
    },
  };
  const deps = withServices({
    config: loadConfig({}),
    clock: systemClock,
    scheduler: createScheduler(),
    ids: systemIds,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    db: database.db,
    changes: noChanges,
    events: store,
    blobs: noBlobs,
    openFolder: noFolder,
  });
  return {
    deps,
    failInserts: (times, error, when = 'before') => {
      for (let i = 0; i < times; i++) faults.push({ error, when });
    },
    project: () => insertProject(deps),
    close: async () => {
      await events.close();
      await database.close();
    },
  };
}

async function insertProject({ db }: Deps): Promise<ProjectByKey> {
  const now = new Date(systemClock.now());
  const times = { created_at: now, updated_at: now };
  const organizationId = systemIds.uuid();
  const apiToken = `tmk_${systemIds.token(32)}`;
  await db
    .insertInto('organizations')
    .values({ id: organizationId, name: 'Test', slug: organizationId, ...times })
    .execute();
  const { id } = await db
    .insertInto('projects')
    .values({ uuid: systemIds.uuid(), organization_id: organizationId, name: 'Test', api_token: apiToken, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, organizationId, apiToken, timezone: 'UTC', anonymizeIps: false };
}

/** An event as decoding gives it, made now. */
export function captured(fields: Partial<CapturedEvent> = {}): CapturedEvent {
  const now = systemClock.now();
  return {
    uuid: systemIds.uuid7(),
    hasClientUuid: true,
    event: 'test event',
    distinctId: 'ann',
    timestamp: now,
    clientTime: now,
    properties: {},
    ...fields,
  };
}
