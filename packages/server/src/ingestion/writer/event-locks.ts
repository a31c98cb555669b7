import { sql } from 'kysely';
import type { Deps } from '../../deps.js';
import { createLeases } from '../../jobs/index.js';
import type { Db } from '../../ports/db.js';
import type { Item } from '../item.js';
import { storedKey, storedKeyOf } from './stored-store.js';

/** Lifetime of a lock that is not renewed: its server has died. Seconds. */
const LEASE_SECONDS = 5;
/** Interval of renewal; milliseconds. */
const RENEW_MS = 2_000;
/** Time until locks are deleted: the event store answers for older events, whatever the client's clock says. Seconds. */
const RETENTION_SECONDS = 15;
/** Before rows wait to be copied, their insert may have taken as long; clocks differ, too. Seconds. */
const WAITING_MARGIN_SECONDS = 90;
/** Clients send events again, and call them new, for less than that; seconds. */
const NEW_SECONDS = 10;
/** A replica is not waited for any longer (see {@link EventReplicas}), with the margin. Seconds. */
const LONGEST_RETENTION_SECONDS = 690;

/** Distributed locks by event uuid, in PostgreSQL: a client may send the same event to two servers at the same time. */
interface EventLocks {
  /**
   * Locks the events of a group until {@link EventLocks.release}. `lockedElsewhere`: another server is storing these, or has just stored
   * them. `lockedBefore`: a server, maybe this one, had locked them, and the outcome is unknown. `areNew`: locks of some seconds ago may be
   * lost.
   */
  acquire(group: readonly Item[], items: readonly Item[]): Promise<AcquiredLocks>;
  /**
   * Whether events that were locked before others which some replicas have lacked for so many seconds may be unknown here. PostgreSQL
   * forgets all locks when it crashes, and a standby that takes over has none.
   */
  mayHaveForgotten(lacking: number): Promise<boolean>;
  /** The events are stored or failed: any server may lock the failed ones. */
  release(group: readonly Item[]): void;
}

interface AcquiredLocks {
  lockedElsewhere: ReadonlySet<Item>;
  lockedBefore: ReadonlySet<Item>;
  areNew: boolean;
}

type Sources = Pick<Deps, 'db' | 'config' | 'ids' | 'log' | 'scheduler'>;

/** The locks of one process among several with the same stores; null: the stores are embedded, so no other process can use them. */
export function createEventLocks(deps: Sources): EventLocks | null {
  const { db, config, ids, log } = deps;
  if (!areShared(config)) return null;
  const server = ids.uuid();
  const locked = new Map<readonly Item[], readonly Item[]>();
  const leases = createLeases<readonly Item[]>(deps, {
    name: 'event locks',
    everyMs: RENEW_MS,
    extend: async (groups) => {
      await renewLocks(db, server, keysOf(groups.flatMap((group) => locked.get(group) ?? [])));
      return groups;
    },
  });
  const onReleaseFailed = (error: unknown) => log.warn({ err: error }, 'locks of events could not be released');
  return {
    async acquire(group, items) {
      if (items.length === 0) return NONE;
      const rows = await lockEvents(db, server, keysOf(items), LEASE_SECONDS);
      const existed = new Map(rows.map((row) => [storedKey(row.project_id, row.uuid), row.existed]));
      locked.set(group, items);
      leases.hold(group);
      return {
        lockedElsewhere: new Set(items.filter((item) => !existed.has(storedKeyOf(item)))),
        lockedBefore: new Set(items.filter((item) => existed.get(storedKeyOf(item)))),
        areNew: rows.some(({ are_new }) => are_new),
      };
    },
    mayHaveForgotten: async (lacking) => (await keptFor(db)) < lacking + WAITING_MARGIN_SECONDS,
    release(group) {
      const items = locked.get(group);
      if (!items) return;
      locked.delete(group);
      leases.release(group);
      const failed = items.filter(({ outcome }) => outcome?.result !== 'ok');
      if (failed.length > 0) releaseLocks(db, server, keysOf(failed)).catch(onReleaseFailed);
    },
  };
}

/**
 * Deletes old locks; to be called every few seconds. Those of events that may be on one replica alone, or whose insert may not have ended, are
 * kept longer: only they tell which events were tried.
 */
export async function sweepEventLocks({ db, config, events }: Pick<Deps, 'db' | 'config' | 'events'>): Promise<void> {
  if (!areShared(config)) return;
  await markBeginning(db);
  const waiting = Math.max(0, ...(await Promise.all([events.replicas?.waiting() ?? 0, events.replicas?.settled() ?? 0])));
  const seconds = waiting < LEASE_SECONDS ? RETENTION_SECONDS : waiting + WAITING_MARGIN_SECONDS;
  await deleteExpiredLocks(db, Math.min(seconds, LONGEST_RETENTION_SECONDS));
}

/** Whether other servers may use the same stores. */
const areShared = (config: Deps['config']): boolean => config.databaseUrl !== null && config.clickhouseUrl !== null;

const NONE: AcquiredLocks = { lockedElsewhere: new Set(), lockedBefore: new Set(), areNew: false };

const keysOf = (items: readonly Item[]): EventKeys => ({
  projects: items.map(({ request }) => request.capture.project.id),
  uuids: items.map(({ event }) => event.uuid),
});

/** Events in parallel arrays. */
interface EventKeys {
  projects: readonly number[];
  uuids: readonly string[];
}

interface LockedEvent {
  project_id: number;
  uuid: string;
  /** Whether a lock existed before: an earlier one of the same server, or an expired one of any server. */
  existed: boolean;
  are_new: boolean;
}

/** Not acquired or renewed within so many seconds. A time in the future means that the database's clock was set back: expired, too. */
const isExpired = (seconds: number) =>
  sql<boolean>`c.claimed_at not between clock_timestamp() - make_interval(secs => ${seconds}) and clock_timestamp() + interval '1 second'`;

/** Locks events for a server. Returns only those that no other server has acquired or renewed within `freshSeconds`. */
async function lockEvents(db: Db, server: string, { projects, uuids }: EventKeys, freshSeconds: number): Promise<LockedEvent[]> {
  // ordered, so that two servers cannot deadlock
  const { rows } = await sql<LockedEvent>`
    insert into event_claims as c (project_id, uuid, server, claimed_at)
    select e.project_id, e.uuid, ${server}::uuid, clock_timestamp()
    from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid) order by e.project_id, e.uuid
    on conflict (project_id, uuid) do update set server = excluded.server, claimed_at = excluded.claimed_at
      where c.server = excluded.server or ${isExpired(freshSeconds)}
    returning project_id, uuid, xmax::text <> '0' as existed, not exists (
      select from event_claims b where b.project_id = ${BEGINNING} and b.uuid = ${NIL}
        and b.claimed_at < clock_timestamp() - make_interval(secs => ${NEW_SECONDS})
    ) as are_new`.execute(db);
  return rows;
}

/** Renews the locks of a server that is still storing the events. */
async function renewLocks(db: Db, server: string, { projects, uuids }: EventKeys): Promise<void> {
  await sql`
    update event_claims c set claimed_at = clock_timestamp() from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid)
    where c.project_id = e.project_id and c.uuid = e.uuid and c.server = ${server}`.execute(db);
}

/** Lets any server lock events that one could not store, or may have stored: the locks expire, and tell that the event was tried. */
async function releaseLocks(db: Db, server: string, { projects, uuids }: EventKeys): Promise<void> {
  await sql`
    update event_claims c set claimed_at = clock_timestamp() - make_interval(secs => ${LEASE_SECONDS}) from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid)
    where c.project_id = e.project_id and c.uuid = e.uuid and c.server = ${server}`.execute(db);
}

/** Deletes locks that were not renewed for so many seconds. */
async function deleteExpiredLocks(db: Db, seconds: number): Promise<void> {
  await sql`delete from event_claims c where ${isExpired(seconds)} and c.project_id <> ${BEGINNING}`.execute(db);
}

/** The project of a row that is no lock: it was made with the first ones, and is lost with all of them. */
const BEGINNING = 0;
const NIL = '00000000-0000-0000-0000-000000000000';

async function markBeginning(db: Db): Promise<void> {
  await sql`insert into event_claims (project_id, uuid, server, claimed_at) values (${BEGINNING}, ${NIL}, ${NIL}, clock_timestamp())
    on conflict do nothing`.execute(db);
}

/** For how many seconds each lock was kept that is not deleted. */
async function keptFor(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from clock_timestamp() - claimed_at)::float8 as seconds from event_claims
    where project_id = ${BEGINNING} and uuid = ${NIL}`.execute(db);
  return rows[0]?.seconds ?? 0;
}
