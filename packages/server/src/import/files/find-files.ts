import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ImportError } from '../import-error.js';
import { readCsv } from './read-csv.js';
import { readLines } from './read-lines.js';
import { readParquet } from './read-parquet.js';
import type { RecordChunk } from './record.js';

/** How a file is read. */
export type FileKind = 'jsonl' | 'csv' | 'parquet';

/** A file of records. */
export interface InputFile {
  path: string;
  /** Its name in the state file: the path from the folder that was given. */
  name: string;
  kind: FileKind;
  /** Bytes. */
  size: number;
}

const KINDS: readonly (readonly [RegExp, FileKind])[] = [
  [/\.(jsonl|ndjson|json|jsonlines)(\.(gz|zst|zstd))?$/i, 'jsonl'],
  [/\.(csv)(\.(gz|zst|zstd))?$/i, 'csv'],
  [/\.parquet$/i, 'parquet'],
];
const READERS = { jsonl: readLines, csv: readCsv, parquet: readParquet };

const kindOf = (path: string): FileKind | null => KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? null;

/**
 * The files of records at these paths, in the order of their names; folders are searched with everything below them.
 * @param kind reads every file that was named itself like this, whatever its name is
 * @param matches which names in folders count
 * @throws ImportError a path does not exist, or none of them is a file of records
 */
export function findFiles(
  paths: readonly string[],
  kind: FileKind | null,
  matches: (name: string) => boolean = () => true,
): InputFile[] {
  const files = paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) throw new ImportError(`There is no file or folder ${path}.`);
    if (!stat.isDirectory()) {
      const found = kind ?? kindOf(path);
      if (!found) throw new ImportError(`The name of ${path} does not tell its format: add --format jsonl, csv or parquet.`);
      return [{ path, name: path, kind: found, size: stat.size }];
    }
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .flatMap((file) => {
        const found = kindOf(file);
        const name = relative(path, file);
        if (!found || !matches(name)) return [];
        const { size } = statSync(file);
        return [{ path: file, name, kind: found, size }];
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
  if (files.length === 0) throw new ImportError(`No file with events was found in ${paths.join(', ')}.`);
  return files;
}

/** The records of a file. @param skip records that were read before */
export const readRecords = (file: InputFile, skip: number): AsyncGenerator<RecordChunk> => READERS[file.kind](file.path, skip);
