import { type EventsStore, EventsUnavailable, QueryFailed } from '../../ports/events.js';

/** The data version of a server that others write to, too: the numbers of the last blocks of each table, which merges leave as they are. */
export async function dataVersion(query: EventsStore['query']): Promise<string> {
  const asked = query<{ version: string }>({
    sql: `select toString(groupArray((table, partition_id, block, mutation))) as version from (
      select table, partition_id, max(max_block_number) as block, max(data_version) as mutation from system.parts
      where active and database = currentDatabase() and table in ('events', 'persons', 'person_overrides', 'groups')
      group by table, partition_id order by table, partition_id)`,
    maxSeconds: 5,
  });
  const { rows } = await asked.catch((error: unknown) => {
    // nobody who asks something else is at fault, and the statement is not
    throw error instanceof QueryFailed ? new EventsUnavailable(`The event store cannot answer now (${error.code}).`) : error;
  });
  return rows[0]?.version ?? '';
}
