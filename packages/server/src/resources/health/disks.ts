import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge } from 'prom-client';
import type { Deps } from '../../deps.js';

/** A disk with less than this counts as full: the event log grows by files of that size. Bytes. */
const FULL_BYTES = 32 * 1024 * 1024;

/** Free space of the disk of one part of the data directory; parts may be on different disks. */
interface Disk {
  part: 'postgres' | 'events' | 'events-log' | 'blobs';
  freeBytes: number;
}

interface DiskCheck {
  ok: boolean;
  /** Smallest free space of all disks; null: the data directory stores no data. */
  free_bytes: number | null;
}

type Settings = Pick<Deps['config'], 'dataDir' | 'databaseUrl' | 'clickhouseUrl' | 's3'>;

/** Disks of the parts that are stored in the data directory, not on servers. */
async function disksOf({ dataDir, databaseUrl, clickhouseUrl, s3 }: Settings): Promise<Disk[]> {
  const parts: Disk['part'][] = [];
  if (!databaseUrl) parts.push('postgres');
  if (!clickhouseUrl) parts.push('events', 'events-log');
  if (!s3) parts.push('blobs');
  const disks = await Promise.all(
    parts.map(async (part) => {
      // an unreadable disk is reported by its writers
      const stats = await statfs(join(dataDir, part)).catch(() => null);
      return stats && { part, freeBytes: stats.bavail * stats.bsize };
    }),
  );
  return disks.filter((disk) => disk !== null);
}

/** Checks the free space on the disks of the data directory. */
export async function checkDisks({ config }: Pick<Deps, 'config'>): Promise<DiskCheck> {
  const free = (await disksOf(config)).map(({ freeBytes }) => freeBytes);
  const least = free.length > 0 ? Math.min(...free) : null;
  return { ok: least === null || least >= FULL_BYTES, free_bytes: least };
}

/** Exposes the same free space in the metrics. */
export function measureDisks({ config, metrics }: Pick<Deps, 'config' | 'metrics'>): void {
  new Gauge({
    name: 'tidemark_disk_free_bytes',
    help: 'Bytes that are free on the disk of each part of the data directory',
    labelNames: ['part'] as const,
    registers: [metrics],
    async collect() {
      for (const { part, freeBytes } of await disksOf(config)) this.set({ part }, freeBytes);
    },
  });
}
