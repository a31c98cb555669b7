import type { EventsStore } from '../../ports/events.js';

/** What is needed to find an event where it is sorted. */
export interface StoredKey {
  projectId: number;
  uuid: string;
  event: string;
  distinctId: string;
  /** Epoch milliseconds, UTC. */
  timestamp: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Which of these events the store holds, as `project:uuid`. The stored time may be a day off the one given
 * (a retry's corrected time moves). Reads only where the sorting key says they can be.
 */
export async function findStored(events: EventsStore, keys: readonly StoredKey[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [projectId, ofProject] of byProject(keys)) {
    const { rows } = await events.query<{ uuid: string }>({
      sql: `select toString(uuid) as uuid from events
        where project_id = {project:UInt32}
          and toDate(timestamp) in {days:Array(Date)}
          and event in {names:Array(String)}
          and cityHash64(distinct_id) in (select arrayJoin(arrayMap(id -> cityHash64(id), {ids:Array(String)})))
          and uuid in {uuids:Array(UUID)}`,
      params: {
        project: projectId,
        days: daysAround(ofProject),
        names: [...new Set(ofProject.map((key) => key.event))],
        ids: [...new Set(ofProject.map((key) => key.distinctId))],
        uuids: ofProject.map((key) => key.uuid),
      },
      maxSeconds: 10,
    });
    for (const row of rows) found.add(storedKey(projectId, row.uuid));
  }
  return found;
}

/** How {@link findStored} names an event. */
export const storedKey = (projectId: number, uuid: string): string => `${projectId}:${uuid.toLowerCase()}`;

function byProject(keys: readonly StoredKey[]): Map<number, StoredKey[]> {
  const groups = new Map<number, StoredKey[]>();
  for (const key of keys) {
    const group = groups.get(key.projectId);
    if (group) group.push(key);
    else groups.set(key.projectId, [key]);
  }
  return groups;
}

function daysAround(keys: readonly StoredKey[]): string[] {
  const days = new Set<number>();
  for (const key of keys) {
    const day = Math.floor(key.timestamp / DAY_MS);
    days
      .add(day - 1)
      .add(day)
      .add(day + 1);
  }
  return [...days].map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));
}

/** The newest events taken in since `since` (epoch milliseconds), newest first, at most `limit`. */
export async function storedSince(
  events: EventsStore,
  since: number,
  limit: number,
): Promise<{ project_id: number; uuid: string; inserted_at: number }[]> {
  const { rows } = await events.query<{ project_id: number; uuid: string; inserted_at: number }>({
    sql: `select project_id, toString(uuid) as uuid, toUnixTimestamp64Milli(inserted_at) as inserted_at from events
      where inserted_at >= fromUnixTimestamp64Milli({since:Int64}) and toDate(timestamp) >= toDate(now()) - 2
      order by inserted_at desc limit {limit:UInt32}`,
    params: { since, limit },
    maxSeconds: 10,
  });
  return rows;
}
