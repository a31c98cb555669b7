import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../deps.js';
import type { SpaceKind } from './forecast.js';
import { addSamples, databaseBytes, newestSample, type SpaceSample } from './store.js';

const HOUR_MS = 3_600_000;

/** A disk of the data directory. */
interface DataDisk {
  /** `data`, or a part of the directory that has a disk of its own. */
  place: string;
  free: number;
}

/** Measures what each kind of data takes, unless that was done within the last hour. */
export async function sampleSpace(deps: Deps, signal?: AbortSignal): Promise<void> {
  const [now, newest] = [deps.clock.now(), await newestSample(deps.db)];
  // samples of the future are of a clock that was set back since
  if (newest && newest.getTime() <= now && now - newest.getTime() < HOUR_MS) return;
  const samples = [...(await ofPostgres(deps)), ...(await ofEvents(deps)), ...(await ofBlobs(deps, signal))];
  signal?.throwIfAborted();
  await addSamples(deps.db, samples, now);
}

async function ofPostgres({ db, config }: Deps): Promise<SpaceSample[]> {
  const { database, log } = await databaseBytes(db);
  const disk = config.databaseUrl ? { place: 'postgres', free: null } : await diskOf(config.dataDir, 'postgres');
  return [sample(disk, 'postgres', database + (log ?? 0))];
}

async function ofEvents({ events, config }: Deps): Promise<SpaceSample[]> {
  const { eventBytes, logBytes, freeBytes } = await events.space();
  if (config.clickhouseUrl) {
    const disk = { place: 'clickhouse', free: freeBytes };
    return [sample(disk, 'events', eventBytes), sample(disk, 'logs', logBytes)];
  }
  return [
    sample(await diskOf(config.dataDir, 'events'), 'events', eventBytes),
    sample(await diskOf(config.dataDir, 'events-log'), 'logs', logBytes),
  ];
}

/** Of files in the data directory: a bucket does not get full, and to list it costs a request for each thousand files. */
async function ofBlobs({ blobs, config }: Deps, signal: AbortSignal | undefined): Promise<SpaceSample[]> {
  if (config.s3) return [];
  const bytes = { recordings: 0, files: 0 };
  for await (const { key, size } of blobs.list('')) {
    signal?.throwIfAborted();
    bytes[key.startsWith('recordings/') ? 'recordings' : 'files'] += size;
  }
  const disk = await diskOf(config.dataDir, 'blobs');
  return [sample(disk, 'recordings', bytes.recordings), sample(disk, 'files', bytes.files)];
}

const sample = ({ place, free }: { place: string; free: number | null }, kind: SpaceKind, used: number): SpaceSample => ({
  place,
  kind,
  used_bytes: Math.round(used),
  free_bytes: free === null ? null : Math.round(free),
});

async function diskOf(dataDir: string, part: string): Promise<DataDisk> {
  const whole = await stat(dataDir);
  // a part may be made with the first that is stored in it
  const own = await stat(join(dataDir, part)).catch(() => whole);
  const hasOwn = own.dev !== whole.dev;
  const { bavail, bsize } = await statfs(hasOwn ? join(dataDir, part) : dataDir);
  return { place: hasOwn ? part : 'data', free: bavail * bsize };
}
