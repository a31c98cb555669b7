import { buffer } from 'node:stream/consumers';
import { ClickHouseError } from '@clickhouse/client';
import { sleep } from '../../kernel/scheduler.js';
import { type EventReplicas, EventsUnavailable, QueryFailed, type ReadStatement } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import type { ConnectedNode } from './cluster-nodes.js';
import { readError } from './errors.js';
import { parseResult } from './rows.js';
import { createInsertBarrier } from './running-inserts.js';
import { MAX_STATEMENT, readSettings } from './settings.js';
import { inlineLongValues } from './sql-literals.js';
import { type Quorum, replicasOf, shardsOf, type Topology } from './topology.js';

/** How long a replica may take to say that it is there, and for how long one that did not is not asked again; milliseconds. */
const ANSWER_MS = 2_000;
/** In which time a replica must know what the others have stored; milliseconds. */
const PULL_MS = 2_000;
const PULL_PAUSE_MS = 20;
/** Age from which on rows that a replica lacks are not waited for any longer, seconds. */
export const LONGEST_WAIT = 600;
/** Tries while replicas go away during a read. */
const TRIES = 3;

/** Errors of a node without the tables: it has been made anew, and has no rows. */
const WITHOUT_TABLES = new Set([60, 81]);

/** What a replica has not copied yet: ages of its oldest and newest missing rows, seconds. */
interface Missing {
  oldest: number;
  newest: number;
}
/** Of a replica that cannot say. */
const UNKNOWN: Missing = { oldest: Number.POSITIVE_INFINITY, newest: 0 };

async function ask<Row>({ client }: ConnectedNode, statement: ReadStatement, deadline: number): Promise<Row[]> {
  const { sql, params } = inlineLongValues(statement);
  const { stream } = await client.exec({
    query: `${sql}\nFORMAT JSONCompact`,
    query_params: params,
    clickhouse_settings: {
      ...readSettings(statement, null),
      readonly: '2',
      wait_end_of_query: 1,
      max_query_size: String(MAX_STATEMENT),
    },
    abort_signal: AbortSignal.timeout(deadline),
  });
  return parseResult<Row>(await buffer(stream)).rows;
}

/**
 * Separates rows that enough replicas have from others. ClickHouse shows the rows of an insert on the replica that took it at once, and removes
 * them again if that one goes away before the others have copied them.
 */
export function settledRows<Row>(byReplica: readonly (readonly Row[])[], quorum: number): { rows: Row[]; unsettled: Row[] } {
  if (quorum <= 1) return { rows: byReplica.flat(), unsettled: [] };
  const counts = new Map<string, { row: Row; replicas: number }>();
  for (const rows of byReplica) {
    for (const [key, row] of new Map(rows.map((one) => [JSON.stringify(one), one]))) {
      counts.set(key, { row, replicas: (counts.get(key)?.replicas ?? 0) + 1 });
    }
  }
  const all = [...counts.values()];
  const of = (isSettled: boolean) => all.filter(({ replicas }) => replicas >= quorum === isSettled).map(({ row }) => row);
  return { rows: of(true), unsettled: of(false) };
}

/**
 * Reads of all replicas of a cluster. Each replica knows from Keeper what the others have stored, so it can tell whether it lacks rows of one
 * that does not answer.
 */
export function createReplicas(
  topology: Topology,
  quorum: Quorum,
  nodes: readonly ConnectedNode[],
  scheduler: Scheduler,
): EventReplicas {
  const { local } = topology;
  /** When those that did not answer may be asked again, in milliseconds of uptime. */
  const silentUntil = new Map<ConnectedNode, number>();
  const shards = shardsOf(topology).map((members) => nodes.filter(({ node }) => members.includes(node)));

  const ping = (node: ConnectedNode) => ask(node, { sql: 'SELECT 1 AS one' }, ANSWER_MS);

  async function answers(node: ConnectedNode): Promise<boolean> {
    if ((silentUntil.get(node) ?? 0) > scheduler.uptime()) return false;
    try {
      await ping(node);
      return true;
    } catch {
      silentUntil.set(node, scheduler.uptime() + ANSWER_MS);
      return false;
    }
  }

  /** Null: it lacks nothing. */
  async function missingOf(node: ConnectedNode): Promise<Missing | null> {
    const log = async () => {
      const [row] = await ask<{ newest: number; pulled: number; isLost: number }>(
        node,
        {
          sql: `SELECT log_max_index AS newest, log_pointer AS pulled, is_session_expired OR zookeeper_exception != '' AS isLost
            FROM system.replicas WHERE database = {local:String} AND table = 'events'`,
          params: { local },
        },
        ANSWER_MS,
      );
      return row && !row.isLost ? row : null;
    };
    try {
      const now = await log();
      const end = scheduler.uptime() + PULL_MS;
      // without an entry both are 0
      for (let later = now; now && now.newest > 0 && (!later || later.pulled <= now.newest); later = await log()) {
        if (scheduler.uptime() > end) return UNKNOWN;
        await sleep(scheduler, PULL_PAUSE_MS);
      }
      if (!now) return UNKNOWN;
      const [row] = await ask<{ parts: number; oldest: number; newest: number }>(
        node,
        {
          sql: `SELECT count() AS parts, max(age) AS oldest, min(age) AS newest
            FROM (SELECT dateDiff('second', create_time, now()) AS age FROM system.replication_queue
              WHERE database = {local:String} AND table = 'events' AND type IN ('GET_PART', 'ATTACH_PART'))`,
          params: { local },
        },
        ANSWER_MS,
      );
      return row?.parts ? row : null;
    } catch {
      return UNKNOWN;
    }
  }

  /** One try. Null: a replica went away meanwhile. */
  async function read<Row>(statement: ReadStatement): Promise<{ rows: Row[]; unsettled: Row[]; lacking: number } | null> {
    const parts = await Promise.all(
      shards.map(async (replicas) => {
        const living = await Promise.all(replicas.map(answers));
        const present = replicas.filter((_, index) => living[index]);
        if (present.length === 0) throw new EventsUnavailable('No replica of a shard answers.');
        // before the read: what is copied between both would be missed
        const missing = present.length < replicas.length ? await Promise.all(present.map(missingOf)) : [];
        // any of them that lacks nothing has all
        const isComplete = missing.length === 0 || missing.some((one) => !one || one.newest > LONGEST_WAIT);
        const lacking = isComplete ? 0 : 1 + Math.min(...missing.map((one) => one?.oldest ?? 0));
        const deadline = (statement.maxSeconds ?? 60) * 1_000 + ANSWER_MS;
        const answered = await Promise.all(present.map((node) => rowsOf<Row>(node, statement, deadline)));
        const rows = answered.filter((some) => some !== null);
        if (rows.length < answered.length) return null;
        const needed = replicasOf(quorum, replicas.length);
        // a quorum leaves out what one replica alone has in any case
        const least = needed < 2 && (await doubted(present, rows)) ? 2 : needed;
        return { ...settledRows(rows, least), lacking };
      }),
    );
    if (parts.includes(null)) return null;
    return {
      rows: parts.flatMap((part) => part?.rows ?? []),
      unsettled: parts.flatMap((part) => part?.unsettled ?? []),
      lacking: Math.max(...parts.map((part) => part?.lacking ?? 0)),
    };
  }

  /**
   * Whether rows that one replica alone has may be removed again: Keeper has not answered their commit, and ClickHouse shows their part until it has
   * compared it with Keeper's.
   */
  async function doubted(present: readonly ConnectedNode[], rows: readonly (readonly unknown[])[]): Promise<boolean> {
    if (settledRows(rows, 2).unsettled.length === 0) return false;
    const states = await Promise.all(
      present.map((node) =>
        ask<{ isDoubted: number }>(
          node,
          {
            sql: `SELECT parts_to_check > 0 OR is_session_expired OR zookeeper_exception != '' AS isDoubted
              FROM system.replicas WHERE database = {local:String} AND table = 'events'`,
            params: { local },
          },
          ANSWER_MS,
        ).catch(() => [{ isDoubted: 1 }]),
      ),
    );
    return states.some(([state]) => !state || state.isDoubted === 1);
  }

  /** Null: the replica has gone away. */
  async function rowsOf<Row>(node: ConnectedNode, statement: ReadStatement, deadline: number): Promise<Row[] | null> {
    try {
      return await ask<Row>(node, statement, deadline);
    } catch (error) {
      if (error instanceof ClickHouseError) {
        const fault = readError({ code: Number(error.code), name: error.type ?? '', text: error.message });
        if (fault instanceof QueryFailed && !WITHOUT_TABLES.has(fault.code)) throw fault;
      }
      silentUntil.set(node, scheduler.uptime() + ANSWER_MS);
      return null;
    }
  }

  return {
    query: async <Row>(statement: ReadStatement) => {
      for (let left = TRIES; left > 0; left--) {
        const answer = await read<Row>(statement);
        if (answer) return answer;
      }
      throw new EventsUnavailable('Replicas go away while they are read.');
    },
    waiting: async () => {
      const living = await Promise.all(nodes.map(answers));
      const missing = await Promise.all(nodes.filter((_, index) => living[index]).map(missingOf));
      return missing.length === 0 ? UNKNOWN.oldest : Math.max(...missing.map((one) => one?.oldest ?? 0));
    },
    settled: createInsertBarrier(topology, nodes, ask, scheduler),
  };
}
