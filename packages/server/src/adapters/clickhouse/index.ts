import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.js';
import type { EventsStore } from '../../ports/events.js';
import { openEmbeddedEvents } from './embedded-events.js';

/**
 * Opens the event store, its tables brought to the newest schema: the ClickHouse server of CLICKHOUSE_URL, or the
 * embedded engine on `<dataDir>/events`.
 * @throws EventsUnavailable in one sentence when it cannot be opened
 */
export async function openEvents(config: Config, log: Logger, metrics?: Registry): Promise<EventsStore> {
  if (!config.clickhouseUrl) return openEmbeddedEvents(config, log, metrics);
  // the client of the server is loaded only where there is one
  const { openHttpEvents } = await import('./http-events.js');
  return openHttpEvents(config.clickhouseUrl, log);
}
