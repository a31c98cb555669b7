import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { on } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Api, apiOf } from './api.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { listProcesses, type Process, processTree } from './processes.js';

/** Measures the event loop from within; from `src` as well as from `dist`. */
const REPORTER = new URL('../dist/loop-reporter.js', import.meta.url).href;
/** The built service; from `src` as well as from `dist`. */
const MAIN = fileURLToPath(new URL('../../server/dist/bundle/tidemark.js', import.meta.url));

/** Milliseconds after which a reporter does not answer. */
const REPORTER_DEADLINE = 120_000;

export interface ServiceOptions {
  /** Existing data directory; else a temporary one, removed at the end. */
  dataDir?: string;
  /** More settings of the service. */
  env?: Record<string, string>;
  /** Whether `longestTurn` is measured, which costs the service some processor time. */
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
  /** The event engine's process. */
  engine: number;
  /** The postmaster. */
  postgres: number;
  all: Process[];
}

/** The built service as a child process with a data directory and an account of its own. */
export interface Service extends Api {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly account: Account;
  /** What it has printed so far, over all its starts. */
  output(): string;
  /** @throws Error when one of them is not there now */
  processes(): Promise<ServiceProcesses>;
  /**
   * Milliseconds of processor time of the longest turn of the service's event loop since the last call. Other processes make it no
   * longer. @throws Error unless the service was started with `probesLoop`
   */
  longestTurn(): Promise<number>;
  /** Collects garbage in the service's process, and answers what memory is in use after it. @throws Error as `longestTurn` */
  liveMemory(): Promise<NodeJS.MemoryUsage>;
  /** The processes that there are now, whichever. */
  tree(): Promise<Process[]>;
  /** Kills the service's process as a power cut would, its children not. */
  kill9(): Promise<void>;
  /** SIGTERM; @throws Error unless it ends with code 0 and leaves no process behind */
  stop(): Promise<void>;
  /** Starts again on the same data and port; answers how long until it was ready, milliseconds. */
  restart(): Promise<number>;
  /** Ends whatever runs, and removes a temporary data directory. */
  close(): Promise<void>;
}

/** Starts the built service and waits until it is ready. @throws Error with what it printed when it does not get there */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const parent = options.dataDir ? null : await mkdtemp(join(tmpdir(), 'tidemark-service-'));
  const dataDir = options.dataDir ?? join(parent ?? '', 'data');
  const account = newAccount();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let output = '';
  let child = launch();

  function launch(): ChildProcess {
    // the flag as in `npm start`: events are many short-lived objects, which a larger young generation collects for less
    const flags = ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'];
    if (options.probesLoop) flags.push('--import', REPORTER);
    const started = spawn(execPath, [...flags, MAIN, 'serve'], {
      env: { ...process.env, ...settings(dataDir, port, account), ...options.env },
      stdio: options.probesLoop ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk) => {
        // enough to tell why it failed, and no more than that under load
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
      throw new Error(`The service did not get ready: ${error.message}\n${output}`);
    });
    if (hasEnded(child)) throw new Error(`The service ended with code ${child.exitCode}:\n${output}`);
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
    processes: () => processesOf(child.pid ?? 0),
    longestTurn: async () => Number((await ask(child, 'longest turn', 'longestTurn'))['longestTurn']),
    liveMemory: async () => (await ask(child, 'live memory', 'memory'))['memory'] as NodeJS.MemoryUsage,
    tree: () => processTree(child.pid ?? 0),
    kill9: kill,
    stop,
    restart: async () => {
      if (!hasEnded(child)) throw new Error('The service is still running.');
      const start = performance.now();
      child = launch();
      await ready();
      return performance.now() - start;
    },
    close: async () => {
      // asked to go, it clears away what it keeps outside of its data directory
      child.kill('SIGTERM');
      await Promise.race([ended(child), sleep(10_000, null, { ref: false })]);
      await kill();
      await killRemains(dataDir);
      if (parent) await rm(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function settings(dataDir: string, port: number, account: Account): Record<string, string> {
  return {
    PORT: String(port),
    HOST: '127.0.0.1',
    TIDEMARK_DATA: dataDir,
    TIDEMARK_LOG_LEVEL: 'warn',
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

async function processesOf(root: number): Promise<ServiceProcesses> {
  const all = await processTree(root);
  const postgres = all.find((process) => process.name === 'postgres' && process.parent === root);
  const engine = all.find((process) => process.parent === root && process.command.startsWith(execPath));
  if (!postgres || !engine) throw new Error(`Not all processes run: ${all.map((process) => process.command).join(', ')}`);
  return { service: root, engine: engine.pid, postgres: postgres.pid, all };
}

/** Children that outlive a killed service keep its directory as their working directory or argument. */
async function killRemains(dataDir: string): Promise<void> {
  for (const { pid, command, workingDirectory } of await listProcesses()) {
    if (pid === process.pid || !(workingDirectory.startsWith(dataDir) || command.includes(dataDir))) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone with its parent in the meantime
    }
  }
}

/** Asks the reporter. @throws Error when nobody answers: the process ended, or loads no reporter */
async function ask(child: ChildProcess, question: string, field: string): Promise<Record<string, unknown>> {
  if (!child.connected) throw new Error('The service does not tell the turns of its event loop.');
  const signal = AbortSignal.timeout(REPORTER_DEADLINE);
  child.send(question);
  // answers to other questions come on the same channel
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
