import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Blobs } from '../ports/blobs.js';
import type { Db, DbTransaction } from '../ports/db.js';
import { Damaged, readFile, writeFile } from './files.js';
import type { Manifest } from './manifest.js';
import {
  type MetadataTable,
  measureTable,
  metadataTables,
  readRows,
  readSequences,
  replaceRows,
  schemaVersions,
  writeSequences,
} from './metadata-store.js';

type Metadata = Manifest['metadata'];

/** Rows of a table of a backup, read at once. */
const BATCH = 500;

/** Writes the tables that a transaction sees into the folder of a backup. */
export async function writeMetadata(tx: DbTransaction, folder: Blobs, prefix: string, signal?: AbortSignal): Promise<Metadata> {
  const tables: Metadata['tables'] = [];
  for (const { table, columns } of await metadataTables(tx)) {
    signal?.throwIfAborted();
    let count = 0;
    const lines = async function* () {
      for await (const rows of readRows(tx, { table, columns })) {
        count += rows.length;
        yield `${rows.join('\n')}\n`;
      }
    };
    const source = Readable.from(lines());
    const zipped = createGzip();
    source.once('error', (error) => zipped.destroy(error));
    const file = await writeFile(folder, `${prefix}postgres/${table}.jsonl.gz`, source.pipe(zipped));
    tables.push({ table, columns, rows: count, file });
  }
  return { schema: (await schemaVersions(tx)) ?? [], tables, sequences: await readSequences(tx) };
}

/** Replaces all rows by those of a backup, or none. @throws Error in one sentence when a file is damaged */
export async function loadMetadata(db: Db, folder: Blobs, { tables, sequences }: Metadata): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await replaceRows(tx, async (insert) => {
      for (const { file, rows, ...table } of tables) {
        const count = await readFile(folder, file, (content) => {
          const unzipped = createGunzip();
          content.once('error', (error) => unzipped.destroy(error));
          return insertLines(content.pipe(unzipped), (lines) => insert(table, lines));
        });
        if (count !== rows) throw new Damaged(`${file.key} has ${count} rows instead of ${rows}`);
      }
    });
    await writeSequences(tx, sequences);
  });
}

async function insertLines(content: Readable, insert: (lines: readonly string[]) => Promise<void>): Promise<number> {
  let count = 0;
  let batch: string[] = [];
  const flush = async () => {
    if (batch.length > 0) await insert(batch);
    count += batch.length;
    batch = [];
  };
  for await (const line of linesOf(content)) {
    batch.push(line);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return count;
}

/** The lines of a text. The module readline also splits at U+2028, which a row may contain. */
async function* linesOf(content: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of content.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Damaged('a file of it ends in the middle of a line');
}

/**
 * Replaces all rows of a database by those of another one of the same schema, and compares the checksum of each table, or none.
 * @returns how many rows they are
 * @throws Error in one sentence when a table has other rows afterwards; then the database is as it was before
 */
export async function copyMetadata(from: DbTransaction, to: Db, report: (progress: string) => void): Promise<number> {
  const tables: MetadataTable[] = await metadataTables(from);
  let count = 0;
  await to.transaction().execute(async (tx) => {
    await replaceRows(tx, async (insert) => {
      for (const table of tables) {
        for await (const rows of readRows(from, table)) await insert(table, rows);
      }
    });
    await writeSequences(tx, await readSequences(from));
    report('compares PostgreSQL');
    for (const table of tables) {
      const [sent, received] = await Promise.all([measureTable(from, table), measureTable(tx, table)]);
      count += sent.rows;
      if (sent.rows === received.rows && sent.checksum === received.checksum) continue;
      throw new Error(
        `The copy of the table ${table.table} differs: ${received.rows} rows with the checksum ${received.checksum.slice(0, 16)} instead of ${sent.rows} with ${sent.checksum.slice(0, 16)}.`,
      );
    }
  });
  return count;
}
