import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { sentenceOf } from '../../../kernel/errors.js';
import type { Scheduler } from '../../../ports/system.js';
import { probeNewConnection } from '../pulse.js';
import { findBinaries } from './binaries.js';
import { ensureDatabase, passwordFileIn, prepareCluster, ROLE, settings } from './cluster.js';
import { guard, stopOrphans } from './orphans.js';
import { choosePaths, removePaths, runDirFile, spawnOptions } from './paths.js';
import { supervise } from './supervise.js';

interface EmbeddedServer {
  /** URL of the service's database, with the password. */
  url: string;
  /** URL of another database of the server, for statements such as `create database`. */
  maintenanceUrl: string;
  /** Directory of its socket. */
  socketDir: string;
  /** Kills a server that hangs; it is then restarted. */
  kill(): void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL on `<dataDir>/postgres`, which the first start creates, and restarts it until it is stopped.
 * The caller holds the lock of the data directory: a server that still runs on it is an orphan and is stopped.
 * @throws Error with one sentence
 */
export async function startEmbedded(
  { dataDir, fsync, maxConnections }: { dataDir: string; fsync: boolean; maxConnections: number },
  log: Logger,
  scheduler: Scheduler,
): Promise<EmbeddedServer> {
  const place = await choosePaths(dataDir);
  const leaveAtExit = () => rmSync(place.runDir, { recursive: true, force: true });
  process.once('exit', leaveAtExit);
  const leave = async () => {
    process.off('exit', leaveAtExit);
    await removePaths(place);
  };
  try {
    const programs = await findBinaries(place);
    const password = await prepareCluster(place, programs, { fsync, scheduler });
    const address = (database: string) => addressOf(place.runDir, password, database);
    const { path, options } = spawnOptions(place, place.clusterDir);
    let guarded = Promise.resolve();
    const server = await supervise(
      {
        async clear() {
          if (await stopOrphans(place.clusterDir, scheduler)) log.warn('stopped a PostgreSQL that an earlier run left behind');
        },
        spawn: () => {
          const child = spawn(programs.postgres, ['-D', path, ...settings(place.runDir, fsync, maxConnections)], {
            ...options,
            // its own session: Ctrl-C in the terminal must reach the service first, which stops the server
            detached: true,
            stdio: ['ignore', 'ignore', 'pipe'],
          });
          if (child.pid !== undefined) {
            const endGuard = guard(child.pid, scheduler);
            child.once('exit', () => {
              guarded = endGuard();
            });
          }
          return child;
        },
        ready: (stopWaiting) => ensureDatabase(address('postgres'), scheduler, stopWaiting),
        answers: (signal) => probeNewConnection(place.runDir, signal),
      },
      log,
      scheduler,
    );
    return {
      url: address(ROLE),
      maintenanceUrl: address('postgres'),
      socketDir: place.runDir,
      kill: server.kill,
      async stop() {
        await server.stop();
        await guarded;
        await leave();
      },
    };
  } catch (error) {
    await leave();
    // the server refers to its directory by this path, which means nothing to readers of the message
    if (error instanceof Error) error.message = error.message.replaceAll('/proc/self/cwd', place.clusterDir);
    throw error;
  }
}

/**
 * URL, with password, of the service's database on the server that another process runs on a data directory.
 * @throws Error with one sentence if this user may not read it, or no server runs there
 */
export async function runningAddress(dataDir: string): Promise<string> {
  try {
    const [runDir, password] = await Promise.all([
      readFile(runDirFile(dataDir), 'utf8'),
      readFile(passwordFileIn(dataDir), 'utf8'),
    ]);
    return addressOf(runDir, password, ROLE);
  } catch (error) {
    const reason = sentenceOf(error);
    throw new Error(`The PostgreSQL of the running Tidemark cannot be reached (${reason}): run this as the user of the service.`);
  }
}

const addressOf = (runDir: string, password: string, database: string): string =>
  `postgres://${ROLE}:${password}@localhost/${database}?host=${runDir}`;
