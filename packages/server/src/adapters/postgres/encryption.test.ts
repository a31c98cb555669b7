import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { createAuthority } from '../../testing/certificates.js';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.js';
import { createScheduler } from '../system/index.js';
import { openPostgres } from './index.js';

let folder: string;
/** Its certificate is for 127.0.0.1. */
let server: PostgresServer;
/** Its certificate is for db.example.com. */
let other: PostgresServer;
let plain: PostgresServer;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-tls-'));
  const authority = createAuthority('The authority');
  await writeFile(file('ca.pem'), authority.cert);
  // of the same name, as somebody in between would make it
  await writeFile(file('wrong.pem'), createAuthority('The authority').cert);
  [server, other, plain] = await Promise.all([
    startPostgresServer({ tls: authority.issue('127.0.0.1') }),
    startPostgresServer({ tls: authority.issue('db.example.com') }),
    startPostgresServer(),
  ]);
});
afterAll(async () => {
  await Promise.all([server, other, plain].map((each) => each?.close()));
  await rm(folder, { recursive: true });
});

/** Opens the database with parameters of the address, and says whether its connections are encrypted. */
async function isEncrypted(where: PostgresServer, parameters: string): Promise<boolean | undefined> {
  const config = loadConfig({ DATABASE_URL: `${where.url()}?${parameters}` });
  const { db, listenToChanges, close } = await openPostgres(config, pino({ level: 'silent' }), createScheduler(), {
    patience: 1_000,
  });
  try {
    await listenToChanges();
    const { rows } = await sql<{ ssl: boolean }>`
      select bool_and(ssl) as ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = current_database()`.execute(
      db,
    );
    return rows[0]?.ssl;
  } finally {
    await close();
  }
}

test.each<[string, () => string]>([
  ['require, which does not check the certificate', () => 'sslmode=require'],
  ['verify-ca with the authority', () => `sslmode=verify-ca&sslrootcert=${file('ca.pem')}`],
  ['verify-full with the authority', () => `sslmode=verify-full&sslrootcert=${file('ca.pem')}`],
])('all connections are encrypted with sslmode=%s', async (_mode, parameters) => {
  expect(await isEncrypted(server, parameters())).toBe(true);
});

test('without sslmode they are not', async () => {
  expect(await isEncrypted(server, '')).toBe(false);
});

test('verify-ca does not check the name of the host', async () => {
  expect(await isEncrypted(other, `sslmode=verify-ca&sslrootcert=${file('ca.pem')}`)).toBe(true);
});

const UNKNOWN = 'The PostgreSQL of DATABASE_URL cannot be used: its certificate is not signed by a known authority.';
test.each<[string, () => PostgresServer, () => string, string]>([
  ['a wrong authority', () => server, () => `sslmode=verify-full&sslrootcert=${file('wrong.pem')}`, UNKNOWN],
  ['a wrong authority with verify-ca', () => server, () => `sslmode=verify-ca&sslrootcert=${file('wrong.pem')}`, UNKNOWN],
  ['a wrong authority with require', () => server, () => `sslmode=require&sslrootcert=${file('wrong.pem')}`, UNKNOWN],
  ['an authority that is not named', () => server, () => 'sslmode=verify-full', UNKNOWN],
  [
    'another host name',
    () => other,
    () => `sslmode=verify-full&sslrootcert=${file('ca.pem')}`,
    'The PostgreSQL of DATABASE_URL cannot be used: its certificate is for another host name.',
  ],
  [
    'a server that does not encrypt',
    () => plain,
    () => 'sslmode=require',
    'The PostgreSQL of DATABASE_URL cannot be used: The server does not support SSL connections.',
  ],
])('%s is refused in one sentence', async (_fault, where, parameters, sentence) => {
  await expect(isEncrypted(where(), parameters())).rejects.toThrow(sentence);
});

test.each([
  ['sslmode=verify-ca', 'DATABASE_URL: sslmode=verify-ca needs sslrootcert, the file of the certificate authority.'],
  ['sslmode=verify-full&sslrootcert=/nowhere', 'DATABASE_URL: the file /nowhere of sslrootcert cannot be read.'],
  ['sslmode=require&sslrootcert=system', 'DATABASE_URL: sslrootcert=system needs sslmode=verify-full.'],
])('%s is refused before anything is opened', async (parameters, sentence) => {
  await expect(isEncrypted(server, parameters)).rejects.toThrow(sentence);
});
