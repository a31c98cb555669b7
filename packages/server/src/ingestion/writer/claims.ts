import type { Deps } from '../../deps.js';
import { createLeases } from '../../jobs/index.js';
import type { Item } from '../item.js';
import { type ClaimKeys, claimEvents, dropClaims, forgetClaims, repeatClaims } from './claim-store.js';
import { storedKey, storedKeyOf } from './stored-store.js';

/** How long a claim counts that is not repeated: its server has died. Seconds. */
const FRESH_SECONDS = 5;
/** How often a server says that it is still at its events; milliseconds. */
const REPEAT_MS = 2_000;
/** How long claims are kept: older events are looked up in the event store, by whatever clock of a client. Seconds. */
const KEPT_SECONDS = 15;

/** Who of several servers stores an event: the same one may be sent to two of them at the same time. */
export interface Claims {
  /**
   * Claims those events of a group that are this server's, until {@link Claims.release}. `others`: another server is storing these, or
   * has just stored them. `again`: a server, maybe this one, had them before, and nobody knows what became of it.
   */
  take(group: readonly Item[], items: readonly Item[]): Promise<Taken>;
  /** They are stored, or have failed: these may be taken by any server. */
  release(group: readonly Item[]): void;
}

interface Taken {
  others: ReadonlySet<Item>;
  again: ReadonlySet<Item>;
}

type Sources = Pick<Deps, 'db' | 'config' | 'ids' | 'log' | 'scheduler'>;

/** The claims of one process among several on the same stores; null: there cannot be others. */
export function createClaims(deps: Sources): Claims | null {
  const { db, config, ids, log } = deps;
  if (!areShared(config)) return null;
  const server = ids.uuid();
  const claimed = new Map<readonly Item[], readonly Item[]>();
  const leases = createLeases<readonly Item[]>(deps, {
    name: 'event claims',
    everyMs: REPEAT_MS,
    extend: async (groups) => {
      await repeatClaims(db, server, keysOf(groups.flatMap((group) => claimed.get(group) ?? [])));
      return groups;
    },
  });
  const unwritten = (error: unknown) => log.warn({ err: error }, 'claims of events could not be written');
  return {
    async take(group, items) {
      if (items.length === 0) return NONE;
      const rows = await claimEvents(db, server, keysOf(items), FRESH_SECONDS);
      const again = new Map(rows.map((row) => [storedKey(row.project_id, row.uuid), row.again]));
      claimed.set(group, items);
      leases.hold(group);
      return {
        others: new Set(items.filter((item) => !again.has(storedKeyOf(item)))),
        again: new Set(items.filter((item) => again.get(storedKeyOf(item)))),
      };
    },
    release(group) {
      const items = claimed.get(group);
      if (!items) return;
      claimed.delete(group);
      leases.release(group);
      const failed = items.filter(({ outcome }) => outcome?.result !== 'ok');
      if (failed.length > 0) dropClaims(db, server, keysOf(failed)).catch(unwritten);
    },
  };
}

/** Forgets old claims; to be done every some seconds. */
export async function sweepClaims({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<void> {
  if (areShared(config)) await forgetClaims(db, KEPT_SECONDS);
}

/** Whether other servers may be at work on the same stores. */
const areShared = (config: Deps['config']): boolean => config.databaseUrl !== null && config.clickhouseUrl !== null;

const NONE: Taken = { others: new Set(), again: new Set() };

const keysOf = (items: readonly Item[]): ClaimKeys => ({
  projects: items.map(({ request }) => request.capture.project.id),
  uuids: items.map(({ event }) => event.uuid),
});
