import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** PgBouncer as Debian packages it. */
export const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Path of PgBouncer; undefined: there is none. */
export const findPgBouncer = (): string | undefined => (existsSync(PGBOUNCER) ? PGBOUNCER : undefined);

/** A PgBouncer on 127.0.0.1 before one PostgreSQL server. */
export interface PgBouncer {
  readonly port: number;
  close(): Promise<void>;
}

export interface PgBouncerOptions {
  /** The server behind it. */
  server: { port: number; user: string; password: string };
  mode: 'session' | 'transaction';
  /** Further lines of its settings. */
  settings?: string[];
}

/** Starts PgBouncer with one database, `tidemark`, for everybody. */
export async function startPgBouncer({ server, mode, settings = [] }: PgBouncerOptions): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  const lines = [
    '[databases]',
    `tidemark = host=127.0.0.1 port=${server.port} user=${server.user} password=${server.password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'default_pool_size = 30',
    ...settings,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  await writeFile(users, `"${server.user}" "${server.password}"\n`);
  await chmod(folder, 0o755);
  // it refuses to run as root
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(PGBOUNCER, [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-10_000);
  });
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  await eventually(
    async () => {
      if (child.exitCode !== null) return;
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect').finally(() => socket.destroy());
    },
    { every: 20 },
  );
  if (child.exitCode !== null) throw new Error(`PgBouncer did not come up:\n${output}`);
  return { port, close };
}
