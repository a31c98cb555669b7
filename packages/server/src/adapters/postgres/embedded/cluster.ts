import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Scheduler } from '../../../ports/system.js';
import { syncDirectory } from '../../system/index.js';
import { connectWhenReady } from '../pool.js';
import { createServers } from '../servers.js';
import type { Binaries } from './binaries.js';
import { stopOrphans } from './orphans.js';
import { chownTree, type ServerPaths, spawnOptions } from './paths.js';

const run = promisify(execFile);

/** The only role of the embedded server, and the name of the service's database. */
export const ROLE = 'tidemark';

/**
 * Creates the cluster if there is none. It is created under a draft name and renamed, so a kill at any moment leaves no partial cluster.
 * @returns the password of {@link ROLE}
 */
export async function prepareCluster(
  place: ServerPaths,
  programs: Binaries,
  { fsync, scheduler }: { fsync: boolean; scheduler: Scheduler },
): Promise<string> {
  const password = await readOrCreatePassword(place.dataDir);
  const existing = await stat(place.clusterDir).catch(() => null);
  if (!existing) await createCluster(place, programs, password, { fsync, scheduler });
  else if (!place.user && existing.uid !== process.getuid?.()) {
    throw new Error(
      `${place.clusterDir} belongs to another user (number ${existing.uid}): start Tidemark as that user or as root.`,
    );
  } else await chownTree(place.user, place.clusterDir);
  return password;
}

async function createCluster(
  place: ServerPaths,
  programs: Binaries,
  password: string,
  { fsync, scheduler }: { fsync: boolean; scheduler: Scheduler },
): Promise<void> {
  const draft = `${place.clusterDir}.new`;
  await stopOrphans(draft, scheduler);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (place.user) await chown(draft, place.user.uid, place.user.gid);
  const passwordFile = join(place.runDir, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (place.user) await chown(passwordFile, place.user.uid, place.user.gid);
  const { path, options } = spawnOptions(place, draft);
  const given = ['--pgdata', path, '--username', ROLE, '--pwfile', passwordFile, '--auth', 'scram-sha-256', '--wal-segsize', '4'];
  // PostgreSQL's own collation: the order of texts does not depend on the machine
  const locale = ['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'];
  try {
    await run(programs.initdb, [...given, ...locale, '--no-instructions', ...(fsync ? [] : ['--no-sync'])], options);
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`PostgreSQL could not make its files in ${place.clusterDir}: ${output || error}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, place.clusterDir);
  if (fsync) await syncDirectory(place.dataDir);
}

/** The file with the password of {@link ROLE}. */
export const passwordFileIn = (dataDir: string): string => join(dataDir, 'postgres.password');

/** Reads the password, or creates it. It is durable on disk before the cluster that has it. */
async function readOrCreatePassword(dataDir: string): Promise<string> {
  const file = passwordFileIn(dataDir);
  const existing = await readFile(file, 'utf8').catch(() => '');
  if (existing) return existing;
  const password = randomBytes(24).toString('base64url');
  const draft = await open(`${file}.new`, 'w', 0o600);
  try {
    await draft.writeFile(password);
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${file}.new`, file);
  await syncDirectory(dirname(file));
  return password;
}

/**
 * Creates the service's database, if it does not exist, on a server that may still be starting.
 * @param maintenanceUrl URL of another database on the server
 * @throws the server's error; aborting `stopWaiting` also ends a wait for a session that hangs
 */
export async function ensureDatabase(maintenanceUrl: string, scheduler: Scheduler, stopWaiting: AbortSignal): Promise<void> {
  const client = await connectWhenReady(createServers(maintenanceUrl), scheduler, stopWaiting);
  // during a statement this closes the connection without waiting for the server
  const end = () => void client.end().catch(() => {});
  stopWaiting.addEventListener('abort', end);
  try {
    stopWaiting.throwIfAborted();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount !== 0) return;
    // creates all files of the write-ahead log (see settings): each switch adds a file, and the checkpoint recycles them
    await client.query(`select pg_logical_emit_message(true, '', ''), pg_switch_wal() from generate_series(1, 32)`);
    await client.query('checkpoint');
    await client.query(`create database ${ROLE}`);
  } finally {
    stopWaiting.removeEventListener('abort', end);
    end();
  }
}

const LOG_SIZE = '128MB';

/** Command line options of the embedded server, for a small machine and one application. */
export function settings(socketDir: string, fsync: boolean, maxConnections: number): string[] {
  const durable = fsync ? 'on' : 'off';
  const values: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: String(maxConnections),
    shared_buffers: '64MB',
    effective_cache_size: '512MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    random_page_cost: '1.1',
    // statements are short: parallel workers and JIT compilation cost more than they save, and each process costs memory
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    io_method: 'sync',
    // there are no replicas
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    // Equal, so that the write-ahead log reuses a fixed set of files. On a full disk single writes then fail; a log that cannot grow
    // would end the server, reads included.
    min_wal_size: LOG_SIZE,
    max_wal_size: LOG_SIZE,
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // callers report failed statements; the texts of statements contain keys and must not be in a log
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    checkpoint_warning: '0',
    log_line_prefix: '',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
