import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Logger } from 'pino';
import { connectWhenReady } from '../connect.js';
import { prepareCluster, ROLE } from './cluster.js';
import { choosePlace, leavePlace, onCluster } from './place.js';
import { findPrograms } from './programs.js';
import { stopRemains } from './remains.js';
import { settings } from './settings.js';
import { supervise } from './supervise.js';

interface EmbeddedServer {
  /** Address of our database on it; it holds the password. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Runs a PostgreSQL of our own on `<dataDir>/postgres`, which it makes at the first start, until it is stopped.
 * The caller holds the lock of the data directory: what still runs on it is taken for an orphan.
 * @throws Error in one sentence
 */
export async function startEmbedded(dataDir: string, fsync: boolean, log: Logger): Promise<EmbeddedServer> {
  const place = await choosePlace(dataDir);
  const leaveAtExit = () => rmSync(place.runDir, { recursive: true, force: true });
  process.once('exit', leaveAtExit);
  const leave = async () => {
    process.off('exit', leaveAtExit);
    await leavePlace(place);
  };
  try {
    const programs = await findPrograms(place);
    const password = await prepareCluster(place, programs, fsync);
    const address = (database: string) => `postgres://${ROLE}:${password}@localhost/${database}?host=${place.runDir}`;
    const { path, options } = onCluster(place, place.clusterDir);
    const server = await supervise(
      {
        async clear() {
          if (await stopRemains(place.clusterDir)) log.warn('stopped a PostgreSQL that an earlier run left behind');
        },
        spawn: () =>
          spawn(programs.postgres, ['-D', path, ...settings(place.runDir, fsync)], {
            ...options,
            // a session of its own: Ctrl-C in the terminal must reach us first
            detached: true,
            stdio: ['ignore', 'ignore', 'pipe'],
          }),
        ready: (stopWaiting) => ensureDatabase(address('postgres'), stopWaiting),
      },
      log,
    );
    return {
      url: address(ROLE),
      async stop() {
        await server.stop();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    // the server knows its directory by a name that says nothing to people
    if (error instanceof Error) error.message = error.message.replaceAll('/proc/self/cwd', place.clusterDir);
    throw error;
  }
}

async function ensureDatabase(maintenanceUrl: string, stopWaiting: AbortSignal): Promise<void> {
  const client = await connectWhenReady(maintenanceUrl, stopWaiting);
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount !== 0) return;
    // fills the ring of log files (see settings) once: each switch makes a file, and the checkpoint keeps them for later
    await client.query(`select pg_logical_emit_message(true, '', ''), pg_switch_wal() from generate_series(1, 32)`);
    await client.query('checkpoint');
    await client.query(`create database ${ROLE}`);
  } finally {
    await client.end();
  }
}
