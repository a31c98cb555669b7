import type { EventsStore } from '../../ports/events.js';

/**
 * A text that changes when anything is stored: the numbers of the last blocks of each table, which merges leave as they are. It
 * says nothing of which project that was.
 */
export async function dataVersion(events: EventsStore): Promise<string> {
  const { rows } = await events.query<{ version: string }>({
    sql: `select toString(groupArray((table, partition_id, block, mutation))) as version from (
      select table, partition_id, max(max_block_number) as block, max(data_version) as mutation from system.parts
      where active and database = currentDatabase() and table in ('events', 'persons', 'person_overrides', 'groups')
      group by table, partition_id order by table, partition_id)`,
    maxSeconds: 5,
  });
  return rows[0]?.version ?? '';
}
