import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { superviseEngine } from '../../adapters/clickhouse/engine/supervisor.js';
import { DATABASE } from '../../adapters/clickhouse/settings.js';
import { createScheduler, systemIds } from '../../adapters/system/index.js';
import { purgeBlobs, purgeEvents, purgePersons } from '../../purge/index.js';
import { startTestService, type TestService } from '../../testing/service.js';

const HOUR = 3_600_000;

/** Those of the files below a directory that have the text, also compressed. */
async function filesWith(directory: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // a file that the engine deletes meanwhile holds nothing
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    if (bytes.includes(text) || (isGzip && gunzipSync(bytes).includes(text))) found.push(path.slice(directory.length + 1));
  }
  return found;
}

/** Tables of the event store that hold something about persons. */
const TABLES = ['events', 'persons', 'person_overrides', 'groups'];
/** Of a table: replaced parts are looked for every second, and removed. */
const AT_ONCE =
  'old_parts_lifetime = 0, cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, merge_tree_clear_old_parts_interval_seconds = 1';

/** Forces what the engine does by itself within days: one part of each partition, and no replaced parts on the disk. */
async function mergeEverything(dataDir: string, until: () => Promise<void>): Promise<void> {
  const [log, scheduler] = [pino({ level: 'silent' }), createScheduler()];
  const options = { path: join(dataDir, 'events'), memory: 512 * 1024 * 1024, database: DATABASE, patience: 5_000 };
  const open = () => superviseEngine(options, { log, scheduler, onRestart: () => {} });
  const write = (engine: Awaited<ReturnType<typeof open>>, sql: string) => engine.engine().call({ op: 'write', sql }).result;
  const first = await open();
  for (const table of TABLES) await write(first, `ALTER TABLE ${table} MODIFY SETTING ${AT_ONCE}`);
  await first.close();
  // the settings count from the start of an engine
  const second = await open();
  for (const table of TABLES) await write(second, `OPTIMIZE TABLE ${table} FINAL`);
  await until();
  await second.close();
}

/** Vacuums the database and returns the folder of its tables. */
const vacuum = async ({ database }: TestService): Promise<string> => {
  await sql`vacuum full`.execute(database.db);
  // writes the tables, and deletes the files of those before
  await sql`checkpoint`.execute(database.db);
  return database.db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number; oid: number }>`
      select pg_backend_pid() as pid, oid::int from pg_database where datname = current_database()`.execute(connection);
    // the directory that the server is in
    return join(await realpath(`/proc/${rows[0]?.pid}/cwd`), 'base', String(rows[0]?.oid));
  });
};

test.each(['person', 'project'] as const)(
  'nothing of a deleted %s is left on the disk after the purges, a merge and a vacuum',
  { timeout: 300_000 },
  async (deleted) => {
    const service = await startTestService();
    try {
      const { dataDir } = service.deps.config;
      // random, so that compression leaves it as it is
      const marker = systemIds.token(24);
      await service.call('PATCH', `/api/projects/${service.projectId}/`, { body: { session_recording_opt_in: true } });
      const created = await service.call('POST', '/api/projects/', { body: { name: 'Doomed', session_recording_opt_in: true } });
      const api_key: string = deleted === 'project' ? created.json().api_token : service.projectKey;
      const projectId: number = deleted === 'project' ? created.json().id : service.projectId;
      const capture = async (event: string, distinct_id: string, properties: object) => {
        const sent = await service.call('POST', '/capture/', { key: null, body: { api_key, event, distinct_id, properties } });
        expect(sent.statusCode).toBe(200);
      };
      const user = `user-${marker}`;
      await capture('looked', `anonymous-${marker}`, { text: `property ${marker}` });
      await capture('$identify', user, { $anon_distinct_id: `anonymous-${marker}`, $set: { email: `${marker}@example.com` } });
      await capture('changed', user, { $set: { email: `${marker}@example.org` } });
      await capture('looked', 'somebody else', { text: 'stays' });
      const at = service.clock.now();
      const data = [
        { type: 4, timestamp: at, data: { href: `https://a.example/${marker}` } },
        { type: 3, timestamp: at + 1, data: { source: 0, text: marker } },
      ];
      const snapshot = { $snapshot_data: data, $session_id: 's-1', $window_id: 'w', token: api_key, distinct_id: user };
      const recorded = await service.call('POST', '/s/', { key: null, body: [{ event: '$snapshot', properties: snapshot }] });
      expect(recorded.json()).toEqual({ status: 'Ok' });

      // what is looked for later is found now, in each store
      const tables = await vacuum(service);
      await service.deps.events.query({ sql: 'select 1 from events limit 1' });
      expect((await filesWith(tables, marker)).length).toBeGreaterThan(0);
      const before = await filesWith(dataDir, marker);
      for (const part of ['events/', 'events-log/', 'blobs/']) {
        expect(
          before.filter((file) => file.startsWith(part)),
          part,
        ).not.toEqual([]);
      }

      const path = `/api/projects/${projectId}`;
      if (deleted === 'person') {
        const person = (await service.call('GET', `${path}/persons/?distinct_id=${user}`)).json().results[0];
        const gone = await service.call('DELETE', `${path}/persons/${person.id}/?delete_events=true&delete_recordings=true`);
        expect(gone.statusCode, gone.body).toBe(204);
      } else expect((await service.call('DELETE', `${path}/`)).statusCode).toBe(204);
      service.clock.advance(HOUR);
      const { db, events } = service.deps;
      await expect
        .poll(
          async () => {
            await purgePersons(service.deps);
            await purgeEvents(service.deps);
            await purgeBlobs(service.deps);
            const left = await Promise.all(
              (['person_purges', 'project_purges', 'blob_purges'] as const).map((table) =>
                db.selectFrom(table).selectAll().execute(),
              ),
            );
            return left.flat();
          },
          { timeout: 120_000 },
        )
        .toEqual([]);
      const others = await events.query({ sql: 'select distinct_id from events order by 1' });
      expect(others.rows).toEqual(deleted === 'person' ? [{ distinct_id: 'somebody else' }] : []);
      expect((await filesWith(dataDir, marker)).filter((file) => !file.startsWith('events/'))).toEqual([]);

      await events.close();
      const left = () => filesWith(dataDir, marker);
      await mergeEverything(dataDir, () => expect.poll(left, { timeout: 120_000, interval: 250 }).toEqual([]));
      expect(await filesWith(await vacuum(service), marker)).toEqual([]);
    } finally {
      await service.close();
    }
  },
);
