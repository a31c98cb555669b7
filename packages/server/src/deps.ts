import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.js';
import type { Blobs } from './ports/blobs.js';
import type { Changes } from './ports/changes.js';
import type { Db } from './ports/db.js';
import type { EventsStore } from './ports/events.js';
import type { Clock, Ids, Scheduler } from './ports/system.js';
import type { Services } from './services.js';

/** The outside world: configuration, stores, time, randomness. */
export interface Ports {
  readonly config: Config;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly ids: Ids;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly db: Db;
  readonly changes: Changes;
  readonly events: EventsStore;
  readonly blobs: Blobs;
}

/** Everything that modules get: the whole dependency injection. */
export interface Deps extends Ports {
  readonly services: Services;
}
