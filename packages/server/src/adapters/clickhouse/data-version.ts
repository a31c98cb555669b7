import { type EventsStore, EventsUnavailable, QueryFailed } from '../../ports/events.js';

/** The data version of a server that several services write to: the last block numbers of each table, which merges do not change. */
export async function dataVersion(query: EventsStore['query']): Promise<string> {
  const reading = query<{ version: string }>({
    sql: `select toString(groupArray((table, partition_id, block, mutation))) as version from (
      select table, partition_id, max(max_block_number) as block, max(data_version) as mutation from system.parts
      where active and database = currentDatabase() and table in ('events', 'persons', 'person_overrides', 'groups')
      group by table, partition_id order by table, partition_id)`,
    maxSeconds: 5,
  });
  const { rows } = await reading.catch((error: unknown) => {
    // this statement is not the caller's, so its failure must not look like one of the caller's query
    throw error instanceof QueryFailed ? new EventsUnavailable(`The event store cannot answer now (${error.code}).`) : error;
  });
  return rows[0]?.version ?? '';
}
