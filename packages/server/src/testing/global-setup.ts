import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { PREPARED_DATA } from '../../../testkit/src/prepared-data.js';
import { stopOrphans } from '../adapters/postgres/embedded/orphans.js';
import { openPostgres } from '../adapters/postgres/index.js';
import { createScheduler, lockDataDirectory } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a migrated database that tests copy; nobody connects to it. */
    postgresUrl: string;
  }
}

const PREFIX = 'tidemark-test-pg-';

/** Gives every test file one real PostgreSQL, with a migrated database as template, and services a folder for prepared data. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await sweep();
  const dataDir = await mkdtemp(join(tmpdir(), PREFIX));
  const lock = await lockDataDirectory(dataDir);
  const postgres = await openPostgres(
    loadConfig({ TIDEMARK_DATA: dataDir, TIDEMARK_FSYNC: 'off' }),
    pino({ level: 'warn' }),
    createScheduler(),
    // the services of all workers share it
    { maxConnections: 300 },
  );
  project.provide('postgresUrl', postgres.url);
  const prepared = join(dataDir, 'prepared');
  await mkdir(prepared);
  // the processes of the workers, which start after this, have it as well
  process.env[PREPARED_DATA] = prepared;
  return async () => {
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
    await lock.release();
  };
}

/** Removes what test runs left that were killed. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const dataDir = join(tmpdir(), name);
    const { mtimeMs } = await stat(dataDir).catch(() => ({ mtimeMs: Date.now() }));
    // a young one may be about to be locked by its maker
    if (Date.now() - mtimeMs < 60_000) continue;
    const lock = await lockDataDirectory(dataDir).catch(() => null);
    if (!lock) continue;
    await stopOrphans(join(dataDir, 'postgres'), createScheduler());
    await rm(dataDir, { recursive: true, force: true });
    await lock.release();
  }
}
