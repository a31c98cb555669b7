import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { COPIED_TABLES, type EventCopies } from '../../../ports/event-copies.js';
import type { EventsStore } from '../../../ports/events.js';
import type { Node } from '../nodes.js';
import type { Topology } from '../topology.js';
import { appliedMigrations, copySource } from './copy-source.js';
import { clearSql, createSnapshot, dropSnapshot, LOAD_SETTINGS, READ_SETTINGS, snapshotName } from './copy-sql.js';

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
  /** What a failed call throws. */
  failed(node: Node, error: unknown): Promise<Error>;
}

/** Copies of a ClickHouse server, as streams of its HTTP interface. */
export function createHttpCopies({ node: current, query, settings, alter, topology, failed }: CopyServer): EventCopies {
  async function run(sql: string): Promise<void> {
    const node = current();
    try {
      await node.pending.track(node.client.command({ query: sql, clickhouse_settings: settings }));
    } catch (error) {
      throw await failed(node, error);
    }
  }

  async function readRows(select: string): Promise<Readable> {
    const node = current();
    try {
      const { stream } = await node.client.exec({
        query: `${select} FORMAT Native`,
        // a response that breaks off must not look like a complete one
        clickhouse_settings: { ...READ_SETTINGS, ...settings, wait_end_of_query: 1, enable_http_compression: 1 },
        http_headers: { 'Accept-Encoding': 'zstd' },
        decompress_response_stream: false,
      });
      return stream;
    } catch (error) {
      throw await failed(node, error);
    }
  }

  return {
    ...copySource(query, readRows, (table) => table),
    snapshot: async (between) => {
      if (topology) {
        throw new Error(
          'The tables of a ClickHouse cluster are backed up by the cluster itself, with BACKUP … ON CLUSTER: docs/guide/upkeep.md tells how.',
        );
      }
      for (const table of COPIED_TABLES) {
        for (const sql of createSnapshot(table)) await run(sql);
        if (table === 'events') await between();
      }
      return {
        ...copySource(query, readRows, snapshotName),
        close: async () => {
          for (const table of COPIED_TABLES) await run(dropSnapshot(table));
        },
      };
    },
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
