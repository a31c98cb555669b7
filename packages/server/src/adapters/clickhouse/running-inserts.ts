import { sleep } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql.js';
import type { ReadStatement } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import type { ConnectedNode } from './cluster-nodes.js';
import type { Topology } from './topology.js';

/** How long a node may take to list its inserts, on a busy machine, and for how long one that did not is not asked again; milliseconds. */
const ANSWER_MS = 5_000;
const AGAIN_MS = 2_000;
/** How long inserts that run are waited for, and the pause between two looks; milliseconds. */
const SETTLE_MS = 3_000;
const PAUSE_MS = 100;
/** A node that is silent for longer has no insert any more: each is limited to half of that. Milliseconds. */
const LONGEST_SILENCE = 60_000;
/** After a silence a node still reads what its connections had received before; milliseconds. */
const AFTER_SILENCE = 2_000;

/** Inserts into the Distributed table, as servers send them, and those of its parts into the tables of the shards. Not those of `cluster reshard`. */
const RUNNING = `SELECT query_id AS id, elapsed FROM system.processes
  WHERE query_kind = 'Insert' AND (current_database = {database:String} AND startsWith(query, 'INSERT INTO events ')
    OR startsWith(replaceAll(query, '\`', ''), concat('INSERT INTO ', {local:String}, '.events ')))`;

interface RunningInsert {
  id: string;
  /** Seconds. */
  elapsed: number;
}

/** When a node was found silent first and last, in milliseconds of uptime. */
interface Silence {
  since: number;
  last: number;
}

type Ask = <Row>(node: ConnectedNode, statement: ReadStatement, deadline: number) => Promise<Row[]>;

/**
 * Makes the function that waits until the inserts of events have ended that run on any node of a cluster at its call. An insert goes on
 * without the server that sent it, for as long as Keeper is away or its node hangs.
 * @returns for how many seconds the oldest insert has run that is left, or a node has been silent, which may run one; 0: none is left
 */
export function createInsertBarrier(
  { database, local }: Topology,
  nodes: readonly ConnectedNode[],
  ask: Ask,
  scheduler: Scheduler,
): () => Promise<number> {
  const silences = new Map<ConnectedNode, Silence>();

  /** Null: the node is silent, now or a moment ago. */
  async function runningOn(node: ConnectedNode): Promise<RunningInsert[] | null> {
    const silence = silences.get(node);
    const isSilent = silence !== undefined && scheduler.uptime() - silence.last < AGAIN_MS;
    if (isSilent) return null;
    try {
      const running = await ask<RunningInsert>(node, { sql: RUNNING, params: { database, local } }, ANSWER_MS);
      if (silence && scheduler.uptime() - silence.last < AGAIN_MS + AFTER_SILENCE) return null;
      silences.delete(node);
      return running;
    } catch (error) {
      // its process has ended, and all inserts with it
      if (sqlState(error) === 'ECONNREFUSED') {
        silences.delete(node);
        return [];
      }
      const now = scheduler.uptime();
      const isSame = silence && now - silence.last < LONGEST_SILENCE;
      silences.set(node, { since: isSame ? silence.since : now, last: now });
      return null;
    }
  }

  /** Seconds. */
  function silenceOf(node: ConnectedNode): number {
    const { since } = silences.get(node) ?? { since: Number.NEGATIVE_INFINITY };
    const silent = scheduler.uptime() - since;
    return silent < LONGEST_SILENCE ? 1 + silent / 1_000 : 0;
  }

  return async () => {
    const end = scheduler.uptime() + SETTLE_MS;
    const before = new Set<string>();
    for (let isFirst = true; ; isFirst = false) {
      const all = await Promise.all(nodes.map(runningOn));
      if (isFirst) for (const { id } of all.flatMap((running) => running ?? [])) before.add(id);
      const left = all.flatMap((running) => running ?? []).filter(({ id }) => before.has(id));
      const silent = nodes.filter((_, index) => !all[index]).map(silenceOf);
      if (left.length === 0 || scheduler.uptime() > end) return Math.max(0, ...silent, ...left.map(({ elapsed }) => elapsed));
      await sleep(scheduler, PAUSE_MS);
    }
  };
}
