import { sql } from 'kysely';
import type { Db, DbTransaction } from '../ports/db.js';

/** Rows that are read or written by one statement. */
const ROWS = 500;

/**
 * Tables whose rows are not copied: the list of backups is about this database alone, a salt has to be gone after its day, and samples of
 * space are about this machine.
 */
const OWN = ['backups', 'schema_migrations', 'cookieless_salts', 'space_samples'];

/** A table with the columns that are stored, not computed. */
export interface MetadataTable {
  table: string;
  columns: string[];
}

/** Begins to read the database as it is now. The caller ends the transaction. */
export async function beginSnapshot(db: Db) {
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute();
  await noLimits(tx);
  return tx;
}

/** Lifts the limits of short statements from a transaction. */
export async function noLimits(tx: DbTransaction): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
    tx,
  );
}

/** Versions of the applied migrations; null: the database has no tables of Tidemark. */
export async function schemaVersions(db: Db): Promise<number[] | null> {
  const { rows: found } = await sql<{ is_there: boolean }>`
    select to_regclass('schema_migrations') is not null as is_there`.execute(db);
  if (!found[0]?.is_there) return null;
  const { rows } = await sql<{ version: number }>`select version from schema_migrations order by version`.execute(db);
  return rows.map(({ version }) => version);
}

/** Whether anybody has an account in the database. */
export async function hasAccounts(db: Db): Promise<boolean> {
  if (!(await schemaVersions(db))?.length) return false;
  const { rows } = await sql<{ n: number }>`
    select (select count(*) from users) + (select count(*) from organizations) as n`.execute(db);
  return (rows[0]?.n ?? 0) > 0;
}

/** What tells this database from others, and stays as it is. */
export async function sourceId(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select encode(sha256(convert_to(string_agg(version || ' ' || applied_at, ' ' order by version), 'utf8')), 'hex') as id
    from (select version, applied_at from schema_migrations order by version limit 5) first`.execute(db);
  return rows[0]?.id ?? '';
}

/** The tables whose rows are copied, with the types of their columns. Unlogged ones hold what may be lost. */
export async function metadataTables(db: Db): Promise<(MetadataTable & { types: string[] })[]> {
  const { rows } = await sql<MetadataTable & { types: string[] }>`
    select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all(${OWN})
    group by c.relname order by c.relname`.execute(db);
  return rows;
}

/** Reads a table, each row as JSON, with its values as the texts by which PostgreSQL knows them. */
export async function* readRows(tx: DbTransaction, { table, columns }: MetadataTable): AsyncGenerator<string[]> {
  const texts = sql.join(columns.map((column) => sql`${sql.ref(column)}::text as ${sql.ref(column)}`));
  const own = sql.table(table);
  await sql`declare copied_rows cursor for select row_to_json(r)::text as row from (select ${texts} from ${own}) r`.execute(tx);
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(ROWS)} from copied_rows`.execute(tx);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < ROWS) break;
  }
  await sql`close copied_rows`.execute(tx);
}

/** The last values of the sequences. */
export async function readSequences(tx: DbTransaction): Promise<{ name: string; value: number }[]> {
  const { rows } = await sql<{ name: string; value: number }>`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by 1`.execute(tx);
  return rows;
}

/**
 * Replaces all rows of the copied tables. Triggers do not run, and references are checked once all rows are there.
 * @param load inserts the rows of each table by the given function
 */
export async function replaceRows(
  tx: DbTransaction,
  load: (insert: (table: MetadataTable, rows: readonly string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  await noLimits(tx);
  const own = await metadataTables(tx);
  const all = own.map(({ table }) => table);
  const { rows: references } = await sql<{ table: string; name: string; definition: string }>`
    select c.relname as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`.execute(tx);
  for (const { table, name } of references) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(tx);
  }
  for (const table of all) await sql`alter table ${sql.table(table)} disable trigger user`.execute(tx);
  for (const table of all) await sql`delete from ${sql.table(table)}`.execute(tx);
  await load(async ({ table, columns }, rows) => {
    const known = own.find((one) => one.table === table);
    const types = columns.map((column) => known?.types[known.columns.indexOf(column)] ?? '');
    if (types.includes('')) throw new Error(`The database has no table ${table} with the columns ${columns.join(', ')}.`);
    await insertRows(tx, { table, columns, types }, rows);
  });
  for (const table of all) await sql`alter table ${sql.table(table)} enable trigger user`.execute(tx);
  for (const { table, name, definition } of references) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(tx);
  }
}

async function insertRows(
  tx: DbTransaction,
  { table, columns, types }: MetadataTable & { types: string[] },
  rows: readonly string[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const fields = sql.join(columns.map((column) => sql`${sql.ref(column)} text`));
  const values = sql.join(columns.map((column, i) => sql`${sql.ref(column)}::${sql.raw(types[i] ?? '')}`));
  for (let at = 0; at < rows.length; at += ROWS) {
    const part = `[${rows.slice(at, at + ROWS).join()}]`;
    await sql`insert into ${sql.table(table)} (${names}) overriding system value
      select ${values} from json_to_recordset(${part}::json) as r(${fields})`.execute(tx);
  }
}

/** What a table holds. */
export interface MeasuredTable {
  table: string;
  rows: number;
  /** SHA-256 of the texts of all rows, in an order of their own. */
  checksum: string;
}

/**
 * Measures a table in the database, so that no row travels. Two databases give the same for the same rows, whatever their settings.
 * The hashes of rows are gathered by their first byte: a value of PostgreSQL has a gigabyte at most.
 */
export async function measureTable(tx: DbTransaction, { table, columns }: MetadataTable): Promise<MeasuredTable> {
  await sql`select set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true), set_config('IntervalStyle', 'postgres', true),
    set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`.execute(tx);
  const values = sql.join(columns.toSorted().map((column) => sql.ref(column)));
  const { rows } = await sql<{ rows: number; checksum: string }>`
    with hashes as (select sha256(convert_to(row(${values})::text, 'utf8')) as h from ${sql.table(table)}),
      parts as (select get_byte(h, 0) as part, count(*) as n, sha256(string_agg(h, ''::bytea order by h)) as h from hashes group by 1)
    select coalesce(sum(n), 0)::float8 as rows, coalesce(encode(sha256(string_agg(h, ''::bytea order by part)), 'hex'), '') as checksum
    from parts`.execute(tx);
  return { table, rows: rows[0]?.rows ?? 0, checksum: rows[0]?.checksum ?? '' };
}

/** Sets the last values of sequences. */
export async function writeSequences(tx: DbTransaction, sequences: readonly { name: string; value: number }[]): Promise<void> {
  for (const { name, value } of sequences) {
    await sql`select setval(to_regclass(quote_ident(${name})), ${value}) where to_regclass(quote_ident(${name})) is not null`.execute(
      tx,
    );
  }
}
