import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { ImportError, sentenceOf } from '../import-error.js';
import { CHUNK_RECORDS, type RecordChunk } from './record.js';

/**
 * The records of a Parquet file, one row group after the other.
 * @param skip records that were read before: whole row groups of them are not read at all
 * @throws ImportError the file is not Parquet, or ends in the middle
 */
export async function* readParquet(path: string, skip: number): AsyncGenerator<RecordChunk> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    let start = 0;
    for (const group of metadata.row_groups) {
      const end = start + Number(group.num_rows);
      if (end > skip) {
        const rows = await parquetReadObjects({ file, metadata, compressors, rowStart: start, rowEnd: end });
        for (let from = Math.max(0, skip - start); from < rows.length; from += CHUNK_RECORDS) {
          yield { at: start + from, records: rows.slice(from, from + CHUNK_RECORDS).map((value) => ({ value })) };
        }
      }
      start = end;
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${path} cannot be read as Parquet (${sentenceOf(error)}). Is the file complete?`);
  }
}
