import type { Deps } from '../../deps.js';
import { EventsUnavailable } from '../../ports/events.js';
import { type Item, markStored } from '../item.js';
import { createClaims } from './claims.js';
import { firstMade } from './first-made.js';
import { RecentUuids } from './recent-uuids.js';
import { findStored, storedKeyOf, storedSince } from './stored-store.js';

/** Per generation: two of them know the last 0.5 to 1 million events. */
const CAPACITY = 500_000;
/** What a fresh process learns from the store about the time before it. */
const WARM_MS = 10 * 60_000;
const WARM_LIMIT = 200_000;
/** How far a client's clock may be wrong before its word about when an event was made leads astray. */
const CLOCK_MARGIN_MS = 10_000;
const AHEAD_MARGIN_MS = 5_000;
/** With several servers, an event this old may have been given to another one before. */
const ELSEWHERE_MS = 2_000;
const MAX_DOUBTFUL = 50_000;

/** Sees to it that an event which is sent again is stored once. */
export interface Dedup {
  /**
   * Decides the items that are stored already (their outcome is ok), links those that are on their way (`same`) and refuses those that
   * another server is storing (`error`). The rest are this caller's until {@link release}. Answers how many were duplicates.
   * @throws EventsUnavailable when it cannot be found out
   */
  claim(items: readonly Item[]): Promise<number>;
  /** The items are decided, or failed: their uuids may come again. `doubtful`: it is not known whether they are stored. */
  release(items: readonly Item[], doubtful: boolean): void;
}

export function createDedup(deps: Deps, lookedUp: (events: number) => void): Dedup {
  const { clock, config, events, log } = deps;
  const recent = new RecentUuids(clock.now(), CAPACITY);
  const groups = new Groups();
  const doubts = new Set<string>();
  const claims = createClaims(deps);
  let warm: Promise<void> | null = null;

  const warmUp = async () => {
    const start = clock.now();
    try {
      const rows = await storedSince(events, start - WARM_MS, WARM_LIMIT);
      recent.learn(rows, rows.length < WARM_LIMIT ? start - WARM_MS : (rows.at(-1)?.taken_at ?? start));
    } catch (error) {
      // without it more events are looked up one by one, which is slower and as safe
      log.warn({ err: error }, 'could not read which events were stored lately');
    }
  };

  const isDoubtful = (item: Item): boolean => doubts.size > 0 && doubts.has(storedKeyOf(item));
  const mustLookUp = (item: Item): boolean => {
    const made = firstMade(item.event);
    const { receivedAt } = item.request.capture;
    return (
      made < recent.since + CLOCK_MARGIN_MS ||
      made > receivedAt + AHEAD_MARGIN_MS ||
      (config.clickhouseUrl !== null && made < receivedAt - ELSEWHERE_MS) ||
      isDoubtful(item)
    );
  };

  return {
    async claim(items) {
      warm ??= warmUp();
      await warm;
      let duplicates = 0;
      const fresh: Item[] = [];
      const now = clock.now();
      groups.add(items);
      let claimants: Map<string, Item> | null = null;
      for (const item of items) {
        if (!item.event.ownUuid) continue;
        const known = recent.claim(item.request.capture.project.id, item.event.uuid, now);
        if (known === 'absent') {
          fresh.push(item);
          continue;
        }
        duplicates++;
        if (known === 'stored') {
          markStored(item);
        } else {
          claimants ??= groups.claimants();
          item.same = claimants.get(storedKeyOf(item)) ?? null;
        }
      }
      const taken = await claims?.take(items, fresh);
      const unsure = fresh.filter((item) => taken?.others.has(item) || taken?.again.has(item) || mustLookUp(item));
      if (unsure.length === 0) return duplicates;
      lookedUp(unsure.length);
      // what this process stored is remembered, but for doubts; waiting for it would bring each group into the tables on its own
      const allowStale = !unsure.some((item) => isDoubtful(item));
      const stored = await findStored(events, unsure.map(keyOf), { allowStale });
      for (const item of unsure) {
        if (stored.has(storedKeyOf(item))) {
          markStored(item);
          duplicates++;
        } else if (taken?.others.has(item)) {
          item.error = new EventsUnavailable('another server is storing this event');
        }
      }
      return duplicates;
    },
    release(items, doubtful) {
      claims?.release(items);
      groups.delete(items);
      for (const item of items) {
        if (!item.event.ownUuid || item.same) continue;
        const isStored = item.outcome?.result === 'ok';
        recent.settle(item.request.capture.project.id, item.event.uuid, isStored);
        if (isStored) {
          if (doubts.size > 0) doubts.delete(storedKeyOf(item));
        } else if (doubtful && !item.outcome) {
          doubts.add(storedKeyOf(item));
        }
      }
      if (doubts.size > MAX_DOUBTFUL) {
        doubts.clear();
        recent.doubt(clock.now());
      }
    },
  };
}

/** The groups of events that are being stored, for those that come again meanwhile. */
class Groups {
  readonly #all: (readonly Item[])[] = [];

  add(items: readonly Item[]): void {
    this.#all.push(items);
  }

  delete(items: readonly Item[]): void {
    const at = this.#all.indexOf(items);
    if (at !== -1) this.#all.splice(at, 1);
  }

  /** The items that claimed their uuids, by {@link storedKeyOf}. */
  claimants(): Map<string, Item> {
    const claimants = new Map<string, Item>();
    for (const item of this.#all.flat()) {
      const key = storedKeyOf(item);
      if (item.event.ownUuid && !item.same && !claimants.has(key)) claimants.set(key, item);
    }
    return claimants;
  }
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
