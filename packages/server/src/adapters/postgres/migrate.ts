import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { compareMigrations, type MigrationStatus } from '../../kernel/migration-status.js';
import { PACKAGE_FOLDER } from '../../kernel/package-folder.js';
import type { Db } from '../../ports/db.js';
import { isNoResponse } from './pool.js';
import type { Guards } from './prepared.js';
import type { Servers } from './servers.js';
import { processIdOf } from './sessions.js';

/** The folder among the sources: the build copies no .sql files. */
const MIGRATIONS = new URL('src/adapters/postgres/migrations/', PACKAGE_FOLDER);

/** Key of the advisory lock of the server that migrates either store: any number, the same in all servers. */
export const MIGRATION_LOCK = 7_214_051_993;

interface MigrateOptions extends Partial<Guards> {
  directory?: URL;
  /** Versions that are applied at most; undefined: all. */
  only?: readonly number[] | undefined;
}

interface Migration {
  version: number;
  file: string;
}

/**
 * Brings a database to the newest schema, each step in a transaction of its own. Servers that start together wait for
 * the one that migrates.
 * @param options.server rejects as soon as the server does not respond
 * @param options.session rejects as soon as the session does not respond
 * @throws Error in one sentence when the database is newer than this code, or naming the step that failed
 */
export async function migrate(
  servers: Servers,
  log: Logger,
  { directory = MIGRATIONS, only, server = (work) => work, session = (_pid, work) => work }: MigrateOptions = {},
): Promise<void> {
  const migrations = await listMigrations(directory);
  const client = new pg.Client({
    connectionString: servers.url(),
    connectionTimeoutMillis: 10_000,
    application_name: 'tidemark migrations',
  });
  client.on('error', () => {});
  await client.connect();
  const pid = processIdOf(client);
  const run: Run = (text, values) => session(pid, client.query(text, values && [...values]));
  const applyMissing = async () => {
    await run('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await appliedVersions(run);
    const newest = migrations.at(-1)?.version ?? 0;
    const unknown = Math.max(...done);
    if (unknown > newest) {
      throw new Error(
        `The database was made by a newer Tidemark (schema ${unknown}, this one knows ${newest}): start that version or a later one.`,
      );
    }
    const missing = migrations.filter(({ version }) => !done.has(version) && (only?.includes(version) ?? true));
    for (const migration of missing) {
      await apply(run, migration, await readFile(new URL(migration.file, directory), 'utf8'));
      log.info({ migration: migration.file }, 'schema migrated');
    }
  };
  try {
    await server(applyMissing());
  } finally {
    // this releases the lock
    await client.end();
  }
}

/** Compares the migrations of a database with those of this code, and applies none. `db` null: there is no database yet. */
export async function readMigrations(db: Db | null): Promise<MigrationStatus> {
  const known = (await listMigrations(MIGRATIONS)).map(({ file }) => file);
  if (!db) return compareMigrations(known, []);
  const { rows: tables } = await sql<{ name: string | null }>`select to_regclass('schema_migrations')::text as name`.execute(db);
  if (!tables[0]?.name) return compareMigrations(known, []);
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by version`.execute(db);
  return compareMigrations(
    known,
    rows.map(({ name }) => name),
  );
}

/** Versions of all migrations that this code has. */
export const knownMigrations = async (): Promise<number[]> => (await listMigrations(MIGRATIONS)).map(({ version }) => version);

async function listMigrations(directory: URL): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = files.map((file) => ({ version: Number.parseInt(file, 10), file }));
  migrations.forEach(({ version, file }, i) => {
    if (!/^\d{4}_\w+\.sql$/.test(file)) throw new Error(`${file} is not named like 0001_what_it_does.sql.`);
    if (version === migrations[i - 1]?.version) throw new Error(`Two migrations have the number ${version}.`);
  });
  return migrations;
}

/** Runs a statement. */
type Run = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

async function appliedVersions(run: Run): Promise<Set<number>> {
  await run(
    `create table if not exists schema_migrations (
       version integer primary key,
       name text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  const { rows } = await run('select version from schema_migrations');
  return new Set(rows.map((row: { version: number }) => row.version));
}

async function apply(run: Run, migration: Migration, statements: string): Promise<void> {
  try {
    await run('begin');
    await run(statements);
    await run('insert into schema_migrations (version, name) values ($1, $2)', [migration.version, migration.file]);
    await run('commit');
  } catch (error) {
    if (!isNoResponse(error)) await run('rollback').catch(() => {});
    throw new Error(`Migration ${migration.file} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
