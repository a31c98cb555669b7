import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Api, apiOf } from './api.js';
import type { ClickHouseServer } from './clickhouse-server.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { copyPreparedData } from './prepared-data.js';
import { isRunning, listProcesses, type Process, processTree, signal } from './processes.js';

/** Path of the loop reporter; resolves from `src` and from `dist`. */
const REPORTER = new URL('../dist/loop-reporter.js', import.meta.url).href;
/** Path of the built service; resolves from `src` and from `dist`. */
const MAIN = fileURLToPath(new URL('../../server/dist/bundle/tidemark.js', import.meta.url));

/** Timeout of the loop reporter, milliseconds. */
const REPORTER_DEADLINE = 120_000;

export interface ServiceOptions {
  /**
   * Data directory; default: a temporary one, removed by `close`. In a test run one that does not exist gets the tables of an earlier
   * service, and an empty one is filled by the service itself, as by a first start.
   */
  dataDir?: string;
  /** Further environment variables of the service. */
  env?: Record<string, string>;
  /** Account of an earlier start on this data; default: a new one. */
  account?: Account;
  /** Entry of the built service; default: that of this repository. */
  main?: string;
  /** The ClickHouse server that keeps its events, instead of an engine of its own. */
  server?: ClickHouseServer;
  /** Enables `longestTurn`, which costs the service some CPU time. */
  probesLoop?: boolean;
}

export interface Account {
  email: string;
  password: string;
  /** Public key of the first project. */
  projectKey: string;
  /** Personal key with scope `*`. */
  personalKey: string;
}

/** The processes of one running service. */
export interface ServiceProcesses {
  service: number;
  /** The event engine's process, or that of the ClickHouse server. */
  engine: number;
  /** The postmaster. */
  postgres: number;
  all: Process[];
}

/** The built service as a child process, with its own data directory and account. */
export interface Service extends Api {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly account: Account;
  /** Output of all its starts so far. */
  output(): string;
  /** Why its own process does not run, with its output; null: it runs. */
  ended(): string | null;
  /** @throws Error when one of them does not run */
  processes(): Promise<ServiceProcesses>;
  /**
   * Longest turn of the service's event loop since the last call, milliseconds of CPU time. Other processes do not affect
   * it. @throws Error unless the service was started with `probesLoop`
   */
  longestTurn(): Promise<number>;
  /** Forces a garbage collection in the service and returns its memory usage. @throws Error as `longestTurn` */
  liveMemory(): Promise<NodeJS.MemoryUsage>;
  /** All processes that run now. */
  tree(): Promise<Process[]>;
  /** Kills the service's process (SIGKILL) but not its children. */
  kill9(): Promise<void>;
  /** Stops it by SIGTERM. @throws Error unless it exits with code 0 and leaves no process behind */
  stop(): Promise<void>;
  /** Restarts it on the same data and port; returns the time until it was ready, milliseconds. */
  restart(): Promise<number>;
  /** Stops all processes and removes a temporary data directory. */
  close(): Promise<void>;
}

/** Starts the built service and waits until it is ready. @throws Error with its output when it fails to start */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const parent = options.dataDir ? null : await mkdtemp(join(tmpdir(), 'tidemark-service-'));
  const dataDir = options.dataDir ?? join(parent ?? '', 'data');
  const account = options.account ?? newAccount();
  if (!existsSync(dataDir) && beginsAlike(options)) await copyPreparedData(dataDir, prepare);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let output = '';
  /** Why the last start failed. */
  let fault = '';
  let child = launch();

  function launch(): ChildProcess {
    // the flag as in `npm start`: events are many short-lived objects, which a larger young generation collects for less
    const flags = ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'];
    if (options.probesLoop) flags.push('--import', REPORTER);
    const started = spawn(execPath, [...flags, options.main ?? MAIN, 'serve'], {
      env: { ...process.env, ...settings(dataDir, port, account), ...storeOf(options), ...options.env },
      stdio: options.probesLoop ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk) => {
        // enough to explain a failure, but bounded under load
        output = (output + chunk).slice(-100_000);
      });
    }
    return started;
  }

  async function ready(): Promise<void> {
    await eventually(
      async () => {
        if (hasEnded(child)) return;
        const response = await fetch(`${url}/_ready`);
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`/_ready answers ${response.status}`);
      },
      { within: 180_000, every: 20 },
    ).catch(async (error) => {
      await kill();
      fault = `The service did not get ready: ${error.message}`;
    });
    const why = whyEnded();
    if (why !== null) throw new Error(why);
  }

  function whyEnded(): string | null {
    if (!hasEnded(child)) return null;
    return `${fault || `The service ended with ${child.signalCode ?? `code ${child.exitCode}`}`}:\n${output}`;
  }

  async function kill(): Promise<void> {
    if (!hasEnded(child)) child.kill('SIGKILL');
    await ended(child);
  }

  async function stop(): Promise<void> {
    const before = await processTree(child.pid ?? 0);
    child.kill('SIGTERM');
    const code = await ended(child);
    if (code !== 0) throw new Error(`The service ended with code ${code}:\n${output}`);
    const pids = new Set((await listProcesses()).map((process) => `${process.pid} ${process.command}`));
    const left = before.filter((process) => pids.has(`${process.pid} ${process.command}`));
    if (left.length) throw new Error(`The service left behind: ${left.map((process) => process.command).join(', ')}`);
  }

  await ready();
  return {
    ...apiOf(url, account.personalKey),
    url,
    port,
    dataDir,
    account,
    output: () => output,
    ended: whyEnded,
    processes: () => processesOf(child.pid ?? 0, options.server),
    longestTurn: async () => Number((await ask(child, 'longest turn', 'longestTurn'))['longestTurn']),
    liveMemory: async () => (await ask(child, 'live memory', 'memory'))['memory'] as NodeJS.MemoryUsage,
    tree: () => processTree(child.pid ?? 0),
    kill9: kill,
    stop,
    restart: async () => {
      if (!hasEnded(child)) throw new Error('The service is still running.');
      const start = performance.now();
      fault = '';
      child = launch();
      await ready();
      return performance.now() - start;
    },
    close: async () => {
      // the folder of the sockets of PostgreSQL, which a stop in order removes
      const outside = await readFile(join(dataDir, 'postgres.run'), 'utf8').catch(() => '');
      // data that nobody reads again needs no stop in order, which waits for open connections
      if (!parent) {
        child.kill('SIGTERM');
        await Promise.race([ended(child), sleep(10_000, null, { ref: false })]);
      }
      await kill();
      await endRemains(dataDir);
      if (outside) await rm(outside, { recursive: true, force: true });
      if (parent) await remove(parent);
    },
  };
}

/** Whether the stores of a new service would have what those of any other new one have. */
const beginsAlike = ({ main, server, env = {} }: ServiceOptions): boolean =>
  !main && !server && !['DATABASE_URL', 'CLICKHOUSE_URL'].some((name) => name in env);

async function prepare(dataDir: string): Promise<void> {
  const service = await startService({ dataDir, env: { TIDEMARK_INIT_EMAIL: '', TIDEMARK_INIT_PASSWORD: '' } });
  await service.stop();
}

function settings(dataDir: string, port: number, account: Account): Record<string, string> {
  return {
    PORT: String(port),
    HOST: '127.0.0.1',
    TIDEMARK_DATA: dataDir,
    TIDEMARK_LOG_LEVEL: 'warn',
    // a read returns what was stored before it, also on a slow machine
    TIDEMARK_STALENESS_SECONDS: '0',
    TIDEMARK_INIT_EMAIL: account.email,
    TIDEMARK_INIT_PASSWORD: account.password,
    TIDEMARK_INIT_PROJECT_KEY: account.projectKey,
    TIDEMARK_INIT_PERSONAL_KEY: account.personalKey,
  };
}

function newAccount(): Account {
  const token = () => randomBytes(32).toString('base64url');
  return {
    email: 'owner@example.com',
    password: `correct horse ${token()}`,
    projectKey: `tmk_${token()}`,
    personalKey: `tms_${token()}`,
  };
}

/** The database of a service on a ClickHouse server. */
const DATABASE = 'tidemark';

const storeOf = ({ server }: ServiceOptions): Record<string, string> =>
  server ? { CLICKHOUSE_URL: `${server.url}/${DATABASE}` } : {};

async function processesOf(root: number, server: ClickHouseServer | undefined): Promise<ServiceProcesses> {
  const tree = await processTree(root);
  const all = server ? [...tree, ...(await processTree(server.pid))] : tree;
  const postgres = all.find((process) => process.name === 'postgres' && process.parent === root);
  const isEngine = ({ pid, parent, command }: Process) =>
    server ? pid === server.pid : parent === root && command.startsWith(execPath);
  const engine = all.find(isEngine);
  if (!postgres || !engine) throw new Error(`Not all processes run: ${all.map((process) => process.command).join(', ')}`);
  return { service: root, engine: engine.pid, postgres: postgres.pid, all };
}

/** Longest time of an immediate shutdown of PostgreSQL, milliseconds. */
const SHUTDOWN_MS = 5_000;

/** Ends the children of a killed service, which are recognized by its data directory in their working directory or arguments. */
async function endRemains(dataDir: string): Promise<void> {
  const remains = (await listProcesses()).filter(
    ({ pid, command, workingDirectory }) =>
      pid !== process.pid && (workingDirectory.startsWith(dataDir) || command.includes(dataDir)),
  );
  for (const { pid, name } of remains) {
    // in an immediate shutdown PostgreSQL gives back its shared memory
    if (name === 'postgres') signal(pid, 'SIGCONT');
    signal(pid, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  }
  const areGone = async () => !(await Promise.all(remains.map(({ pid }) => isRunning(pid)))).some(Boolean);
  for (const end = performance.now() + SHUTDOWN_MS; performance.now() < end && !(await areGone()); ) await sleep(10);
  for (const { pid } of remains) signal(pid, 'SIGKILL');
}

/** Removes a folder of many files with less processor time than by Node.js, which makes some promises for each. */
const remove = (folder: string): Promise<unknown> =>
  promisify(execFile)('rm', ['-rf', folder]).catch(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Sends a question to the loop reporter. @throws Error without an answer: the process ended, or has no reporter */
async function ask(child: ChildProcess, question: string, field: string): Promise<Record<string, unknown>> {
  if (!child.connected) throw new Error('The service does not tell the turns of its event loop.');
  const signal = AbortSignal.timeout(REPORTER_DEADLINE);
  child.send(question);
  // answers to concurrent questions come on the same channel
  for await (const [message] of on(child, 'message', { signal })) {
    if (typeof message === 'object' && message !== null && field in message) return message;
  }
  throw new Error('The service does not answer.');
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

function ended(child: ChildProcess): Promise<number | null> {
  if (hasEnded(child)) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', resolve));
}
