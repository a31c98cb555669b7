import { createHash } from 'node:crypto';
import type { Deps } from '../deps.js';
import { sentenceOf } from '../kernel/errors.js';
import type { Blobs } from '../ports/blobs.js';
import type { EventSnapshot, MeasuredUnit } from '../ports/event-copies.js';
import { writeMetadata } from './copy-metadata.js';
import { requireSize, sha256Of, writeFile } from './files.js';
import { whileAlone } from './lock.js';
import {
  type BackupFile,
  DATA,
  filesOf,
  listBackups,
  type Manifest,
  markFolder,
  nameOf,
  RUNS,
  readManifest,
  writeManifest,
} from './manifest.js';
import { beginSnapshot, sourceId } from './metadata-store.js';
import { deleteOldBackups } from './old-backups.js';

/** The stores of an installation. */
export type Stores = Pick<Deps, 'db' | 'events' | 'blobs'>;

export interface BackupOptions extends Pick<Deps, 'clock'> {
  /** Version of the service. */
  version: string;
  /** How many backups of this installation are kept; null: all. */
  keep: number | null;
  /** Hears of the progress, in a few words. */
  report?: (progress: string) => void;
  signal?: AbortSignal;
}

export interface BackupResult {
  name: string;
  manifest: Manifest;
  /** Files that an earlier backup had already, and those that were written. */
  reused: number;
  written: number;
  /** Names of older backups that were deleted. */
  deleted: string[];
  /** Why none could be deleted, as a sentence; null: nothing is wrong. */
  fault: string | null;
}

/**
 * Makes a backup of the stores as they are now, while they are in use. Files that an earlier backup of the folder has are used again.
 *
 *     events: snapshot ─▶ PostgreSQL: snapshot ─▶ other tables: snapshot ─▶ copies of all three ─▶ blobs ─▶ manifest
 *
 * What events refer to is in PostgreSQL by the time that they are stored, and blobs are stored before their rows, so the copies fit together.
 * @param openFolder opens the folder of backups, once no other process writes to it: opening a folder deletes half-written files
 * @throws Error in one sentence; the folder then has no more backups than before
 */
export async function makeBackup(
  stores: Stores,
  openFolder: () => Promise<Blobs>,
  options: BackupOptions,
): Promise<BackupResult> {
  return whileAlone(stores.db, async () => {
    const folder = await openFolder();
    try {
      return await make(stores, folder, options);
    } finally {
      await folder.close();
    }
  });
}

async function make({ db, events, blobs }: Stores, folder: Blobs, options: BackupOptions): Promise<BackupResult> {
  const { clock, keep, version, signal, report = () => {} } = options;
  const startedAt = clock.now();
  const name = nameOf(startedAt);
  await markFolder(folder);
  const { files, leftovers } = await knownFiles(folder);
  let written = 0;
  const reuseOr = async (key: string, write: () => Promise<BackupFile | null>): Promise<BackupFile | null> => {
    signal?.throwIfAborted();
    const known = files.get(key);
    if (known) return known;
    const bytes = leftovers.get(key);
    // it was written whole, as all files are
    const sha256 = bytes === undefined ? null : await sha256Of(folder, key);
    if (bytes !== undefined && sha256) return { key, bytes, sha256 };
    const file = await write();
    if (file) written++;
    return file;
  };

  report('waits for a snapshot');
  let metadata: Awaited<ReturnType<typeof beginSnapshot>> | null = null;
  const snapshot = await events.copies.snapshot(async () => {
    metadata = await beginSnapshot(db);
  });
  try {
    const tx = metadata as Awaited<ReturnType<typeof beginSnapshot>> | null;
    if (!tx) throw new Error('The metadata has no snapshot.');
    report('copies PostgreSQL');
    const source = await sourceId(tx);
    const copied = await writeMetadata(tx, folder, `${RUNS}${name}/`, signal);
    await tx.commit().execute();
    metadata = null;
    const schema = await events.copies.schema();
    const wanted = await snapshot.units();
    const sizes = await sizesOf(blobs, '');
    // repeated failures must not fill the disk
    const useful = new Set([...wanted.map((unit) => keyOf(unit, schema)), ...[...sizes.keys()].map(blobKey)]);
    for (const key of leftovers.keys()) if (!useful.has(key)) await folder.delete(key);
    const units = await copyUnits(snapshot, wanted, { folder, schema, reuseOr, report });
    const copiedBlobs: Manifest['blobs'] = [];
    report('copies files');
    for (const [blob, size] of sizes) {
      const key = blobKey(blob);
      if (files.get(key)?.bytes !== size) files.delete(key);
      if (leftovers.get(key) !== size) leftovers.delete(key);
      const file = await reuseOr(key, async () => {
        const content = await blobs.get(blob);
        // deleted meanwhile
        return content && writeFile(folder, key, content.stream);
      });
      if (file) copiedBlobs.push({ blob, file });
    }
    const manifest: Manifest = {
      form: 1,
      version,
      startedAt: new Date(startedAt).toISOString(),
      finishedAt: new Date(clock.now()).toISOString(),
      source,
      metadata: copied,
      events: {
        engine: (await events.ping()).version,
        schema,
        columns: {
          events: [...snapshot.columns('events')],
          persons: [...snapshot.columns('persons')],
          person_overrides: [...snapshot.columns('person_overrides')],
          groups: [...snapshot.columns('groups')],
        },
        units,
      },
      blobs: copiedBlobs,
    };
    signal?.throwIfAborted();
    await requireFiles(folder, manifest);
    await writeManifest(folder, name, manifest);
    report('deletes old backups');
    const old = await deleteOldBackups(folder, { newest: name, source, keep }).then(
      (deleted) => ({ deleted, fault: null }),
      // the new one is whole
      (error: unknown) => ({ deleted: [], fault: sentenceOf(error) }),
    );
    return { name, manifest, written, reused: units.length + copiedBlobs.length - written, ...old };
  } catch (error) {
    await (metadata as Awaited<ReturnType<typeof beginSnapshot>> | null)?.rollback().execute();
    // shared files stay: the next run goes on with them
    await folder.deleteAll(`${RUNS}${name}/`).catch(() => {});
    throw error;
  } finally {
    await snapshot.close();
  }
}

interface CopyUnits {
  folder: Blobs;
  schema: readonly string[];
  reuseOr(key: string, write: () => Promise<BackupFile | null>): Promise<BackupFile | null>;
  report(progress: string): void;
}

async function copyUnits(
  snapshot: EventSnapshot,
  wanted: readonly MeasuredUnit[],
  { folder, schema, reuseOr, report }: CopyUnits,
) {
  const units: Manifest['events']['units'] = [];
  for (const [index, found] of wanted.entries()) {
    report(`copies ${found.table} ${found.part} (${index + 1} of ${wanted.length})`);
    let unit = found;
    const file = await reuseOr(keyOf(found, schema), async () => {
      const taken = await snapshot.take(found);
      unit = taken.unit;
      if (unit.rows > 0) return writeFile(folder, keyOf(unit, schema), taken.content);
      taken.content.destroy();
      return null;
    });
    if (file) units.push({ ...unit, file });
  }
  return units;
}

/** Equal rows of equal tables have the same key. */
function keyOf({ table, part, rows, checksum }: MeasuredUnit, schema: readonly string[]): string {
  const form = createHash('sha256').update(schema.join('\n')).digest('hex').slice(0, 8);
  return `${DATA}${table}/${part}/${rows}-${checksum}-${form}.native.zst`;
}

/** Where a blob is in a backup. */
const blobKey = (blob: string): string => `${DATA}blobs/${blob}`;

interface KnownFiles {
  /** Those of backups that are still there, by key. */
  files: Map<string, BackupFile>;
  /** Bytes of the shared files of no backup, which one that was broken off has left. */
  leftovers: Map<string, number>;
}

async function knownFiles(folder: Blobs): Promise<KnownFiles> {
  const sizes = await sizesOf(folder);
  const leftovers = new Map(sizes);
  const files = new Map<string, BackupFile>();
  for (const name of await listBackups(folder)) {
    const manifest = await readManifest(folder, name).catch(() => null);
    // it may need any of them
    if (!manifest) leftovers.clear();
    for (const file of manifest ? filesOf(manifest) : []) {
      leftovers.delete(file.key);
      if (sizes.get(file.key) === file.bytes) files.set(file.key, file);
      else files.delete(file.key);
    }
  }
  return { files, leftovers };
}

/** Bytes of all shared files of a folder, by key. */
export async function sizesOf(folder: Blobs, prefix = DATA): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, size } of folder.list(prefix)) sizes.set(key, size);
  return sizes;
}

/** @throws Error in one sentence when a file of a backup is missing or has another size */
export async function requireFiles(folder: Blobs, manifest: Manifest): Promise<void> {
  const sizes = new Map([...(await sizesOf(folder)), ...(await sizesOf(folder, RUNS))]);
  for (const file of filesOf(manifest)) requireSize(file, sizes.get(file.key));
}
