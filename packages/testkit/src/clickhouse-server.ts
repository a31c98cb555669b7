import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** Resolves from `src` and from `dist`. */
const PROCESS = fileURLToPath(new URL('../dist/clickhouse-server-process.js', import.meta.url));

export interface ClickHouseServerOptions {
  /** Memory limit of the server, bytes. */
  memory?: number;
}

/** A ClickHouse server without authentication on a loopback address, run from the library of the embedded engine. */
export interface ClickHouseServer {
  /** Address of the HTTP interface. */
  readonly url: string;
  readonly httpPort: number;
  readonly tcpPort: number;
  readonly pid: number;
  /** Kills it (SIGKILL), as a power cut would. */
  kill9(): Promise<void>;
  /** Restarts it on the same ports and data; with `isEmpty` without data, as a machine with a new disk. */
  restart(options?: { isEmpty?: boolean }): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

/** Starts a server on a temporary directory; needs no network. @throws Error with its output when it fails to start */
export async function startClickHouseServer({ memory }: ClickHouseServerOptions = {}): Promise<ClickHouseServer> {
  const [httpPort, tcpPort] = await Promise.all([freePort(), freePort()]);
  return launchClickHouse({ host: '127.0.0.1', httpPort, tcpPort, memory });
}

/** What a server is started with. */
export interface LaunchOptions {
  /** The loopback address that it listens on. */
  host: string;
  httpPort: number;
  tcpPort: number;
  /** Memory limit of the server, bytes. */
  memory?: number | undefined;
  /** Further elements of its configuration, as XML. */
  config?: string;
  /** Users in place of the default one without a password, as XML: the elements of `<users>`. */
  users?: string | undefined;
  /** Further environment variables, for `from_env` in the configuration. */
  env?: Record<string, string> | undefined;
  /** The loopback address on which it listens for replicas, at the port for HTTP, and where they find it. */
  interserver?: { host: string; url: string } | undefined;
}

/** Starts a server at an address. @throws Error with its output when it fails to start */
export async function launchClickHouse({
  host,
  httpPort,
  tcpPort,
  memory = 1024 ** 3,
  config: more = '',
  users,
  env = {},
  interserver,
}: LaunchOptions): Promise<ClickHouseServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-clickhouse-'));
  const config = join(directory, 'config.xml');
  if (users) {
    const all = `<profiles><default/></profiles><quotas><default/></quotas><users>${users}</users>`;
    await writeFile(join(directory, 'users.xml'), `<clickhouse>${all}</clickhouse>`);
  }
  const usersFile = users ? `<users_config>${join(directory, 'users.xml')}</users_config>` : '';
  const listeners = interserver ? [host, interserver.host].map((one) => `<listen_host>${one}</listen_host>`).join('') : '';
  await writeFile(
    config,
    `<clickhouse>${listeners}${usersFile}<max_server_memory_usage>${memory}</max_server_memory_usage>${more}</clickhouse>`,
  );
  const url = `http://${host}:${httpPort}`;
  let output = '';
  let child = launch();

  function launch(): ChildProcess {
    const started = spawn(
      process.execPath,
      [
        PROCESS,
        '--multiquery',
        `--path=${join(directory, 'data')}`,
        // the second listener is the one for replicas
        ...(interserver ? [] : [`--listen_host=${host}`]),
        `--http_port=${httpPort}`,
        `--tcp_port=${tcpPort}`,
        `--config-file=${config}`,
      ],
      {
        cwd: directory,
        env: { TZ: 'UTC', ...env, ...(interserver ? { INTERSERVER_URL: interserver.url } : {}) },
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    started.stderr?.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
    });
    return started;
  }

  async function ready(): Promise<void> {
    await eventually(
      async () => {
        const response = await fetch(`${url}/ping`);
        if (!response.ok) throw new Error(`ping answers ${response.status}`);
      },
      { every: 20 },
    ).catch(async (error) => {
      await close();
      throw new Error(`ClickHouse did not come up: ${error.message}\n${output}`);
    });
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async function close(): Promise<void> {
    await kill();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }

  await ready();
  return {
    url,
    httpPort,
    tcpPort,
    get pid() {
      return child.pid ?? 0;
    },
    kill9: kill,
    restart: async ({ isEmpty = false } = {}) => {
      await kill();
      if (isEmpty) await rm(join(directory, 'data'), { recursive: true, force: true });
      child = launch();
      await ready();
    },
    close,
  };
}
