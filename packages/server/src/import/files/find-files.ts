import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ImportError } from '../import-error.js';
import type { ImportReport } from '../report.js';
import { isBucket, listBucket } from './bucket.js';
import { localFile, type SourceFile } from './bytes.js';
import { readCsv } from './read-csv.js';
import { readLines } from './read-lines.js';
import { readParquet } from './read-parquet.js';
import type { RecordChunk } from './record.js';
import { listZip } from './zip.js';

/** How a file is read. */
export type FileKind = 'jsonl' | 'csv' | 'parquet';

/** A file of records. */
export interface InputFile extends SourceFile {
  /** Its name in the state file: the path from the folder, bucket or archive that was given. */
  name: string;
  kind: FileKind;
}

const KINDS: readonly (readonly [RegExp, FileKind])[] = [
  [/\.(jsonl|ndjson|json|jsonlines)(\.(gz|zst|zstd|br))?$/i, 'jsonl'],
  [/\.(csv)(\.(gz|zst|zstd|br))?$/i, 'csv'],
  [/\.parquet$/i, 'parquet'],
];
const READERS = { jsonl: readLines, csv: readCsv, parquet: readParquet };

const kindOf = (path: string): FileKind | null => KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? null;

/** What is read of the places that were named. */
export interface FindOptions {
  /** Reads every file that was named itself like this, whatever its name is. */
  kind: FileKind | null;
  /** Which names in folders, buckets and archives count; all without it. */
  matches?: ((name: string) => boolean) | undefined;
  /** The environment, which has the access to buckets. */
  env: Readonly<Record<string, string | undefined>>;
  /** Is called with files in folders, buckets and archives whose names do not tell how to read them. */
  onUnknown?: (name: string) => void;
}

/** Names in a sentence. */
const SHOWN = 5;

/**
 * The files of records at these paths, in the order of their names: files, folders with everything below them, zip archives, and
 * `s3://bucket/prefix`.
 * @throws ImportError a path does not exist, or none of them is a file of records
 */
export async function findFiles(
  paths: readonly string[],
  options: Omit<FindOptions, 'onUnknown'>,
  report: ImportReport,
): Promise<InputFile[]> {
  const unknown: string[] = [];
  const files = await searchFiles(paths, { ...options, onUnknown: (name) => unknown.push(name) });
  if (unknown.length > 0) {
    const names = `${unknown.slice(0, SHOWN).join(', ')}${unknown.length > SHOWN ? ', …' : ''}`;
    report.note(
      `Not read, because the names do not end in .jsonl, .csv or .parquet (also with .gz, .zst or .br behind): ${unknown.length} (${names}).`,
    );
  }
  if (files.length === 0) throw new ImportError(`No file with events was found in ${paths.join(', ')}.`);
  return files;
}

/** As {@link findFiles}; there may be none. @throws ImportError a path does not exist */
export async function searchFiles(paths: readonly string[], options: FindOptions): Promise<InputFile[]> {
  const { kind, matches = () => true, onUnknown = () => {} } = options;
  const files: InputFile[] = [];
  for (const path of paths) {
    for (const found of await candidates(path, options)) {
      if (isZip(found.name)) {
        for (const { name, bytes } of (await listZip(found.path, found.bytes)).sort(byName)) {
          const inner = { path: `${found.path}/${name}`, name: found.isNamed ? name : `${found.name}/${name}`, bytes };
          const innerKind = kindOf(name);
          if (!matches(inner.name)) continue;
          if (innerKind) files.push({ ...inner, kind: innerKind });
          else onUnknown(inner.name);
        }
      } else if (found.isNamed || matches(found.name)) {
        const own = (found.isNamed ? kind : null) ?? kindOf(found.name);
        if (own) files.push({ path: found.path, name: found.name, bytes: found.bytes, kind: own });
        else if (!found.isNamed) onUnknown(found.name);
        else throw new ImportError(`The name of ${found.path} does not tell its format: add --format jsonl, csv or parquet.`);
      }
    }
  }
  return files;
}

interface Candidate extends SourceFile {
  name: string;
  /** Whether the path names this file itself. */
  isNamed: boolean;
}

const isZip = (name: string): boolean => /\.zip$/i.test(name);
/** Numbers in names count as numbers: the files of Amplitude are named by the hour, from 0 to 23. */
const { compare } = new Intl.Collator('en', { numeric: true });
const byName = (a: { name: string }, b: { name: string }) => compare(a.name, b.name);

/** Everything at a path, also what is no file of records. */
async function candidates(path: string, { env }: FindOptions): Promise<Candidate[]> {
  if (isBucket(path)) {
    const objects = await listBucket(path, env);
    return objects.map((object) => ({ ...object, isNamed: object.path === path })).sort(byName);
  }
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new ImportError(`There is no file or folder ${path}.`);
  if (!stat.isDirectory()) return [{ ...localFile(path), name: path, isNamed: true }];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ ...localFile(file), name: relative(path, file), isNamed: false }))
    .sort(byName);
}

/**
 * The records of a file.
 * @param skip records that were read before
 * @param bytesOf name of a column of Parquet whose texts are read as bytes
 */
export const readRecords = (file: InputFile, skip: number, bytesOf?: string): AsyncGenerator<RecordChunk> =>
  READERS[file.kind](file, skip, bytesOf);
