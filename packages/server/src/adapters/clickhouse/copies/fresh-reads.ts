import { sleep } from '../../../kernel/scheduler.js';
import { type EventReplicas, QueryFailed } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import type { Settings } from '../engine/protocol.js';
import { LONGEST_WAIT } from '../replicas.js';

/** ClickHouse's error number of a shard whose replicas all lack rows that others have stored. */
const ALL_STALE = 369;
/** How long a replica with all rows is waited for, and the pause between two tries; milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;
/** Ages of parts have whole seconds, so a part may look that much younger than it is; seconds. */
const MARGIN = 1;

/**
 * Runs a read on replicas that have all rows stored before a moment.
 * @param since the moment, in milliseconds of the scheduler's uptime
 * @param run reads with these settings
 * @throws Error in one sentence when a shard has no such replica
 */
export type FreshReads = <T>(since: number, run: (settings: Settings) => Promise<T>) => Promise<T>;

/**
 * A read takes the first replica of a shard that answers, which may be one that has just come back. Copies must not miss what it lacks.
 * Rows that are on no replica that answers are waited for as long as capture waits for them.
 * @param replicas null: there are none, and each read sees all rows
 */
export function createFreshReads(replicas: EventReplicas | null, scheduler: Scheduler): FreshReads {
  if (!replicas) return (_, run) => run({});
  let isGivenUp = false;
  return async (since, run) => {
    const end = scheduler.uptime() + PATIENCE_MS;
    for (; !isGivenUp; await sleep(scheduler, PAUSE_MS)) {
      // newer parts may be missing
      const seconds = Math.floor((scheduler.uptime() - since) / 1_000) - MARGIN;
      if (seconds < 1) continue;
      try {
        return await run({
          max_replica_delay_for_distributed_queries: seconds,
          fallback_to_stale_replicas_for_distributed_queries: 0,
        });
      } catch (error) {
        if (!(error instanceof QueryFailed) || error.code !== ALL_STALE) throw error;
        if (scheduler.uptime() < end) continue;
        const waiting = await replicas.waiting();
        // the disk that has them is probably lost
        isGivenUp = Number.isFinite(waiting) && waiting > LONGEST_WAIT;
        if (!isGivenUp) throw tooOld();
      }
    }
    return run({});
  };
}

/** It has been waited for already. */
const tooOld = (): Error =>
  new Error(
    'All replicas of a shard lack rows that another one has stored, or cannot reach Keeper: "tidemark cluster status" names them. Start what is away, and run it again.',
  );
