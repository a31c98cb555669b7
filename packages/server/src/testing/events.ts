import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openEvents } from '../adapters/clickhouse/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';
import type { EventRow, EventsStore, EventTables } from '../ports/events.js';
import { clusterDatabases } from './cluster-databases.js';
import { makeEventTables } from './event-tables.js';

export interface TestEvents {
  store: EventsStore;
  /** Stores rows as one insert. */
  put<Table extends keyof EventTables>(table: Table, rows: EventTables[Table][]): Promise<unknown>;
  close(): Promise<void>;
}

/** Bytes of memory of an embedded engine, on each machine the same: what a query may use decides what it answers. */
const ENGINE_MEMORY = 1024 ** 3;

/** An event store of its own: an embedded one, or databases on a cluster. */
export async function testEvents(): Promise<TestEvents> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-events-'));
  const databases = clusterDatabases();
  if (!databases) await makeEventTables(dataDir);
  const store = await openEvents(
    { ...loadConfig(databases?.env ?? {}), dataDir, engineMemory: ENGINE_MEMORY, fsync: false, logLevel: 'silent' },
    { log: pino({ level: 'silent' }), scheduler: createScheduler() },
  );
  let inserts = 0;
  return {
    store,
    put: (table, rows) => store.insert(table, rows, { token: `test-${++inserts}` }),
    close: async () => {
      await store.close();
      await databases?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const uuidOf = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** An event that differs from every other in its uuid and is otherwise as plain as it can be. */
export function eventRow(number: number, fields: Partial<EventRow> = {}): EventRow {
  return {
    project_id: 1,
    uuid: uuidOf(number),
    event: 'thing done',
    distinct_id: 'someone',
    person_id: uuidOf(0xabc),
    person_mode: 'full',
    timestamp: Date.UTC(2024, 0, 15, 12),
    inserted_at: Date.UTC(2024, 0, 15, 12),
    elements_chain: '',
    group_0: '',
    group_1: '',
    group_2: '',
    group_3: '',
    group_4: '',
    properties: {},
    ...fields,
  };
}
