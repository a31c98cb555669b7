import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { pino } from 'pino';
import { z } from 'zod';
import { type Config, loadConfig } from '../config.js';
import type { MigrationStatus } from '../kernel/migration-status.js';
import { type CommandIo, print } from './command-io.js';
import { localAddress } from './local-address.js';

/** `tidemark migrate`: applies migrations, or compares those of the stores with this version. */
export const migrateCommand = (io: CommandIo): Command =>
  new Command('migrate')
    .description('bring the tables of PostgreSQL and ClickHouse to this version, as a start of the service does')
    .option('--status', 'change nothing; list what is applied, missing, or of a newer version', false)
    .addHelpText(
      'after',
      `
With --status the exit code is 1 if anything is missing or of a newer version; the service may run or not. Without it an embedded store must
not be in use; servers may be. Run it as the user of the service, with the same settings.`,
    )
    .action(async ({ status: isStatus }: { status: boolean }) => {
      const config = loadConfig(io.env);
      if (!isStatus) {
        const { openStores } = await import('../open-stores.js');
        await (await openStores(config, pino({ level: 'silent' }))).close();
      }
      const places = await readStatus(config);
      for (const { name, status } of places) printPlace(io, name, status);
      const faults = faultsOf(places);
      if (faults.length > 0) throw new Error(faults.join(' '));
    });

/** A store, or a node of one; `status` is null when it does not answer. */
interface Place {
  name: string;
  status: MigrationStatus | null;
}

async function readStatus(config: Config): Promise<Place[]> {
  const { openMetadata, readMigrations } = await import('../open-metadata.js');
  const isNew = !config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'));
  if (isNew) return [{ name: 'PostgreSQL', status: await readMigrations(null) }, ...(await eventPlaces(config))];
  const { db, close } = await openMetadata(config, pino({ level: 'silent' }), { keepsSchema: true });
  const status = await readMigrations(db).finally(close);
  return [{ name: 'PostgreSQL', status }, ...(await eventPlaces(config))];
}

/** The running service has embedded events for itself, and says of them what it has. */
async function eventPlaces(config: Config): Promise<Place[]> {
  const [{ loadMigrationStatus }, { createScheduler, systemClock, tryLockDataDirectory }] = await Promise.all([
    import('../adapters/clickhouse/index.js'),
    import('../adapters/system/index.js'),
  ]);
  const { eventMigrationsUpTo, readEventMigrations } = await loadMigrationStatus();
  const options = { log: pino({ level: 'silent' }), scheduler: createScheduler(), clock: systemClock };
  const read = async () => {
    if (config.clickhouseUrl || !existsSync(join(config.dataDir, 'events'))) return readEventMigrations(config, options);
    const lock = await tryLockDataDirectory(config.dataDir);
    if (!lock) return eventMigrationsUpTo(await newestOfRunning(config));
    return readEventMigrations(config, options).finally(lock.release);
  };
  return (await read()).map(({ url, status }) => ({ name: url ? `ClickHouse ${url}` : 'ClickHouse', status }));
}

const health = z.object({ stores: z.object({ events: z.object({ schema: z.string() }) }) });
/** How long the service may take to say what it has; milliseconds. */
const ANSWER_MS = 5_000;

/** @throws Error in one sentence */
async function newestOfRunning(config: Config): Promise<string> {
  const url = `${localAddress(config)}/_health`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return health.parse(await response.json()).stores.events.schema;
  } catch (error) {
    throw new Error(
      `A Tidemark runs on ${config.dataDir}, and ${url} does not say what its event store has: run this with its PORT and HOST.`,
      { cause: error },
    );
  }
}

function printPlace(io: CommandIo, name: string, status: MigrationStatus | null): void {
  if (!status) {
    print(io, `${name}: does not answer`);
    return;
  }
  const { applied, missing, unknown } = status;
  print(io, `${name}: ${applied.length} applied${applied.length > 0 ? `, the newest ${applied.at(-1)}` : ''}`);
  for (const one of missing) print(io, `  missing  ${one}`);
  for (const one of unknown) print(io, `  newer    ${one}`);
}

function faultsOf(places: readonly Place[]): string[] {
  const isAny = (test: (status: MigrationStatus) => boolean) => places.some(({ status }) => status !== null && test(status));
  return [
    ...(isAny(({ unknown }) => unknown.length > 0)
      ? ['A newer Tidemark has migrated these stores: start that version or a later one.']
      : []),
    ...(isAny(({ missing }) => missing.length > 0)
      ? ['Migrations are missing: the next start of this version applies them, or "tidemark migrate".']
      : []),
    ...(places.some(({ status }) => status === null) ? ['Not every node answers.'] : []),
  ];
}
