import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@tidemark/testkit';
import pg from 'pg';
import { findBinaries } from '../adapters/postgres/embedded/binaries.js';
import { prepareCluster, ROLE } from '../adapters/postgres/embedded/cluster.js';
import { choosePaths, removePaths, type ServerPaths, spawnOptions } from '../adapters/postgres/embedded/paths.js';
import { createScheduler } from '../adapters/system/index.js';
import { madeOnce } from './made-once.js';

const run = promisify(execFile);

/** A PostgreSQL server that listens on a port of 127.0.0.1, apart from the one of the test run. */
export interface PostgresServer {
  readonly port: number;
  readonly pid: number;
  readonly password: string;
  /** Address of a database. */
  url(database?: string): string;
  /** Runs a statement as the superuser, in the database `postgres` by default. */
  run(sql: string, database?: string): Promise<pg.QueryResult>;
  /** Makes a standby the primary; it waits until that is done. */
  promote(): Promise<void>;
  kill9(): Promise<void>;
  /** Starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

interface ServerOptions {
  /** Certificate and private key in PEM: clients may encrypt. */
  tls?: { cert: string; key: string };
}

/** Starts a server with an empty database `tidemark`. */
export async function startPostgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const server = await launch(await prepare(), [], options);
  await createDatabase(server);
  return server;
}

/** Starts a primary with an empty database `tidemark`, and a standby that streams from it. */
export async function startReplicatedPostgres(): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const own = await prepare();
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-server-'));
  // a copy made before the first start is a base backup
  await run('cp', ['--archive', own.place.clusterDir, dataDir]);
  const other = { place: await choosePaths(dataDir), password: own.password };
  const signal = join(other.place.clusterDir, 'standby.signal');
  await writeFile(signal, '');
  if (other.place.user) await chown(signal, other.place.user.uid, other.place.user.gid);
  const primary = await launch(own, []);
  await createDatabase(primary);
  const source = `host=127.0.0.1 port=${primary.port} user=${ROLE} password=${own.password}`;
  const standby = await launch(other, ['-c', `primary_conninfo=${source}`]);
  await eventually(async () => {
    const { rowCount } = await primary.run('select from pg_stat_replication where replay_lsn = pg_current_wal_lsn()');
    if (rowCount === 0) throw new Error('the standby has not received everything');
  });
  return { primary, standby };
}

interface Prepared {
  place: ServerPaths;
  password: string;
}

const makeCluster = madeOnce(async (dataDir) => removePaths((await prepareIn(dataDir)).place));

async function prepare(): Promise<Prepared> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-server-'));
  await makeCluster(dataDir);
  return prepareIn(dataDir);
}

/** Makes the files of a server, unless they are there. */
async function prepareIn(dataDir: string): Promise<Prepared> {
  const place = await choosePaths(dataDir);
  const password = await prepareCluster(place, await findBinaries(place), { fsync: false, scheduler: createScheduler() });
  return { place, password };
}

async function launch({ place, password }: Prepared, more: string[], { tls }: ServerOptions = {}): Promise<PostgresServer> {
  const { postgres } = await findBinaries(place);
  const port = await freePort();
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: place.runDir,
    fsync: 'off',
    shared_buffers: '16MB',
    wal_level: 'replica',
    wal_keep_size: '64MB',
  };
  if (tls) {
    const files = { cert: join(place.runDir, 'server.crt'), key: join(place.runDir, 'server.key') };
    for (const part of ['cert', 'key'] as const) {
      await writeFile(files[part], tls[part], { mode: 0o600 });
      if (place.user) await chown(files[part], place.user.uid, place.user.gid);
    }
    Object.assign(settings, { ssl: 'on', ssl_cert_file: files.cert, ssl_key_file: files.key });
  }
  const { path, options } = spawnOptions(place, place.clusterDir);
  const args = ['-D', path, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...more];
  let output = '';
  const start = (): ChildProcess => {
    const child = spawn(postgres, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
    });
    return child;
  };
  const url = (database = ROLE) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  const statement = async (sql: string, database = 'postgres') => {
    const client = new pg.Client({ connectionString: url(database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const ready = () =>
    eventually(async () => hasEnded(child) || statement('select'), { every: 20 })
      .catch((error: Error) => error)
      .then((result) => {
        if (hasEnded(child) || result instanceof Error)
          throw new Error(`PostgreSQL did not come up: ${String(result)}\n${output}`);
      });
  const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
    if (hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  };

  let child = start();
  await ready();
  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    password,
    url,
    run: statement,
    promote: async () => {
      await statement('select pg_promote(true, 120)');
    },
    kill9: () => end(child, 'SIGKILL'),
    restart: async () => {
      await end(child, 'SIGINT');
      child = start();
      await ready();
    },
    close: async () => {
      // an immediate shutdown, which ends the sessions' processes as well
      await end(child, 'SIGQUIT');
      await removePaths(place);
      await rm(place.dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

const createDatabase = (server: PostgresServer) => server.run(`create database ${ROLE}`);
