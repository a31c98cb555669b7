import { countEventsByName } from '../../analytics/index.js';
import type { Caches } from '../../caches/index.js';
import type { Ports } from '../../deps.js';

/** How long counts are used: counting reads 30 days of events. Milliseconds. */
const TTL_MS = 10 * 60_000;
const CACHE_BYTES = 16 * 1024 * 1024;
/** Memory of a name and its count; bytes. */
const NAME_BYTES = 120;

/** How many events of each name a project has received in the last 30 days. */
export interface EventVolumes {
  /** Counts by name, up to ten minutes old; names without events are absent. null: the events cannot be read now. */
  of(projectId: number): Promise<ReadonlyMap<string, number> | null>;
}

export function createEventVolumes(
  { clock, events, log }: Pick<Ports, 'clock' | 'events' | 'log'>,
  caches: Caches,
): EventVolumes {
  const cache = caches.create<number, ReadonlyMap<string, number>>({
    name: 'event_volumes',
    max: { bytes: CACHE_BYTES, bytesOf: (counts) => counts.size * NAME_BYTES },
    ttl: TTL_MS,
  });
  return {
    of: (projectId) =>
      cache
        .getOrLoad(projectId, () => countEventsByName(events, projectId, { days: 30, now: clock.now() }))
        .catch((error: unknown) => {
          // names are worth showing without their volumes
          log.warn({ err: error }, 'the events of a project could not be counted');
          return null;
        }),
  };
}
