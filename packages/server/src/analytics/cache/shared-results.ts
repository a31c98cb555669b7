import { sql } from 'kysely';
import type { Ports } from '../../deps.js';
import { createLeases } from '../../jobs/index.js';
import { sleep } from '../../kernel/scheduler.js';
import type { Db } from '../../ports/db.js';
import type { CachedResult } from './result-cache.js';

/** Duration of the lease of a computation, and the interval at which its server extends it; milliseconds. */
const LEASE_MS = 20_000;
const EXTEND_MS = 5_000;
/** Pause between two looks whether the computation of another server has ended, milliseconds. */
const LOOK_AGAIN_MS = 50;
/** Characters of a result that is shared; each server computes larger ones for itself. */
const MAX_LENGTH = 1024 * 1024;
/** Milliseconds after which a stored result is deleted. */
const RETENTION_MS = 60 * 60 * 1000;

/** What a caller takes from another server. */
interface Wanted {
  key: string;
  projectId: number;
  /** A result of this version of the data is good, however old it is. */
  dataVersion: string;
  /** So is one that is complete until this time or later, epoch milliseconds. */
  completeSince: number;
}

/**
 * Results of queries that servers on one event store share. One server computes a result at a time; the others wait for it. PostgreSQL
 * stores results and leases, so that the computation of a server that died is soon done by another.
 */
export interface SharedResults {
  /** The stored result, or that of another server's running computation, or else that of `work`. @throws what `work` throws */
  compute(wanted: Wanted, work: () => Promise<CachedResult>, signal: AbortSignal): Promise<CachedResult>;
  /** Deletes results that are old. */
  sweep(): Promise<void>;
}

export function createSharedResults(ports: Pick<Ports, 'db' | 'clock' | 'ids' | 'log' | 'scheduler'>): SharedResults {
  const { db, clock, ids, log, scheduler } = ports;
  const leasedUntil = () => new Date(clock.now() + LEASE_MS);
  const leases = createLeases<string>(ports, {
    name: 'query-results',
    everyMs: EXTEND_MS,
    extend: (runs) => extendLeases(db, runs, leasedUntil()),
  });

  async function computeHere(run: string, { key }: Wanted, work: () => Promise<CachedResult>): Promise<CachedResult> {
    leases.hold(run);
    let computed: CachedResult | null = null;
    try {
      computed = await work();
      return computed;
    } finally {
      leases.release(run);
      // without it the others wait until the lease has expired, and then compute the result themselves
      await endComputation(db, run, computed, new Date(clock.now())).catch((error: unknown) =>
        log.warn({ err: error, key }, 'a result of a query could not be shared'),
      );
    }
  }

  return {
    compute: async (wanted, work, signal) => {
      for (;;) {
        signal.throwIfAborted();
        const found = await readResult(db, wanted);
        if (found) return found;
        const run = ids.uuid();
        const now = new Date(clock.now());
        if (await beginComputation(db, wanted, { run, now, leasedUntil: leasedUntil() })) return computeHere(run, wanted, work);
        await sleep(scheduler, LOOK_AGAIN_MS);
      }
    },
    sweep: async () => {
      const before = new Date(clock.now() - RETENTION_MS);
      await db.deleteFrom('query_results').where('changed_at', '<=', before).execute();
    },
  };
}

async function readResult(db: Db, { key, dataVersion, completeSince }: Wanted): Promise<CachedResult | null> {
  const row = await db
    .selectFrom('query_results')
    .select(['result', 'data_version', 'complete_until', 'computed_at', 'cost'])
    .where('key', '=', key)
    .where((w) => w.or([w('data_version', '=', dataVersion), w('complete_until', '>=', new Date(completeSince))]))
    .executeTakeFirst();
  if (!row?.result || !row.complete_until || !row.computed_at) return null;
  return {
    result: JSON.parse(row.result),
    dataVersion: row.data_version ?? '',
    completeUntil: row.complete_until.getTime(),
    computedAt: row.computed_at.getTime(),
    cost: row.cost ?? 0,
  };
}

/** Resolves with false if another server computes the result. */
async function beginComputation(
  db: Db,
  { key, projectId }: Wanted,
  { run, now, leasedUntil }: { run: string; now: Date; leasedUntil: Date },
): Promise<boolean> {
  const begun = { run, leased_until: leasedUntil, changed_at: now };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('query_results')
    .values({ key, project_id: projectId, ...begun })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(begun)
        .where((w) => w.or([w('query_results.leased_until', 'is', null), w('query_results.leased_until', '<', now)])),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

async function extendLeases(db: Db, runs: readonly string[], leasedUntil: Date): Promise<string[]> {
  const rows = await db
    .updateTable('query_results')
    .set({ leased_until: leasedUntil })
    .where((w) => w('run', '=', w.fn.any(w.val(runs))))
    .returning('run')
    .execute();
  return rows.map(({ run }) => run);
}

/** Ends a computation; null: it failed. A server that took it over meanwhile goes on. */
async function endComputation(db: Db, run: string, computed: CachedResult | null, now: Date): Promise<void> {
  const text = computed && JSON.stringify(computed.result);
  const isShared = computed !== null && text !== null && text.length <= MAX_LENGTH;
  await sql`
    update query_results set leased_until = null, changed_at = ${now}
    ${
      isShared
        ? sql`, result = ${text}, data_version = ${computed.dataVersion}, complete_until = ${new Date(computed.completeUntil)},
          computed_at = ${new Date(computed.computedAt)}, cost = ${computed.cost}`
        : sql``
    }
    where run = ${run}`.execute(db);
}
