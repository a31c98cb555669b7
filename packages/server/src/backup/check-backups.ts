import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { sentenceOf } from '../kernel/errors.js';
import type { Blobs } from '../ports/blobs.js';
import { Damaged, readFile } from './files.js';
import { type BackupFile, filesOf, listBackups, readManifest } from './manifest.js';

/** What a check of backups has found. */
export interface Checked {
  /** Names of the checked backups that are still there. */
  backups: string[];
  /** Files that were read, and their bytes. One that backups share counts once. */
  files: number;
  bytes: number;
  /** What is wrong, each as a sentence. */
  faults: string[];
}

/** Files that are read at once. */
const FILES_AT_ONCE = 4;

/**
 * Reads all files of backups, each once, and compares them with the manifests. Nothing is written, and a service may make backups meanwhile.
 * @param names of backups in the folder
 * @param report hears of the progress, in a few words
 * @throws Error in one sentence when there is nothing to be compared any more
 */
export async function checkBackups(
  folder: Blobs,
  names: readonly string[],
  report: (progress: string) => void,
): Promise<Checked> {
  const { files, faults } = await wantedFiles(folder, names);
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
  const damaged = await readAll(folder, files, bytes, report);
  // after the reads: what a deletion of old backups has taken meanwhile is no fault
  const owners = await ownersOf(folder, damaged);
  const there = new Set(await listBackups(folder));
  const backups = names.filter((name) => there.has(name));
  if (backups.length === 0) throw new Error('The backup was deleted while it was checked: run it again.');
  for (const [id, what] of damaged) {
    const needed = owners.get(id) ?? [];
    if (needed.length > 0) faults.set(id, `${what}. Backups: ${needed.join(', ')}`);
  }
  for (const name of names) if (!there.has(name)) faults.delete(name);
  return { backups, files: files.size, bytes, faults: [...faults.values()].sort() };
}

/** Two backups may know different contents of a key, of which one is damaged then. */
const idOf = ({ key, bytes, sha256 }: BackupFile): string => `${key} ${bytes} ${sha256}`;

/** The different files of backups, and the manifests that cannot be read, by the name of the backup. */
async function wantedFiles(folder: Blobs, names: readonly string[]) {
  const files = new Map<string, BackupFile>();
  const faults = new Map<string, string>();
  for (const name of names) {
    try {
      for (const file of filesOf(await readManifest(folder, name))) files.set(idOf(file), file);
    } catch (error) {
      faults.set(name, sentenceOf(error));
    }
  }
  return { files, faults };
}

/** Reads files to their end. @returns what is wrong with those that are damaged, as the part of a sentence */
async function readAll(
  folder: Blobs,
  files: ReadonlyMap<string, BackupFile>,
  all: number,
  report: (progress: string) => void,
): Promise<Map<string, string>> {
  const damaged = new Map<string, string>();
  let done = 0;
  let bytes = 0;
  let permille = -1;
  const advance = (read: number) => {
    bytes += read;
    const reached = Math.floor((1000 * bytes) / Math.max(all, 1));
    if (reached === permille) return;
    permille = reached;
    report(`reads files (${done} of ${files.size}, ${(permille / 10).toFixed(1)} %)`);
  };
  await pLimit(FILES_AT_ONCE).map(files, async ([id, file]) => {
    await readFile(folder, file, (content) => drain(content, advance)).catch((error: unknown) => {
      damaged.set(id, error instanceof Damaged ? error.what : `${file.key} cannot be read (${sentenceOf(error)})`);
    });
    done++;
  });
  return damaged;
}

async function drain(content: Readable, advance: (bytes: number) => void): Promise<void> {
  for await (const chunk of content) advance(chunk.length);
}

/** Names of all backups of the folder that have damaged files, by file. */
async function ownersOf(folder: Blobs, damaged: ReadonlyMap<string, string>): Promise<Map<string, string[]>> {
  const owners = new Map<string, string[]>();
  if (damaged.size === 0) return owners;
  for (const name of await listBackups(folder)) {
    const manifest = await readManifest(folder, name).catch(() => null);
    for (const file of manifest ? filesOf(manifest) : []) {
      const id = idOf(file);
      if (damaged.has(id)) owners.set(id, [...(owners.get(id) ?? []), name]);
    }
  }
  return owners;
}
