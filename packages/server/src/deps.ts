import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config, FolderPlace } from './config.js';
import type { Blobs } from './ports/blobs.js';
import type { Changes } from './ports/changes.js';
import type { Db } from './ports/db.js';
import type { EventsStore } from './ports/events.js';
import type { Clock, Ids, Scheduler } from './ports/system.js';
import type { Services } from './services.js';

/** Opens a folder of files or of a bucket, as blobs, for backups. @throws Error in one sentence */
export type OpenFolder = (place: FolderPlace, options: { fsync: boolean; isReadOnly?: boolean }) => Promise<Blobs>;

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
  readonly openFolder: OpenFolder;
}

/** Everything that modules get: the whole dependency injection. */
export interface Deps extends Ports {
  readonly services: Services;
}
