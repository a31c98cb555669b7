import { parse } from 'csv-parse';
import { ImportError } from '../import-error.js';
import type { SourceFile } from './bytes.js';
import { readBytes, roomIn } from './decompress.js';
import { CHUNK_RECORDS, type FileRecord, MAX_RECORD, type RecordChunk } from './record.js';

/**
 * The records of a CSV file with a head, by the names of its columns. Lines before the head that begin with `#` are comments, as in the
 * reports of Google Analytics. Of columns with the same name the last one counts.
 * @param skip records that were read before
 * @throws ImportError the file cannot be read to its end, or has no head
 */
export async function* readCsv(file: SourceFile, skip: number): AsyncGenerator<RecordChunk> {
  const { path } = file;
  let records: FileRecord[] = [];
  const parser = parse({
    columns: (head: string[]) => {
      if (head.some((name) => name.trim() === ''))
        throw new ImportError(`${path} has a column without a name: is its first line the head?`);
      return head.map((name) => name.trim());
    },
    bom: true,
    comment: '#',
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
    info: true,
  });
  const feed = (async () => {
    for await (const chunk of readBytes(file)) {
      if (parser.destroyed) return;
      if (!parser.write(chunk)) await roomIn(parser);
    }
    parser.end();
  })();
  feed.catch((error: Error) => parser.destroy(error));
  let at = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: Record<string, string>; info: { error?: Error } }>) {
      if (at + records.length < skip) {
        at++;
        continue;
      }
      records.push(info.error ? { problem: 'the line has another number of columns than the head' } : { value: record });
      if (records.length >= CHUNK_RECORDS) {
        yield { at, records };
        at += records.length;
        records = [];
      }
    }
  } catch (error) {
    // what stands before the fault is whole
    if (records.length > 0) yield { at, records };
    if (error instanceof ImportError) throw error;
    const isQuote = error instanceof Error && 'code' in error && error.code === 'CSV_QUOTE_NOT_CLOSED';
    throw new ImportError(
      isQuote
        ? `${path} ends in the middle of a quoted value.`
        : `${path} is not CSV: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (records.length > 0) yield { at, records };
}
