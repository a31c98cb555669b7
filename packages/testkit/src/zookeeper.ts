import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** Where Debian's packages put what ZooKeeper needs. */
const JARS = '/usr/share/java';
const JAVA = '/usr/bin/java';

export const hasZooKeeper = (): boolean => existsSync(join(JARS, 'zookeeper.jar')) && existsSync(JAVA);

export interface ZooKeeper {
  /** A port for one client, by TLS with a certificate. ClickHouse servers ended each other's sessions, because all ours have the same id. */
  portOf(client: number, tls?: { cert: string; key: string }): Promise<number>;
  /** Kills it (SIGKILL). */
  kill9(): Promise<void>;
  /** Starts it again on the same data and port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts Debian's ZooKeeper on a temporary directory. */
export async function startZooKeeper(): Promise<ZooKeeper> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-zookeeper-'));
  const port = await freePort();
  const config = join(directory, 'zoo.cfg');
  await writeFile(
    config,
    `tickTime=500\ndataDir=${directory}/data\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=0\n`,
  );
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  const launch = () => spawn(JAVA, ['-Xmx128m', '-cp', `${JARS}/*`, main, config], { cwd: directory, stdio: 'ignore' });
  let child = launch();
  const closers: (() => void)[] = [];
  const close = async () => {
    for (const end of closers) end();
    await killed(child);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await eventually(() => reached(port), { every: 50 });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    portOf: async (client, tls) => {
      const { port: own, end } = await relayWithId(port, `${NO_ID.slice(0, -1)}${client}`, tls);
      closers.push(end);
      return own;
    },
    kill9: () => killed(child),
    restart: async () => {
      await killed(child);
      child = launch();
      await eventually(() => reached(port), { every: 50 });
    },
    close,
  };
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Connects a new port with another, and replaces the id of a server by one of the same length. */
async function relayWithId(
  target: number,
  id: string,
  tls?: { cert: string; key: string },
): Promise<{ port: number; end: () => void }> {
  const port = await freePort();
  const open = new Set<Socket>();
  const accept = (from: Socket) => {
    const to = connect({ host: '127.0.0.1', port: target, noDelay: true });
    const end = () => {
      from.destroy();
      to.destroy();
      open.delete(from);
    };
    open.add(from);
    from.on('data', (bytes) => to.write(replaced(bytes, NO_ID, id)));
    to.on('data', (bytes) => from.write(replaced(bytes, id, NO_ID)));
    for (const socket of [from, to]) socket.on('error', end).on('close', end);
  };
  const server = tls ? createTlsServer({ noDelay: true, ...tls }, accept) : createServer({ noDelay: true }, accept);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    end: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function replaced(bytes: Buffer, id: string, by: string): Buffer {
  for (let at = bytes.indexOf(id); at >= 0; at = bytes.indexOf(id, at + 1)) bytes.write(by, at, 'latin1');
  return bytes;
}

const reached = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
