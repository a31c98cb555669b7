import type { Config } from '../../config.js';
import type { EventsStore } from '../../ports/events.js';
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
