import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.js';
import type { EventsStore } from '../../ports/events.js';
import { openEmbeddedEvents } from './embedded-events.js';
import { openHttpEvents } from './http-events.js';

/**
 * Opens the event store, its tables brought to the newest schema: the ClickHouse server of CLICKHOUSE_URL, or the
 * embedded engine on `<dataDir>/events`.
 * @throws EventsUnavailable in one sentence when it cannot be opened
 */
export async function openEvents(config: Config, log: Logger, metrics?: Registry): Promise<EventsStore> {
  return config.clickhouseUrl ? openHttpEvents(config.clickhouseUrl, log) : openEmbeddedEvents(config, log, metrics);
}
