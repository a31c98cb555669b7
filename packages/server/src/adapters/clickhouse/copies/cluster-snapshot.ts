import type { Readable } from 'node:stream';
import { retryWhile } from '../../../kernel/scheduler.js';
import { COPIED_TABLES, type EventCopySource, type EventSnapshot, type MeasuredUnit } from '../../../ports/event-copies.js';
import { EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import type { Settings } from '../engine/protocol.js';
import { allReplicasOf, type Topology } from '../topology.js';
import { dropSnapshot, gatheredSql, gatherSql, measureGathered } from './copy-sql.js';
import type { FreshReads } from './fresh-reads.js';

/** One node of a cluster, by which the rows of all are copied. */
export interface GatheringNode {
  topology: Topology;
  scheduler: Scheduler;
  fresh: FreshReads;
  run(sql: string, settings?: Settings): Promise<void>;
  rowsOf<Row>(sql: string): Promise<Row[]>;
  readRows(select: string): Promise<Readable>;
  /** Reads the tables of all shards, with the rows that were stored before a moment of uptime. */
  source(since: number): EventCopySource;
}

/**
 * A snapshot of a cluster: its shards have none in common, so the rows of one unit at a time are gathered in a table of one node, which then
 * measures and reads them. Rows that were inserted after the snapshot began are left out, so that PostgreSQL knows what events refer to.
 */
export async function clusterSnapshot(
  { topology, scheduler, fresh, run, rowsOf, readRows, source }: GatheringNode,
  between: () => Promise<void>,
): Promise<EventSnapshot> {
  // a backup of hours outlives a node that is away for a moment
  const patiently = <T>(work: () => Promise<T>): Promise<T> =>
    retryWhile(scheduler, (error) => error instanceof EventsUnavailable, work);
  const drop = async () => {
    for (const table of COPIED_TABLES) await patiently(() => run(dropSnapshot(table)));
  };
  await drop();
  // by the clocks of the servers of the service: what was acknowledged is not later. One replica may not have the newest yet
  const { from, settings } = allReplicasOf(topology, 'events');
  const [latest] = await patiently(() =>
    rowsOf<{ at: string }>(`SELECT toString(max(toUnixTimestamp64Milli(inserted_at))) AS at FROM ${from}${settings}`),
  );
  await between();
  const since = scheduler.uptime();
  const { units, columns } = source(since);
  const gather = (unit: MeasuredUnit) =>
    fresh(since, async (only) => {
      await run(dropSnapshot(unit.table));
      await run(gatherSql(unit, latest?.at ?? '0'), only);
      const [measured] = await rowsOf<Pick<MeasuredUnit, 'rows' | 'checksum'>>(measureGathered(unit.table));
      return { ...unit, rows: Number(measured?.rows ?? 0), checksum: measured?.checksum ?? '0' };
    });
  return {
    units: () => patiently(units),
    columns,
    take: async (found) => {
      const unit = await patiently(() => gather(found));
      return { unit, content: await readRows(gatheredSql(unit.table)) };
    },
    close: drop,
  };
}
