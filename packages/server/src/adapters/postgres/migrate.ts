import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { OWN_FOLDER } from '../../kernel/own-folder.js';
import type { Watchdog } from '../../kernel/watchdog.js';

/** Among the sources, because the compiled files hold no .sql. */
const MIGRATIONS = new URL('src/adapters/postgres/migrations/', OWN_FOLDER);

/** Any number, the same in every server: whoever holds this advisory lock migrates. */
const LOCK = 7_214_051_993;

interface Migration {
  version: number;
  file: string;
}

/**
 * Brings a database to the newest schema, each step in a transaction of its own. Servers that start together wait for
 * the one that migrates.
 * @param options.guard fails as soon as the server does not answer
 * @throws Error in one sentence when the database is newer than this code, or naming the step that failed
 */
export async function migrate(
  url: string,
  log: Logger,
  { directory = MIGRATIONS, guard = (work) => work }: { directory?: URL; guard?: Watchdog['guard'] } = {},
): Promise<void> {
  const migrations = await listMigrations(directory);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'tidemark migrations',
  });
  client.on('error', () => {});
  await client.connect();
  const applyMissing = async () => {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const done = await appliedVersions(client);
    const newest = migrations.at(-1)?.version ?? 0;
    const unknown = Math.max(...done);
    if (unknown > newest) {
      throw new Error(
        `The database was made by a newer Tidemark (schema ${unknown}, this one knows ${newest}): start that version or a later one.`,
      );
    }
    for (const migration of migrations.filter(({ version }) => !done.has(version))) {
      await apply(client, migration, await readFile(new URL(migration.file, directory), 'utf8'));
      log.info({ migration: migration.file }, 'schema migrated');
    }
  };
  try {
    await guard(applyMissing());
  } finally {
    // ends the lock, too
    await client.end();
  }
}

async function listMigrations(directory: URL): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = files.map((file) => ({ version: Number.parseInt(file, 10), file }));
  migrations.forEach(({ version, file }, i) => {
    if (!/^\d{4}_\w+\.sql$/.test(file)) throw new Error(`${file} is not named like 0001_what_it_does.sql.`);
    if (version === migrations[i - 1]?.version) throw new Error(`Two migrations have the number ${version}.`);
  });
  return migrations;
}

async function appliedVersions(client: pg.Client): Promise<Set<number>> {
  await client.query(
    `create table if not exists schema_migrations (
       version integer primary key,
       name text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  const { rows } = await client.query<{ version: number }>('select version from schema_migrations');
  return new Set(rows.map((row) => row.version));
}

async function apply(client: pg.Client, migration: Migration, sql: string): Promise<void> {
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query('insert into schema_migrations (version, name) values ($1, $2)', [migration.version, migration.file]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new Error(`Migration ${migration.file} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
