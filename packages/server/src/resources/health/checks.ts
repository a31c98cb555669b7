import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Gauge } from 'prom-client';
import { readScheduled } from '../../backup/index.js';
import type { Deps } from '../../deps.js';
import { needsEvents } from '../../kernel/roles.js';
import { withinTime } from '../../kernel/scheduler.js';
import type { Db } from '../../ports/db.js';

interface StoreCheck {
  ok: boolean;
  version: string | null;
  /** The newest migration of its tables. */
  schema: string | null;
}

interface StoreChecks {
  ok: boolean;
  checks: { postgres: StoreCheck; events: StoreCheck };
}

/** How long a store may take to answer; milliseconds. */
export const DEADLINE_MS = 2_000;

/** Reads the version of both stores; one that fails or takes over 2 s counts as unavailable. */
export async function checkStores(deps: Deps): Promise<StoreChecks> {
  const [postgres, events] = await Promise.all([check(deps, postgresVersion(deps.db)), check(deps, eventsVersion(deps))]);
  return { ok: postgres.ok && (events.ok || !needsEvents(deps.config)), checks: { postgres, events } };
}

type Versions = Omit<StoreCheck, 'ok'>;

async function check({ scheduler }: Deps, versions: Promise<Versions>): Promise<StoreCheck> {
  const answer = versions.then(
    (found) => ({ ok: true, ...found }),
    () => UNAVAILABLE,
  );
  return withinTime(scheduler, DEADLINE_MS, answer, () => UNAVAILABLE);
}

const UNAVAILABLE: StoreCheck = { ok: false, version: null, schema: null };

/** The version of the PostgreSQL server, such as `18.4`. @throws Error when it is read-only, as a standby is */
async function postgresVersion(db: Db): Promise<Versions> {
  // locks no row, and still fails on a read-only server
  const { rows } = await sql<{ version: string; schema: string | null }>`
    with locked as (select from schema_migrations where false for key share)
    select current_setting('server_version') as version, (select name from schema_migrations order by version desc limit 1) as schema
    from (select count(*) from locked) none`.execute(db);
  // packages append a name of their own
  return { version: rows[0]?.version.split(' ')[0] ?? 'unknown', schema: rows[0]?.schema ?? null };
}

async function eventsVersion({ events }: Pick<Deps, 'events'>): Promise<Versions> {
  const [{ version }, schema] = await Promise.all([events.ping(), events.copies.schema()]);
  return { version, schema: schema.at(-1) ?? null };
}

/** Exposes the versions of the service and of both stores in the metrics. */
export function tellVersions(deps: Deps, version: string): void {
  new Gauge({
    name: 'tidemark_info',
    help: 'Versions of the service and of its stores, and the newest migrations of their tables; the value is 1',
    labelNames: ['version', 'postgres', 'postgres_schema', 'events', 'events_schema'] as const,
    registers: [deps.metrics],
    async collect() {
      const { postgres, events } = (await checkStores(deps)).checks;
      this.reset();
      this.set(
        {
          version,
          postgres: postgres.version ?? '',
          postgres_schema: postgres.schema ?? '',
          events: events.version ?? '',
          events_schema: events.schema ?? '',
        },
        1,
      );
    },
  });
}

interface BackupCheck {
  /** Whether the newest backup that ended did not fail. */
  ok: boolean;
  last_done_at: string | null;
  last_failed_at: string | null;
}

/** Checks the backups of TIDEMARK_BACKUP; null: there are none, or PostgreSQL does not answer. */
export async function checkBackups({ config, db, scheduler }: Deps): Promise<BackupCheck | null> {
  const scheduled = await withinTime(
    scheduler,
    DEADLINE_MS,
    readScheduled(db).catch(() => null),
    () => null,
  );
  if (!scheduled || (!config.backup && scheduled.tried === null)) return null;
  const { done, failed } = scheduled;
  return { ok: failed === null, last_done_at: textOf(done), last_failed_at: textOf(failed) };
}

const textOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** Exposes the same in the metrics. */
export function measureBackups(deps: Deps): void {
  const failed = new Gauge({
    name: 'tidemark_backup_failed',
    help: 'Whether the newest scheduled backup failed: 1, or 0',
    registers: [deps.metrics],
    async collect() {
      const backups = await checkBackups(deps);
      if (!backups) return;
      failed.set(backups.ok ? 0 : 1);
      done.set(backups.last_done_at === null ? 0 : Date.parse(backups.last_done_at) / 1000);
    },
  });
  const done = new Gauge({
    name: 'tidemark_backup_last_success_timestamp_seconds',
    help: 'When the newest scheduled backup that is whole began; 0: there is none',
    registers: [deps.metrics],
  });
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
