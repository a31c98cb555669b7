import type { Kysely, Transaction } from 'kysely';
import type { DB } from './db-schema.gen.js';

/** The metadata database (PostgreSQL): everything with identity and rules. A transaction fits wherever a database does. */
export type Db = Kysely<DB>;
export type DbTransaction = Transaction<DB>;
export type { DB };
