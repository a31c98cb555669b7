import { copyMetadata } from './copy-metadata.js';
import { whileAlone } from './lock.js';
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
 * step. The service does not run meanwhile.
 * @throws Error in one sentence; run again, it goes on where it ended
 */
export async function move(from: Stores, to: Stores, report: (progress: string) => void): Promise<MoveResult> {
  return whileAlone(from.db, () => whileAlone(to.db, () => copy(from, to, report)));
}

async function copy(from: Stores, to: Stores, report: (progress: string) => void): Promise<MoveResult> {
  const [source, target] = [from.events.copies, to.events.copies];
  if ((await schemaVersions(from.db))?.join() !== (await schemaVersions(to.db))?.join()) {
    throw new Error('The two PostgreSQL databases have different tables: start this version on both once.');
  }
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
    const rows = await copyMetadata(snapshot, to.db);
    const events = units.filter(({ table }) => table === 'events').reduce((sum, unit) => sum + unit.rows, 0);
    return { events, files, rows };
  } finally {
    await snapshot.rollback().execute();
  }
}

/** Copies the files that differ by their size, and deletes those that the source does not have. @returns how many there are */
async function copyBlobs({ blobs: from }: Stores, { blobs: to }: Stores, report: (progress: string) => void): Promise<number> {
  const [sent, received] = [await sizesOf(from, ''), await sizesOf(to, '')];
  for (const key of received.keys()) if (!sent.has(key)) await to.delete(key);
  let count = 0;
  for (const [key, size] of sent) {
    count++;
    if (received.get(key) === size) continue;
    if (count % 100 === 1) report(`copies files (${count} of ${sent.size})`);
    const blob = await from.get(key);
    if (!blob) throw new Error(`The file ${key} is gone: run it again.`);
    const { size: put } = await to.put(key, blob.stream);
    if (put !== size) throw new Error(`The copy of the file ${key} has ${put} bytes instead of ${size}: run it again.`);
  }
  return count;
}
