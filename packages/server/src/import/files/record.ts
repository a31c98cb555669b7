/** One record of a file, or why it is none. */
export type FileRecord = { value: object } | { problem: string };

/** Records of a file that follow each other. */
export interface RecordChunk {
  /** How many records of the file stand before this chunk. */
  at: number;
  records: FileRecord[];
}

/** Records of one chunk. */
export const CHUNK_RECORDS = 4_000;
/** Characters of one chunk, so that long records do not fill the memory. */
export const CHUNK_CHARACTERS = 8 * 1024 * 1024;
/** Longest record. An event may have a megabyte. */
export const MAX_RECORD = 8 * 1024 * 1024;
