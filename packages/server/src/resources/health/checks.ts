import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Gauge } from 'prom-client';
import type { Deps } from '../../deps.js';
import { withinTime } from '../../kernel/scheduler.js';
import type { Db } from '../../ports/db.js';

interface StoreCheck {
  ok: boolean;
  version: string | null;
}

interface StoreChecks {
  ok: boolean;
  checks: { postgres: StoreCheck; events: StoreCheck };
}

const DEADLINE_MS = 2_000;

/** Reads the version of both stores; one that fails or takes over 2 s counts as unavailable. */
export async function checkStores(deps: Deps): Promise<StoreChecks> {
  const [postgres, events] = await Promise.all([
    check(deps, postgresVersion(deps.db)),
    check(
      deps,
      deps.events.ping().then(({ version }) => version),
    ),
  ]);
  // flags are answered from PostgreSQL and memory alone
  const needsEvents = deps.config.roles.some((role) => role !== 'flags');
  return { ok: postgres.ok && (events.ok || !needsEvents), checks: { postgres, events } };
}

async function check({ scheduler }: Deps, version: Promise<string>): Promise<StoreCheck> {
  const answer = version.then(
    (found) => ({ ok: true, version: found }),
    () => UNAVAILABLE,
  );
  return withinTime(scheduler, DEADLINE_MS, answer, () => UNAVAILABLE);
}

const UNAVAILABLE: StoreCheck = { ok: false, version: null };

/** The version of the PostgreSQL server, such as `18.4`. @throws Error when it is read-only, as a standby is */
async function postgresVersion(db: Db): Promise<string> {
  // locks no row, and still fails on a read-only server
  const { rows } = await sql<{ version: string }>`
    with locked as (select from schema_migrations where false for key share)
    select current_setting('server_version') as version from (select count(*) from locked) none`.execute(db);
  // packages append a name of their own
  return rows[0]?.version.split(' ')[0] ?? 'unknown';
}

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
