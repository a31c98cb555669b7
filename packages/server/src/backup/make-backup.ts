import { createHash } from 'node:crypto';
import type { Deps } from '../deps.js';
import type { Blobs } from '../ports/blobs.js';
import type { EventSnapshot, MeasuredUnit } from '../ports/event-copies.js';
import { writeMetadata } from './copy-metadata.js';
import { writeFile } from './files.js';
import { whileAlone } from './lock.js';
import { type BackupFile, filesOf, listBackups, type Manifest, nameOf, RUNS, readManifest, writeManifest } from './manifest.js';
import { beginSnapshot, sourceId } from './metadata-store.js';
import { deleteOldBackups } from './old-backups.js';

/** Folder of the files that backups share. */
export const DATA = 'data/';

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
}

/**
 * Makes a backup of the stores as they are now, while they are in use. Files that an earlier backup of the folder has are used again.
 *
 *     events: snapshot ─▶ PostgreSQL: snapshot ─▶ other tables: snapshot ─▶ copies of all three ─▶ blobs ─▶ manifest
 *
 * What events refer to is in PostgreSQL by the time that they are stored, and blobs are stored before their rows, so the copies fit together.
 * @throws Error in one sentence; the folder then has no more backups than before
 */
export async function makeBackup(stores: Stores, folder: Blobs, options: BackupOptions): Promise<BackupResult> {
  return whileAlone(stores.db, () => make(stores, folder, options));
}

async function make({ db, events, blobs }: Stores, folder: Blobs, options: BackupOptions): Promise<BackupResult> {
  const { clock, keep, version, signal, report = () => {} } = options;
  const startedAt = clock.now();
  const name = nameOf(startedAt);
  const files = await knownFiles(folder);
  let written = 0;
  const reuseOr = async (key: string, write: () => Promise<BackupFile | null>): Promise<BackupFile | null> => {
    signal?.throwIfAborted();
    const known = files.get(key);
    if (known) return known;
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
    const units = await copyUnits(snapshot, { folder, schema, reuseOr, report });
    const copiedBlobs: Manifest['blobs'] = [];
    report('copies files');
    for await (const { key: blob, size } of blobs.list('')) {
      const key = `${DATA}blobs/${blob}`;
      if (files.get(key)?.bytes !== size) files.delete(key);
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
    const deleted = await deleteOldBackups(folder, { newest: name, source, keep });
    return { name, manifest, written, reused: units.length + copiedBlobs.length - written, deleted };
  } catch (error) {
    await (metadata as Awaited<ReturnType<typeof beginSnapshot>> | null)?.rollback().execute();
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

async function copyUnits(snapshot: EventSnapshot, { folder, schema, reuseOr, report }: CopyUnits) {
  const units: Manifest['events']['units'] = [];
  const all = await snapshot.units();
  for (const [index, unit] of all.entries()) {
    report(`copies ${unit.table} ${unit.part} (${index + 1} of ${all.length})`);
    const key = keyOf(unit, schema);
    const file = await reuseOr(key, async () => writeFile(folder, key, await snapshot.read(unit)));
    if (file) units.push({ ...unit, file });
  }
  return units;
}

/** Equal rows of equal tables have the same key. */
function keyOf({ table, part, rows, checksum }: MeasuredUnit, schema: readonly string[]): string {
  const form = createHash('sha256').update(schema.join('\n')).digest('hex').slice(0, 8);
  return `${DATA}${table}/${part}/${rows}-${checksum}-${form}.native.zst`;
}

/** The shared files of the newest backup that are still there, by key. */
async function knownFiles(folder: Blobs): Promise<Map<string, BackupFile>> {
  const newest = (await listBackups(folder)).at(-1);
  const manifest = newest ? await readManifest(folder, newest).catch(() => null) : null;
  const sizes = await sizesOf(folder);
  const files = manifest ? filesOf(manifest).filter(({ key, bytes }) => key.startsWith(DATA) && sizes.get(key) === bytes) : [];
  return new Map(files.map((file) => [file.key, file]));
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
  for (const { key, bytes } of filesOf(manifest)) {
    const size = sizes.get(key);
    if (size === undefined) throw new Error(`The backup is damaged: ${key} is missing.`);
    if (size !== bytes) throw new Error(`The backup is damaged: ${key} has ${size} bytes instead of ${bytes}.`);
  }
}
