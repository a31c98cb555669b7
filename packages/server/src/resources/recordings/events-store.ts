import type { EventsStore } from '../../ports/events.js';

/** Maximum sessions per statement; more ids would not fit into a statement of the other store. */
const MAX_SESSIONS = 20_000;

/** The newest sessions in which all of these events were captured. */
export async function sessionsWithEvents(
  events: EventsStore,
  projectId: number,
  names: readonly string[],
  from: Date | null,
): Promise<string[]> {
  const { rows } = await events.query<{ session_id: string }>({
    sql: `select properties.\`$session_id\`.:String as session_id
      from events
      where project_id = {project:UInt32} and event in {names:Array(String)} and timestamp >= fromUnixTimestamp64Milli({from:Int64})
        and session_id != ''
      group by session_id
      having uniqExact(event) = {count:UInt32}
      order by max(timestamp) desc
      limit ${MAX_SESSIONS}`,
    params: { project: projectId, names, from: from?.getTime() ?? 0, count: new Set(names).size },
  });
  return rows.map(({ session_id }) => session_id);
}
