import type { Kysely, Transaction } from 'kysely';
import type { DB } from './db-schema.gen.js';

/** The metadata database (PostgreSQL): objects, accounts and access rules. Functions that take a database also take a transaction. */
export type Db = Kysely<DB>;
export type DbTransaction = Transaction<DB>;
export type { DB };
