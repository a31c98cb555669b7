import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { inject } from 'vitest';
import { listenToChanges } from '../adapters/postgres/listen.js';
import { openPool } from '../adapters/postgres/pool.js';
import { prepared } from '../adapters/postgres/prepared.js';
import { createServers } from '../adapters/postgres/servers.js';
import { createScheduler } from '../adapters/system/index.js';
import type { Changes } from '../ports/changes.js';
import type { DB, Db } from '../ports/db.js';

export interface TestDatabase {
  db: Db;
  url: string;
  /** Hears of changes of the database until it is closed. */
  listenToChanges(through?: string): Promise<Changes>;
  /** The same database through connections of their own (to another address of it), as another server has them. */
  asOtherServer(through?: string): Db;
  close(): Promise<void>;
}

/** A fresh migrated database on the test run's PostgreSQL. */
export async function testDatabase(): Promise<TestDatabase> {
  const template = new URL(inject('postgresUrl'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  // copying the files is cheaper than writing each page into the log, and it copies the cache of the catalogs, which each first session would build
  await admin(`create database ${name} template ${template.pathname.slice(1)} strategy file_copy`);
  const url = new URL(template);
  url.pathname = `/${name}`;
  const log = pino({ level: 'silent' });
  const scheduler = createScheduler();
  const opened: Db[] = [];
  const hearing: { close(): Promise<void> }[] = [];
  const open = (through = url.href): Db => {
    const servers = createServers(through);
    const pool = prepared(openPool(servers, 16, log), servers, scheduler);
    const db: Db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
    opened.push(db);
    return db;
  };
  return {
    db: open(),
    url: url.href,
    listenToChanges: async (through = url.href) => {
      const changes = await listenToChanges(createServers(through), { log, scheduler });
      hearing.push(changes);
      return changes;
    },
    asOtherServer: open,
    close: async () => {
      await Promise.all(hearing.map((changes) => changes.close()));
      await Promise.all(opened.map((db) => db.destroy()));
      await admin(`drop database if exists ${name} with (force)`);
    },
  };
}

async function admin(sql: string): Promise<void> {
  const url = new URL(inject('postgresUrl'));
  url.pathname = '/postgres';
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
