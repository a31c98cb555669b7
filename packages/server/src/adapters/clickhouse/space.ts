import type { EventsStore, StoreSpace } from '../../ports/events.js';
import { quoteText } from './sql-literals.js';
import type { Topology } from './topology.js';

/** Measures what ClickHouse takes of its disks: that of one server, or those of all nodes of a cluster that answer. */
export async function readStoreSpace(query: EventsStore['query'], topology: Topology | null): Promise<StoreSpace> {
  const of = (table: string) =>
    topology ? `clusterAllReplicas(${quoteText(topology.cluster)}, system.${table})` : `system.${table}`;
  const database = topology ? quoteText(topology.local) : 'currentDatabase()';
  const settings = topology ? ' SETTINGS skip_unavailable_shards = 1' : '';
  const parts = query<{ eventBytes: number; logBytes: number }>({
    // parts that merges have replaced lie on the disk for some minutes more
    sql: `SELECT sumIf(bytes_on_disk, database = ${database}) AS eventBytes, sumIf(bytes_on_disk, database = 'system') AS logBytes
      FROM ${of('parts')}${settings}`,
    allowStale: true,
  });
  const disks = query<{ freeBytes: number }>({
    sql: `SELECT min(free) * count() AS freeBytes FROM (SELECT hostName() AS host, min(unreserved_space) AS free FROM ${of('disks')} GROUP BY host)${settings}`,
    allowStale: true,
  });
  const [{ rows: used }, { rows: free }] = await Promise.all([parts, disks]);
  return {
    eventBytes: used[0]?.eventBytes ?? 0,
    logBytes: used[0]?.logBytes ?? 0,
    freeBytes: free[0]?.freeBytes ?? 0,
  };
}
