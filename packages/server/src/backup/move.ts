import pLimit from 'p-limit';
import type { Blobs } from '../ports/blobs.js';
import { copyMetadata } from './copy-metadata.js';
import { copyBlob, sha256Of } from './files.js';
import { requireStopped, whileAlone } from './lock.js';
import { type Stores, sizesOf } from './make-backup.js';
import { beginSnapshot, schemaVersions } from './metadata-store.js';
import { fillUnits, isEqual } from './restore.js';

/** What a move has compared. */
export interface MoveResult {
  events: number;
  files: number;
  rows: number;
}

/**
 * Copies all that stores hold to other stores. What they have of an earlier run stays, if it is the same. PostgreSQL comes last, and in one
 * step. No service runs on the first ones meanwhile.
 * @throws Error in one sentence; run again, it goes on where it ended
 */
export async function move(from: Stores, to: Stores, report: (progress: string) => void): Promise<MoveResult> {
  await requireStopped(to.db);
  return whileAlone(from.db, () => whileAlone(to.db, () => copy(from, to, report)));
}

async function copy(from: Stores, to: Stores, report: (progress: string) => void): Promise<MoveResult> {
  const [source, target] = [from.events.copies, to.events.copies];
  if ((await schemaVersions(from.db))?.join() !== (await schemaVersions(to.db))?.join()) {
    throw new Error('The two PostgreSQL databases have different tables: start this version on both once.');
  }
  // what began before the service was stopped continues
  report('waits for deletions and merges of persons');
  await source.settled();
  report('compares');
  const units = await source.units();
  await fillUnits(target, units, report, async (unit) => {
    await target.load(unit, source.columns(unit.table), await source.read(unit));
    const [sent, received] = await Promise.all([source.measure(unit), target.measure(unit)]);
    if (isEqual(sent, received)) return;
    throw new Error(
      `The copy of ${unit.table} ${unit.part} differs: ${received.rows} rows with the checksum ${received.checksum} instead of ${sent.rows} with ${sent.checksum}.`,
    );
  });
  const files = await copyBlobs(from, to, report);
  report('copies PostgreSQL');
  const snapshot = await beginSnapshot(from.db);
  try {
    const rows = await copyMetadata(snapshot, to.db, report);
    const events = units.filter(({ table }) => table === 'events').reduce((sum, unit) => sum + unit.rows, 0);
    return { events, files, rows };
  } finally {
    await snapshot.rollback().execute();
  }
}

/** Files that are read and written at once. */
const FILES_AT_ONCE = 8;

/**
 * Copies the files that differ, and deletes those that the source does not have. What is in the target afterwards was read there, and
 * agrees with the checksum of the source.
 * @returns how many there are
 */
async function copyBlobs({ blobs: from }: Stores, { blobs: to }: Stores, report: (progress: string) => void): Promise<number> {
  const [sent, received] = [await sizesOf(from, ''), await sizesOf(to, '')];
  for (const key of received.keys()) if (!sent.has(key)) await to.delete(key);
  let count = 0;
  let fault: unknown = null;
  const copyOne = async ([key, size]: [string, number]) => {
    if (count++ % 100 === 0) report(`copies files (${count} of ${sent.size})`);
    if (received.get(key) === size && (await hasSame(from, to, key))) return;
    const copied = await copyBlob(from, to, key);
    if (!copied) throw new Error(`The file ${key} is gone: run it again.`);
    if ((await sha256Of(to, key)) === copied.sha256) return;
    await to.delete(key);
    throw new Error(`The copy of the file ${key} does not agree with its checksum: run it again.`);
  };
  // those that run end before the stores are closed
  await pLimit(FILES_AT_ONCE).map(sent, async (file) => {
    if (fault === null) await copyOne(file).catch((error: unknown) => (fault ??= error));
  });
  if (fault !== null) throw fault;
  return count;
}

async function hasSame(from: Blobs, to: Blobs, key: string): Promise<boolean> {
  const [sent, received] = await Promise.all([sha256Of(from, key), sha256Of(to, key)]);
  return sent !== null && sent === received;
}
