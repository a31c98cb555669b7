import { type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { sentenceOf } from '../../kernel/errors.js';
import { ImportError } from '../import-error.js';
import { readWhole, type SourceFile } from './bytes.js';
import { CHUNK_RECORDS, type RecordChunk } from './record.js';

/** Rows in memory at once: a row group may have a million. Pages before them are read over. */
const READ_ROWS = 10 * CHUNK_RECORDS;

/**
 * The records of a Parquet file.
 * @param skip records that were read before: they are not decoded
 * @param bytesOf name of a column whose texts are read as bytes
 * @throws ImportError the file is not Parquet, or ends in the middle
 */
export async function* readParquet({ path, bytes }: SourceFile, skip: number, bytesOf?: string): AsyncGenerator<RecordChunk> {
  try {
    const file = {
      byteLength: bytes.size,
      slice: async (start: number, end: number = bytes.size) => {
        const { buffer, byteOffset, byteLength } = await readWhole(bytes, start, end);
        return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
      },
    };
    const metadata = await parquetMetadataAsync(file);
    const columns = columnsOf(metadata, bytesOf);
    let start = 0;
    for (const group of metadata.row_groups) {
      const end = start + Number(group.num_rows);
      for (let rowStart = Math.max(start, skip); rowStart < end; rowStart += READ_ROWS) {
        const rowEnd = Math.min(end, rowStart + READ_ROWS);
        const range = { file, metadata, compressors, rowStart, rowEnd, useOffsetIndex: true };
        const rows = await parquetReadObjects({ ...range, columns: columns.decoded });
        if (columns.asBytes !== null) {
          const texts = await parquetReadObjects({
            ...range,
            columns: [columns.asBytes],
            parsers: { stringFromBytes: (text) => text },
          });
          for (const [index, row] of rows.entries()) row[columns.asBytes] = texts[index]?.[columns.asBytes];
        }
        for (let from = 0; from < rows.length; from += CHUNK_RECORDS) {
          yield { at: rowStart + from, records: rows.slice(from, from + CHUNK_RECORDS).map((value) => ({ value })) };
        }
      }
      start = end;
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${path} cannot be read as Parquet (${sentenceOf(error)}). Is the file complete?`);
  }
}

/** The columns of a file, and which of them is read as bytes; null: it is not there, or has no texts. */
function columnsOf(metadata: FileMetaData, bytesOf: string | undefined): { decoded: string[]; asBytes: string | null } {
  const { children } = parquetSchema(metadata);
  const isText = ({ element, children: inner }: (typeof children)[number]) =>
    element.type === 'BYTE_ARRAY' &&
    inner.length === 0 &&
    element.repetition_type !== 'REPEATED' &&
    (element.converted_type === 'UTF8' || element.converted_type === undefined);
  const asBytes = children.find((child) => child.element.name === bytesOf && isText(child))?.element.name ?? null;
  return { decoded: children.map(({ element }) => element.name).filter((name) => name !== asBytes), asBytes };
}
