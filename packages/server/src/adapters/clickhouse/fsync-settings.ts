import type { EventsStore } from '../../ports/events.js';

/** Statements that make the tables flush each insert to the disk before it is acknowledged, or no longer do. */
export async function fsyncSettings(store: Pick<EventsStore, 'query'>, fsync: boolean): Promise<string[]> {
  const wanted = `fsync_after_insert = ${Number(fsync)}, fsync_part_directory = ${Number(fsync)}`;
  const { rows } = await store.query<{ name: string; create_table_query: string }>({
    sql: "SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
  });
  return rows
    .filter(({ create_table_query: query }) => !query.includes(wanted) && (fsync || query.includes('fsync_after_insert')))
    .map(({ name }) => `ALTER TABLE ${name} MODIFY SETTING ${wanted}`);
}
