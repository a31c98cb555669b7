import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { COPIED_TABLES, type EventCopies, type EventSnapshot, type MeasuredUnit } from '../../../ports/event-copies.js';
import type { EventsStore } from '../../../ports/events.js';
import type { Node } from '../nodes.js';
import type { Topology } from '../topology.js';
import { appliedMigrations, copySource, snapshotOf } from './copy-source.js';
import {
  clearSql,
  createSnapshot,
  dropSnapshot,
  gatheredSql,
  gatherSql,
  LOAD_SETTINGS,
  measureGathered,
  READ_SETTINGS,
  snapshotName,
} from './copy-sql.js';

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
  async function run(sql: string, node = current()): Promise<void> {
    try {
      await node.pending.track(node.client.command({ query: sql, clickhouse_settings: settings }));
    } catch (error) {
      throw await failed(node, error);
    }
  }

  async function readRows(select: string, node = current()): Promise<Readable> {
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

  /**
   * A snapshot of a cluster: its shards have none in common, so the rows of one unit at a time are gathered in a table of one node, which then
   * measures and reads them. Rows that were inserted after the snapshot began are left out, so that PostgreSQL knows what events refer to.
   */
  async function clusterSnapshot(between: () => Promise<void>): Promise<EventSnapshot> {
    const node = current();
    const rowsOf = async <Row>(sql: string): Promise<Row[]> => {
      try {
        const clickhouse_settings = { ...READ_SETTINGS, ...settings };
        const answer = await node.client.query({ query: sql, format: 'JSONEachRow', clickhouse_settings });
        return await answer.json<Row>();
      } catch (error) {
        throw await failed(node, error);
      }
    };
    const drop = async () => {
      for (const table of COPIED_TABLES) await run(dropSnapshot(table), node);
    };
    await drop();
    // by the clocks of the servers of the service: what was acknowledged is not later
    const [latest] = await rowsOf<{ at: string }>('SELECT toString(max(toUnixTimestamp64Milli(inserted_at))) AS at FROM events');
    await between();
    return {
      units: source.units,
      columns: source.columns,
      take: async (unit) => {
        await run(dropSnapshot(unit.table), node);
        await run(gatherSql(unit, latest?.at ?? '0'), node);
        const [measured] = await rowsOf<Pick<MeasuredUnit, 'rows' | 'checksum'>>(measureGathered(unit.table));
        const content = await readRows(gatheredSql(unit.table), node);
        return { unit: { ...unit, rows: Number(measured?.rows ?? 0), checksum: measured?.checksum ?? '0' }, content };
      },
      close: drop,
    };
  }

  const source = copySource(query, readRows, (table) => table);
  return {
    ...source,
    snapshot: async (between) => {
      if (topology) return clusterSnapshot(between);
      for (const table of COPIED_TABLES) {
        for (const sql of createSnapshot(table)) await run(sql);
        if (table === 'events') await between();
      }
      return snapshotOf(copySource(query, readRows, snapshotName), async () => {
        for (const table of COPIED_TABLES) await run(dropSnapshot(table));
      });
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
