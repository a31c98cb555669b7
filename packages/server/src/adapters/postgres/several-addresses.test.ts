import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { isConnectionFault } from '../../http/error-handler.js';
import type { Db } from '../../ports/db.js';
import { type PostgresServer, startReplicatedPostgres } from '../../testing/postgres-server.js';
import { createScheduler } from '../system/index.js';
import { openPostgres, type Postgres } from './index.js';

/*
 * A primary and a standby that streams from it, both real.
 */

let primary: PostgresServer;
let standby: PostgresServer;
let opened: Postgres[] = [];

beforeEach(async () => {
  ({ primary, standby } = await startReplicatedPostgres());
});
afterEach(async () => {
  for (const postgres of opened) await postgres.close();
  opened = [];
  await standby.close();
  await primary.close();
});

/** The database by the addresses of both servers. */
async function open(servers: readonly PostgresServer[], parameters = '?target_session_attrs=read-write'): Promise<Postgres> {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const address = `postgres://tidemark:${primary.password}@${hosts}/tidemark${parameters}`;
  const postgres = await openPostgres(loadConfig({ DATABASE_URL: address }), pino({ level: 'silent' }), createScheduler(), {
    patience: 3_000,
  });
  opened.push(postgres);
  return postgres;
}

const portOf = async (db: Db) => {
  const { rows } = await sql<{
    port: string;
  }>`insert into written default values returning current_setting('port') as port`.execute(db);
  return Number(rows[0]?.port);
};
const createTable = (db: Db) => sql`create table written (at timestamptz default now())`.execute(db);
/** The port of the server that took a write; null: it was refused for now. Any other error fails. */
const writtenAt = (db: Db) =>
  portOf(db).catch((error: Error) => {
    if (isConnectionFault(error)) return null;
    throw error;
  });

/** The processes that a process has started. */
async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // the name of the program, in parentheses, is followed by the state and the parent
  return pids.map(Number).filter((_, index) => Number(stats[index]?.split(') ').at(-1)?.split(' ')[1]) === parent);
}

test('the primary is used wherever it stands in the list, and whatever target_session_attrs says', async () => {
  const { db } = await open([standby, primary]);
  await createTable(db);
  expect(await Promise.all([portOf(db), portOf(db), portOf(db)])).toEqual([primary.port, primary.port, primary.port]);
  expect(await portOf((await open([primary, standby], '')).db)).toBe(primary.port);
});

test('when the primary dies, the promoted standby is used, and its changes are heard', async () => {
  const postgres = await open([primary, standby]);
  await createTable(postgres.db);
  const changes = await postgres.listenToChanges();
  const heard: (number | null)[] = [];
  changes.onChange((project) => heard.push(project));
  // several connections that will be of no use
  await Promise.all([1, 2, 3, 4].map(() => portOf(postgres.db)));
  await primary.kill9();
  // its sessions outlive it by a moment; then there is nobody to write to, and a request is refused in bounded time
  await expect.poll(() => writtenAt(postgres.db)).toBe(null);
  await standby.promote();
  await expect.poll(() => writtenAt(postgres.db)).toBe(standby.port);
  await expect.poll(() => changes.isListening() && heard.length > 0).toBe(true);
  await expect
    .poll(async () => {
      await sql`select pg_notify('tidemark_changes', '77')`.execute(postgres.db);
      return heard.includes(77);
    })
    .toBe(true);
  expect(await Promise.all([1, 2, 3, 4].map(() => writtenAt(postgres.db)))).toEqual(Array(4).fill(standby.port));
});

test('when the primary hangs, the promoted standby is used, and the old one is not used again when it continues', async () => {
  const { db } = await open([primary, standby]);
  await createTable(db);
  await Promise.all([1, 2, 3].map(() => portOf(db)));
  // the first process starts the others: once it has stopped, there are no new ones
  process.kill(primary.pid, 'SIGSTOP');
  const others = await childrenOf(primary.pid);
  for (const pid of others) process.kill(pid, 'SIGSTOP');
  await standby.promote();
  await expect.poll(() => writtenAt(db)).toBe(standby.port);
  for (const pid of [...others, primary.pid]) process.kill(pid, 'SIGCONT');
  expect(await Promise.all([1, 2, 3].map(() => portOf(db)))).toEqual(Array(3).fill(standby.port));
});

test('when the primary becomes read-only, one write learns it, and all further ones go to the new primary', async () => {
  const { db } = await open([primary, standby]);
  await createTable(db);
  await Promise.all([1, 2, 3, 4].map(() => portOf(db)));
  await standby.promote();
  await primary.run('alter system set default_transaction_read_only = on');
  await primary.run('select pg_reload_conf()');
  await expect.poll(async () => (await primary.run('show transaction_read_only')).rows[0]?.transaction_read_only).toBe('on');
  await expect.poll(() => writtenAt(db)).toBe(standby.port);
  expect(await Promise.all([1, 2, 3, 4].map(() => portOf(db)))).toEqual(Array(4).fill(standby.port));
});

test('when no server accepts writes, the sentence says of each why', async () => {
  await primary.kill9();
  await expect(open([primary, standby])).rejects.toThrow(
    `The PostgreSQL of DATABASE_URL cannot be used: none of its servers accepts writes: 127.0.0.1:${primary.port} (connect ECONNREFUSED 127.0.0.1:${primary.port}), 127.0.0.1:${standby.port} (it is read-only, as a standby is).`,
  );
});

test('a single address of a standby is refused in one sentence', async () => {
  await expect(open([standby], '')).rejects.toThrow(
    'The PostgreSQL of DATABASE_URL cannot be used: it is read-only, as a standby is.',
  );
});
