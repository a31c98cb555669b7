import type { ErasedIds } from '../../ports/events.js';
import { type MutationTarget, mutatedTables } from './mutations.js';

/** Begins to delete the events where there are any, and nobody is at it; as with projects, nobody waits for it. */
export async function deleteEvents(target: MutationTarget, projectId: number, erased: readonly ErasedIds[]): Promise<boolean> {
  const until = await untilOf(target, erased);
  if (until.size === 0) return true;
  // numbers alone, so that no text of a client is ever part of a statement that cannot be given values
  const [hashes, times] = [[...until.keys()].join(), [...until.values()].join()];
  const deadline = `transform(distinct_hash, [${hashes}]::Array(UInt64), [${times}]::Array(Int64), -1::Int64)`;
  const condition = `(project_id = ${projectId}) AND (toUnixTimestamp64Milli(inserted_at) <= ${deadline})`;
  const { rows } = await target.query({ sql: `SELECT 1 FROM events WHERE ${condition} LIMIT 1` });
  if (rows.length === 0) return true;
  if (!(await mutatedTables(target, projectId)).has('events')) await target.write(`ALTER TABLE events DELETE WHERE ${condition}`);
  return false;
}

/** By the hash of each id until when it is erased, at the latest. */
async function untilOf({ query }: MutationTarget, erased: readonly ErasedIds[]): Promise<Map<string, number>> {
  const byId = new Map<string, number>();
  for (const { distinctIds, until } of erased) {
    for (const id of distinctIds) byId.set(id, Math.max(until, byId.get(id) ?? 0));
  }
  const { rows } = await query<{ id: string; hash: string }>({
    sql: 'SELECT arrayJoin({ids:Array(String)}) AS id, toString(cityHash64(id)) AS hash',
    params: { ids: [...byId.keys()] },
  });
  return new Map(rows.map(({ id, hash }) => [hash, byId.get(id) ?? 0]));
}
