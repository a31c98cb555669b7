import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { createScheduler } from '../system/index.js';
import { openPostgres } from './index.js';
import { migrate } from './migrate.js';
import { isTransient } from './pool.js';
import { createServers } from './servers.js';

const log = pino({ level: 'silent' });
let directory: string;
let url: string;
let client: pg.Client;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-migrate-'));
  const admin = new pg.Client(at('postgres'));
  await admin.connect();
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await admin.query(`create database ${name}`);
  await admin.end();
  url = at(name);
  client = new pg.Client(url);
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await rm(directory, { recursive: true });
  const admin = new pg.Client(at('postgres'));
  await admin.connect();
  await admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await admin.end();
});

function at(database: string): string {
  const address = new URL(inject('postgresUrl'));
  address.pathname = `/${database}`;
  return address.href;
}

const put = (name: string, sql: string) => writeFile(join(directory, name), sql);
const up = () => migrate(createServers(url), log, { directory: pathToFileURL(`${directory}/`) });
const applied = async () =>
  (await client.query('select name from schema_migrations order by version')).rows.map((row) => row.name);

describe('migrate', () => {
  test('several servers that start together apply missing migrations once and in order', async () => {
    await put('0001_one.sql', 'create table steps (step integer); select pg_sleep(0.1); insert into steps values (1);');
    await put('0002_two.sql', 'insert into steps select max(step) + 1 from steps;');
    await Promise.all([up(), up(), up()]);
    await put('0003_three.sql', 'insert into steps select max(step) + 1 from steps;');
    await Promise.all([up(), up()]);
    expect((await client.query('select step from steps order by step')).rows).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }]);
    expect(await applied()).toEqual(['0001_one.sql', '0002_two.sql', '0003_three.sql']);
  });

  test('a failed migration is rolled back and named, and the next start continues from it', async () => {
    await put('0001_one.sql', 'create table one ();');
    await put('0002_two.sql', 'create table two (); select 1 / 0;');
    await expect(up()).rejects.toThrow('Migration 0002_two.sql failed: division by zero');
    expect((await client.query(`select to_regclass('one') is null as one, to_regclass('two') is null as two`)).rows).toEqual([
      { one: false, two: true },
    ]);
    await put('0002_two.sql', 'create table two ();');
    await up();
    expect(await applied()).toEqual(['0001_one.sql', '0002_two.sql']);
  });

  test('a migration whose session the server ends is temporary, a failed one is not', async () => {
    await put('0001_one.sql', 'select pg_terminate_backend(pg_backend_pid());');
    const ended = await up().catch((error: unknown) => error);
    expect([String(ended), isTransient(ended)]).toEqual([expect.stringContaining('Migration 0001_one.sql failed:'), true]);
    await put('0001_one.sql', 'select 1 / 0;');
    expect(isTransient(await up().catch((error: unknown) => error))).toBe(false);
  });

  test('a database of a newer version is refused', async () => {
    await put('0001_one.sql', 'create table one ();');
    await up();
    await client.query(`insert into schema_migrations values (7, '0007_later.sql')`);
    await expect(up()).rejects.toThrow('The database was made by a newer Tidemark (schema 7, this one knows 1)');
  });

  test('files with invalid names or the same number are refused', async () => {
    await put('0001_one.sql', '');
    await put('0001_other.sql', '');
    await expect(up()).rejects.toThrow('Two migrations have the number 1.');
    await rm(join(directory, '0001_other.sql'));
    await put('next.sql', '');
    await expect(up()).rejects.toThrow('next.sql is not named like');
  });
});

describe('a server of DATABASE_URL', () => {
  test('it is migrated, used, and still runs after the close', async () => {
    const open = () => openPostgres(loadConfig({ DATABASE_URL: url }), log, createScheduler());
    const servers = await Promise.all([open(), open()]);
    for (const { db } of servers) expect(await db.selectFrom('projects').selectAll().execute()).toEqual([]);
    for (const server of servers) await server.close();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('the error of a failed connection names it', async () => {
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(openPostgres(loadConfig({ DATABASE_URL: wrong.href }), log, createScheduler())).rejects.toThrow(
      'The PostgreSQL of DATABASE_URL cannot be used: password authentication failed for user "tidemark".',
    );
    const poor = new URL(url);
    poor.username = `poor_${poor.pathname.slice(1)}`;
    poor.password = 'poor';
    await client.query(`create role ${poor.username} login password 'poor'`);
    await expect(openPostgres(loadConfig({ DATABASE_URL: poor.href }), log, createScheduler())).rejects.toThrow(
      'The PostgreSQL of DATABASE_URL cannot be used: permission denied for schema public.',
    );
    await client.query(`drop role ${poor.username}`);
  });
});

test('one server at a time migrates another store', async () => {
  const open = () => openPostgres(loadConfig({ DATABASE_URL: url }), log, createScheduler());
  const [first, second] = [await open(), await open()];
  const order: string[] = [];
  let end = () => {};
  const held = first.migrateAlone(async () => {
    order.push('first begins');
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    order.push('first ends');
  });
  await expect.poll(() => order).toEqual(['first begins']);
  const waiting = second.migrateAlone(async () => order.push('second'));
  const asks = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and xact_start is not null and query like 'select pg_try_advisory_xact_lock%'`;
  // the first one's transaction, and that of the second
  await expect.poll(async () => (await asks.execute(first.db)).rows[0]?.n).toBe(2);
  end();
  await Promise.all([held, waiting]);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
  await expect(first.migrateAlone(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await second.migrateAlone(async () => 'free again')).toBe('free again');
  await Promise.all([first.close(), second.close()]);
});
