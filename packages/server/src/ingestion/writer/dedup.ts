import { EventsUnavailable } from '../../ports/events.js';
import type { CapturedEvent, IntakeDeps } from '../capture.js';
import { type Item, markStored } from '../item.js';
import { createEventLocks } from './event-locks.js';
import { RecentUuids } from './recent-uuids.js';
import { StoredDays } from './stored-days.js';
import { findStored, storedKeyOf, storedSince } from './stored-store.js';

/** Uuids per generation: two generations cover the last 0.5 to 1 million events. */
const GENERATION_CAPACITY = 500_000;
/** Events that a new process loads from the event store at its start. */
const WARM_MS = 10 * 60_000;
const WARM_LIMIT = 200_000;
/** Tolerated skew of a client's clock in the creation time of an event. */
const CLOCK_MARGIN_MS = 10_000;
const AHEAD_MARGIN_MS = 5_000;
/** With several servers, an event older than this may have been sent to another one before. */
const OTHER_SERVER_MS = 2_000;
const MAX_UNKNOWN_OUTCOMES = 50_000;

/**
 * Stores an event once, however often clients send it. The path of an event with a client-chosen uuid:
 *
 *     reserve ── in RecentUuids as stored ──────────────> outcome ok (duplicate)
 *        │ ───── reserved by a group in flight ─────────> duplicateOf that item
 *        │ absent: reserved now
 *        ├── created after the coverage watermark ──────> store
 *        ├── not in the lists of its days ──────────────> store (embedded event store)
 *        └── older, locked before or lock lost, unknown ──> look up in the event store
 *                 ├── found ────────────────────────────> outcome ok (duplicate)
 *                 ├── locked by another server ─────────> error: the client retries
 *                 ├── on fewer replicas than a quorum ──> error: the client retries
 *                 ├── tried before, and not over ───────> error: the client retries (a replica is away, or an insert still runs)
 *                 └── not found ────────────────────────> store
 *     release: stored, or absent again; after a failed insert the outcome of the uuid is unknown until a lookup
 */
export interface Dedup {
  /**
   * Reserves the uuids of the items. Stored ones get the outcome ok, repetitions of items in flight get `duplicateOf`, those that another
   * server is storing get `error`. The rest are reserved for the caller until {@link release}.
   * @returns the number of duplicates
   * @throws EventsUnavailable the lookup in the event store failed
   */
  reserve(items: readonly Item[]): Promise<number>;
  /** Ends the reservations: the items have an outcome, or failed. `outcomeUnknown`: failed items may be stored nevertheless. */
  release(items: readonly Item[], outcomeUnknown: boolean): void;
}

export function createDedup(deps: IntakeDeps, lookedUp: (events: number) => void): Dedup {
  const { clock, config, events, log, services } = deps;
  const recent = new RecentUuids(clock.now(), GENERATION_CAPACITY);
  const groups = new InFlightGroups();
  const unknownOutcomes = new Set<string>();
  const locks = createEventLocks(deps);
  // others may write into the tables of a server
  const storedDays = config.clickhouseUrl === null ? new StoredDays(events, recent, services.caches) : null;
  let warm: Promise<void> | null = null;

  const warmUp = async () => {
    const start = clock.now();
    try {
      const rows = await storedSince(events, start - WARM_MS, WARM_LIMIT);
      recent.load(rows, rows.length < WARM_LIMIT ? start - WARM_MS : (rows.at(-1)?.taken_at ?? start));
    } catch (error) {
      // still correct, only slower: more events need a lookup
      log.warn({ err: error }, 'could not read which events were stored lately');
    }
  };

  const hasUnknownOutcome = (item: Item): boolean => unknownOutcomes.size > 0 && unknownOutcomes.has(storedKeyOf(item));
  const mustLookUp = (item: Item): boolean => {
    const createdAt = clientCreatedAt(item.event);
    const { receivedAt } = item.request.capture;
    return (
      createdAt < recent.coveredSince + CLOCK_MARGIN_MS ||
      createdAt > receivedAt + AHEAD_MARGIN_MS ||
      (config.clickhouseUrl !== null && createdAt < receivedAt - OTHER_SERVER_MS) ||
      hasUnknownOutcome(item)
    );
  };

  return {
    async reserve(items) {
      // rows that one replica has may still be removed, and with several servers most events are looked up
      warm ??= events.replicas ? Promise.resolve() : warmUp();
      await warm;
      let duplicates = 0;
      const fresh: Item[] = [];
      const now = clock.now();
      groups.add(items);
      let owners: Map<string, Item> | null = null;
      for (const item of items) {
        if (!item.event.hasClientUuid) continue;
        const known = recent.reserve(item.request.capture.project.id, item.event.uuid, now);
        if (known === 'absent') {
          fresh.push(item);
          continue;
        }
        duplicates++;
        if (known === 'stored') {
          markStored(item);
        } else {
          owners ??= groups.owners();
          item.duplicateOf = owners.get(storedKeyOf(item)) ?? null;
        }
      }
      const acquired = await locks?.acquire(items, fresh);
      const candidates = fresh.filter(
        (item) => acquired?.areNew || acquired?.lockedElsewhere.has(item) || acquired?.lockedBefore.has(item) || mustLookUp(item),
      );
      // an insert with an unknown outcome may still store its events, which no list shows
      const sure = storedDays ? candidates.filter((item) => !hasUnknownOutcome(item)) : [];
      const toLookUp = storedDays
        ? [...candidates.filter(hasUnknownOutcome), ...(await storedDays.notIn(sure, keyOf))]
        : candidates;
      if (toLookUp.length === 0) return duplicates;
      lookedUp(toLookUp.length);
      // The set holds what this process stored, except unknown outcomes. Waiting for the WAL would flush each group on its own.
      const allowStale = !toLookUp.some((item) => hasUnknownOutcome(item));
      const wereTried = acquired?.areNew || toLookUp.some((item) => acquired?.lockedBefore.has(item) || hasUnknownOutcome(item));
      const { found, unsettled, lacking } = await findStored(events, toLookUp.map(keyOf), { allowStale, wereTried });
      // an event that nobody has tried to store is on no replica
      const isForgotten = lacking > 0 && ((await locks?.mayHaveForgotten(lacking)) ?? false);
      const mayBeElsewhere = (item: Item) => isForgotten || acquired?.lockedBefore.has(item) || hasUnknownOutcome(item);
      for (const item of toLookUp) {
        if (found.has(storedKeyOf(item))) {
          markStored(item);
          duplicates++;
        } else if (acquired?.lockedElsewhere.has(item)) {
          item.error = new EventsUnavailable('another server is storing this event');
        } else if (unsettled.has(storedKeyOf(item))) {
          item.error = new EventsUnavailable('too few replicas have this event');
        } else if (lacking > 0 && mayBeElsewhere(item)) {
          item.error = new EventsUnavailable(
            'a replica that does not answer, or an insert that has not ended, may store this event',
          );
        }
      }
      return duplicates;
    },
    release(items, outcomeUnknown) {
      locks?.release(items);
      groups.delete(items);
      for (const item of items) {
        if (!item.event.hasClientUuid || item.duplicateOf) continue;
        const isStored = item.outcome?.result === 'ok';
        recent.settle(item.request.capture.project.id, item.event.uuid, isStored);
        if (isStored) {
          if (unknownOutcomes.size > 0) unknownOutcomes.delete(storedKeyOf(item));
        } else if (outcomeUnknown && !item.outcome) {
          unknownOutcomes.add(storedKeyOf(item));
        }
      }
      if (unknownOutcomes.size > MAX_UNKNOWN_OUTCOMES) {
        unknownOutcomes.clear();
        recent.resetCoverage(clock.now());
      }
    },
  };
}

/** The groups that are being stored, to find the item that a repeated event duplicates. */
class InFlightGroups {
  readonly #all: (readonly Item[])[] = [];

  add(items: readonly Item[]): void {
    this.#all.push(items);
  }

  delete(items: readonly Item[]): void {
    const at = this.#all.indexOf(items);
    if (at !== -1) this.#all.splice(at, 1);
  }

  /** The items that own the reservation of their uuid, by {@link storedKeyOf}. */
  owners(): Map<string, Item> {
    const owners = new Map<string, Item>();
    for (const item of this.#all.flat()) {
      const key = storedKeyOf(item);
      if (item.event.hasClientUuid && !item.duplicateOf && !owners.has(key)) owners.set(key, item);
    }
    return owners;
  }
}

/**
 * When the client created the event, by its own clock, in epoch milliseconds; no request can have carried the event earlier. The corrected
 * timestamp does not serve: a retry repeats its `sent_at`, so the correction differs with every retry.
 */
export function clientCreatedAt(event: CapturedEvent): number {
  return event.clientTime ?? uuidV7Time(event.uuid) ?? 0;
}

/** The time inside a version 7 UUID, which most SDKs use. Epoch milliseconds; null for other versions. */
function uuidV7Time(uuid: string): number | null {
  if (uuid.charCodeAt(14) !== 55) return null;
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

function keyOf(item: Item) {
  const { event, request } = item;
  return {
    projectId: request.capture.project.id,
    uuid: event.uuid,
    event: event.event,
    distinctId: event.distinctId,
    timestamp: event.timestamp,
  };
}
