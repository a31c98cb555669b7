import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { COPIED_TABLES, type EventCopies, type EventCopySource } from '../../../ports/event-copies.js';
import type { EventReplicas, EventsStore, ReadStatement } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import type { Settings } from '../engine/protocol.js';
import type { Node } from '../nodes.js';
import type { Topology } from '../topology.js';
import { clusterSnapshot } from './cluster-snapshot.js';
import { appliedMigrations, copySource, mutationsEnd, snapshotOf } from './copy-source.js';
import { clearSql, createSnapshot, dropSnapshot, LOAD_SETTINGS, READ_SETTINGS, settingsOf, snapshotName } from './copy-sql.js';
import { createFreshReads } from './fresh-reads.js';

/** A ClickHouse server as copies need it. */
export interface CopyServer {
  node(): Node;
  query: EventsStore['query'];
  /** Settings of every statement on a cluster. */
  settings: Record<string, string | number>;
  /** Alters tables: on a cluster, on each shard. */
  alter(sql: string): Promise<void>;
  /** null: it is no cluster. */
  topology: Topology | null;
  /** null: there are none. */
  replicas: EventReplicas | null;
  scheduler: Scheduler;
  /** What a failed call throws. */
  failed(node: Node, error: unknown): Promise<Error>;
}

/** Copies of a ClickHouse server, as streams of its HTTP interface. */
export function createHttpCopies(server: CopyServer): EventCopies {
  const { node: current, query, settings, alter, topology, replicas, scheduler, failed } = server;
  const fresh = createFreshReads(replicas, scheduler);

  async function run(sql: string, node = current(), more: Settings = {}): Promise<void> {
    try {
      await node.pending.track(node.client.command({ query: sql, clickhouse_settings: { ...settings, ...more } }));
    } catch (error) {
      throw await failed(node, error);
    }
  }

  async function readRows(select: string, node = current(), more: Settings = {}): Promise<Readable> {
    try {
      const { stream } = await node.client.exec({
        query: `${select} FORMAT Native`,
        // a response that breaks off must not look like a complete one
        clickhouse_settings: { ...READ_SETTINGS, ...settings, ...more, wait_end_of_query: 1, enable_http_compression: 1 },
        http_headers: { 'Accept-Encoding': 'zstd' },
        decompress_response_stream: false,
      });
      return stream;
    } catch (error) {
      throw await failed(node, error);
    }
  }

  async function rowsOf<Row>(sql: string, node: Node): Promise<Row[]> {
    try {
      const clickhouse_settings = { ...READ_SETTINGS, ...settings };
      const answer = await node.client.query({ query: sql, format: 'JSONEachRow', clickhouse_settings });
      return await answer.json<Row>();
    } catch (error) {
      throw await failed(node, error);
    }
  }

  const withSettings = (statement: ReadStatement, more: Settings): ReadStatement =>
    Object.keys(more).length > 0 ? { ...statement, sql: statement.sql + settingsOf(more) } : statement;
  /** Reads the tables with what was stored before a moment. */
  const source = (since: number): EventCopySource =>
    copySource(
      (statement) => fresh(since, (more) => query(withSettings(statement, more))),
      (select) => fresh(since, (more) => readRows(select, current(), more)),
      (table) => table,
    );

  async function snapshot(between: () => Promise<void>) {
    const node = current();
    if (topology) {
      const gathering = {
        run: (sql: string, more: Settings = {}) => run(sql, node, more),
        rowsOf: <Row>(sql: string) => rowsOf<Row>(sql, node),
        readRows: (select: string) => readRows(select, node),
      };
      return clusterSnapshot({ topology, scheduler, fresh, source, ...gathering }, between);
    }
    for (const table of COPIED_TABLES) {
      for (const sql of createSnapshot(table)) await run(sql);
      if (table === 'events') await between();
    }
    return snapshotOf(copySource(query, readRows, snapshotName), async () => {
      for (const table of COPIED_TABLES) await run(dropSnapshot(table));
    });
  }

  return {
    // what is moved was stored before the store is opened for that
    ...source(scheduler.uptime()),
    snapshot,
    settled: () => mutationsEnd(query, topology, scheduler),
    load: async ({ table }, columns, content) => {
      const node = current();
      try {
        const { stream } = await node.client.exec({
          query: `INSERT INTO ${table} (${columns.join()}) FORMAT Native`,
          values: content,
          clickhouse_settings: { ...LOAD_SETTINGS, ...settings, wait_end_of_query: 1 },
          http_headers: { 'Content-Encoding': 'zstd' },
        });
        await text(Readable.from(stream));
      } catch (error) {
        content.destroy();
        throw await failed(node, error);
      }
    },
    clear: (unit) => alter(`${clearSql(unit)} SETTINGS mutations_sync = 2`),
    schema: appliedMigrations(query, topology),
  };
}
