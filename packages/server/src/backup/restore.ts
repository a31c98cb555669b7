import type { Blobs } from '../ports/blobs.js';
import type { CopyUnit, EventCopies, MeasuredUnit } from '../ports/event-copies.js';
import { loadMetadata } from './copy-metadata.js';
import { readFile, sha256Of } from './files.js';
import { requireStopped, whileAlone } from './lock.js';
import { requireFiles, type Stores, sizesOf } from './make-backup.js';
import type { Manifest } from './manifest.js';
import { hasAccounts, schemaVersions } from './metadata-store.js';

type Report = (progress: string) => void;

/** @throws Error in one sentence when this version cannot read the backup, or files are missing. Nothing was written. */
export async function requireRestorable(
  folder: Blobs,
  { metadata, events, ...manifest }: Manifest,
  known: { metadata: readonly number[]; events: readonly string[] },
): Promise<void> {
  const newer =
    metadata.schema.find((version) => !known.metadata.includes(version)) ??
    events.schema.find((name) => !known.events.includes(name));
  if (newer !== undefined) {
    throw new Error(
      `The backup was made by Tidemark ${manifest.version} with the schema ${newer}, which this version does not know: restore it with that version or a later one.`,
    );
  }
  await requireFiles(folder, { metadata, events, ...manifest });
}

/** @throws Error in one sentence when the stores hold anything */
export async function requireEmpty({ db, events, blobs }: Stores): Promise<void> {
  if (await hasAccounts(db)) throw new Error('The PostgreSQL database has data of Tidemark: name an empty one.');
  if ((await events.copies.units()).length > 0) throw new Error('The event store has events: name an empty one.');
  for await (const { key } of blobs.list(''))
    throw new Error(`The files are not empty (${key}): name an empty folder or bucket.`);
}

interface RestoreOptions {
  report: Report;
  /** False: PostgreSQL stays as it is. */
  withMetadata: boolean;
}

/**
 * Fills stores that no service uses from a backup. What an earlier run has written stays, if it is as in the backup. PostgreSQL comes last,
 * and in one step.
 * @throws Error in one sentence
 */
export async function restore(stores: Stores, folder: Blobs, manifest: Manifest, options: RestoreOptions): Promise<void> {
  await requireStopped(stores.db);
  await whileAlone(stores.db, () => fill(stores, folder, manifest, options));
}

async function fill(
  { db, events, blobs }: Stores,
  folder: Blobs,
  manifest: Manifest,
  { report, withMetadata }: RestoreOptions,
): Promise<void> {
  const { units, columns } = manifest.events;
  await fillUnits(events.copies, units, report, async (unit) => {
    await readFile(folder, unit.file, (content) => events.copies.load(unit, columns[unit.table] ?? [], content));
  });
  const stored = await sizesOf(blobs, '');
  for (const [index, { blob, file }] of manifest.blobs.entries()) {
    if (stored.get(blob) === file.bytes && (await sha256Of(blobs, blob)) === file.sha256) continue;
    if (index % 100 === 0) report(`copies files (${index + 1} of ${manifest.blobs.length})`);
    await readFile(folder, file, (content) => blobs.put(blob, content)).catch(async (error: unknown) => {
      await blobs.delete(blob);
      throw error;
    });
  }
  if (!withMetadata) return;
  report('copies PostgreSQL');
  if ((await schemaVersions(db))?.join() !== manifest.metadata.schema.join()) {
    throw new Error('The PostgreSQL database has other tables than the backup: name an empty one.');
  }
  await loadMetadata(db, folder, manifest.metadata);
}

/**
 * Brings the units of a store to those that are wanted: equal ones stay, others are replaced.
 * @throws Error in one sentence when the store has other rows afterwards
 */
export async function fillUnits<Unit extends MeasuredUnit>(
  target: EventCopies,
  wanted: readonly Unit[],
  report: Report,
  load: (unit: Unit) => Promise<void>,
): Promise<void> {
  const before = await measured(target);
  for (const [index, unit] of wanted.entries()) {
    const there = before.get(nameOf(unit));
    before.delete(nameOf(unit));
    if (there && isEqual(there, unit)) continue;
    report(`copies ${unit.table} ${unit.part} (${index + 1} of ${wanted.length})`);
    if (there) await target.clear(unit);
    await load(unit);
  }
  for (const unit of before.values()) await target.clear(unit);
  report('compares');
  const after = await measured(target);
  for (const unit of wanted) {
    const there = after.get(nameOf(unit));
    if (there && isEqual(there, unit)) continue;
    throw new Error(
      `The copy of ${unit.table} ${unit.part} has ${there?.rows ?? 0} rows with the checksum ${there?.checksum ?? 0} instead of ${unit.rows} with ${unit.checksum}: run it again.`,
    );
  }
}

async function measured(store: EventCopies): Promise<Map<string, MeasuredUnit>> {
  return new Map((await store.units()).map((unit) => [nameOf(unit), unit]));
}

const nameOf = ({ table, part }: CopyUnit): string => `${table} ${part}`;

export const isEqual = (a: MeasuredUnit, b: MeasuredUnit): boolean => a.rows === b.rows && a.checksum === b.checksum;
