import type { Config } from '../../config.js';
import type { EventsStore } from '../../ports/events.js';
import type { Clock } from '../../ports/system.js';
import type { ReshardOptions } from './cluster-reshard.js';
import type { ClusterStatus } from './cluster-status.js';
import { openEmbeddedEvents } from './embedded-events.js';
import type { EventsOptions } from './settings.js';

/**
 * Opens the event store, its tables brought to the newest schema: the ClickHouse server of CLICKHOUSE_URL, or the
 * embedded engine on `<dataDir>/events`.
 * @throws EventsUnavailable in one sentence when it cannot be opened
 */
export async function openEvents(config: Config, options: EventsOptions): Promise<EventsStore> {
  if (!config.clickhouseUrl) return openEmbeddedEvents(config, options);
  // loaded only for a server: its client takes a while to load
  const { openHttpEvents } = await import('./http-events.js');
  const { clickhouseCluster: name, clickhouseQuorum: quorum, clickhouseAuthority: ca } = config;
  return openHttpEvents(config.clickhouseUrl, {
    ...options,
    ca: ca ?? undefined,
    cluster: name ? { name, quorum } : null,
  });
}

export type { ReshardStep } from './cluster-reshard.js';
export type { ClusterStatus } from './cluster-status.js';
export { listMigrations as knownEventMigrations } from './migrate.js';

/** What the commands of `tidemark cluster` do with ClickHouse. */
export interface ClusterCommands {
  readStatus(config: Config, options: { clock: Clock }): Promise<ClusterStatus>;
  reshard(config: Config, options: ReshardOptions): Promise<void>;
}

/** Loads the part that `tidemark migrate --status` needs. */
export const loadMigrationStatus = () => import('./migration-status.js');

/** Loads the part that only those commands need. */
export async function loadClusterCommands(): Promise<ClusterCommands> {
  const [{ readClusterStatus }, { reshard }] = await Promise.all([import('./cluster-status.js'), import('./cluster-reshard.js')]);
  return { readStatus: readClusterStatus, reshard };
}
