import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { PACKAGE_FOLDER } from '../../kernel/package-folder.js';

/** The folder among the sources: the build copies no .sql files. */
const MIGRATIONS = new URL('src/adapters/clickhouse/migrations/', PACKAGE_FOLDER);

/** The store as migrations need it. */
export interface MigrationTarget {
  write(sql: string): Promise<void>;
  /** Names of the migrations that were applied. */
  applied(): Promise<string[]>;
}

/**
 * Brings the tables to the newest schema. A ClickHouse server has no locks, so each statement can be run again (IF NOT EXISTS): servers
 * that start together repeat each other's work at worst, and a migration that a crash cut off is completed at the next start.
 */
export async function migrate(target: MigrationTarget, log: Logger): Promise<void> {
  await target.write(
    `CREATE TABLE IF NOT EXISTS schema_migrations (name String, applied_at DateTime DEFAULT now())
     ENGINE = ReplacingMergeTree ORDER BY name`,
  );
  const done = new Set(await target.applied());
  const files = await listMigrations();
  const unknown = [...done].find((name) => !files.includes(name));
  if (unknown) throw new Error(`The event store was made by a newer Tidemark (${unknown}): start that version or a later one.`);
  for (const file of files.filter((name) => !done.has(name))) {
    const text = await readFile(new URL(file, MIGRATIONS), 'utf8');
    for (const statement of statements(text)) await target.write(statement);
    await target.write(`INSERT INTO schema_migrations (name) VALUES ('${file}')`);
    log.info({ migration: file }, 'event store migrated');
  }
}

/** Names of all migrations that this code has. */
export const listMigrations = async (): Promise<string[]> =>
  (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();

/** The statements of a file; one ends with a semicolon at the end of a line. */
const statements = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean);
