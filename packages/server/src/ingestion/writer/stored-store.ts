import type { EventsStore, ReadStatement } from '../../ports/events.js';
import type { Item } from '../item.js';
import { cleanText } from '../storable.js';

/** The fields that locate an event by the sorting key of `events`. */
export interface StoredKey {
  projectId: number;
  uuid: string;
  event: string;
  distinctId: string;
  /** Epoch milliseconds, UTC. */
  timestamp: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Events in a statement up to which each has its own ranges of the sorting key. Comparing more of them takes longer than reading more ranges. */
const MAX_EXACT = 50;
/** Names and ids in a statement beyond which they no longer narrow the search, only lengthen the statement. */
const MAX_NARROWING = 200;

/** Which events the store holds. */
export interface FoundEvents {
  /** {@link storedKey}s. */
  found: Set<string>;
  /** Keys of events that too few replicas have: the store may still remove them. */
  unsettled: Set<string>;
  /** For how many seconds a replica that does not answer, or an insert that has not ended, may have held more of them; 0: none does. */
  lacking: number;
}

interface LookUpOptions extends Pick<ReadStatement, 'allowStale'> {
  /** Some of the events were tried before: inserts on replicas that have not ended are waited for. */
  wereTried?: boolean;
}

/**
 * Looks events up on all replicas. The stored time may be up to a day before the given one. Reads only the ranges of the sorting key that
 * can hold them. `allowStale`: see {@link ReadStatement}; safe when the caller tracks recent inserts itself.
 */
export async function findStored(
  events: EventsStore,
  keys: readonly StoredKey[],
  { allowStale = false, wereTried = false }: LookUpOptions = {},
): Promise<FoundEvents> {
  const found = new Set<string>();
  const unsettled = new Set<string>();
  // before the reads, so that they see what those inserts have stored
  let lacking = wereTried ? ((await events.replicas?.settled()) ?? 0) : 0;
  for (const [projectId, ofProject] of byProject(keys)) {
    const { condition, params } = ofProject.length <= MAX_EXACT ? exactRanges(ofProject) : allRanges(ofProject);
    const statement: ReadStatement = {
      // the other conditions choose what to read; compared row by row, they would take longer than the uuids
      sql: `select uuid from events prewhere uuid in {uuids:Array(UUID)}
        where project_id = {project:UInt32} and ${condition}`,
      params: { ...params, project: projectId, uuids: ofProject.map((key) => key.uuid) },
      maxSeconds: 10,
      allowStale,
    };
    const answer = await (events.replicas ?? events).query<{ uuid: string }>(statement);
    for (const row of answer.rows) found.add(storedKey(projectId, row.uuid));
    if (!('lacking' in answer)) continue;
    for (const row of answer.unsettled) unsettled.add(storedKey(projectId, row.uuid));
    lacking = Math.max(lacking, answer.lacking);
  }
  return { found, unsettled, lacking };
}

/** A condition on what can hold the events, with its values. */
interface Ranges {
  condition: string;
  params: Record<'days' | 'names' | 'ids', string[]>;
}

// the store holds cleaned texts, the keys may be raw
const nameOf = ({ event }: StoredKey) => cleanText(event);
const idOf = ({ distinctId }: StoredKey) => cleanText(distinctId);

/** The ranges of each event. */
function exactRanges(keys: readonly StoredKey[]): Ranges {
  const ranges = keys.flatMap((key) =>
    daysOf(key.timestamp).map((day) => ({ day: dateOf(day), name: nameOf(key), id: idOf(key) })),
  );
  return {
    condition: `(toDate(timestamp), event, cityHash64(distinct_id)) in (
      select one.1, one.2, cityHash64(one.3)
      from (select arrayJoin(arrayZip({days:Array(Date)}, {names:Array(String)}, {ids:Array(String)})) as one))`,
    params: { days: ranges.map(({ day }) => day), names: ranges.map(({ name }) => name), ids: ranges.map(({ id }) => id) },
  };
}

/** All ranges of any of the days, names and distinct ids together. */
function allRanges(keys: readonly StoredKey[]): Ranges {
  const days = [...new Set(keys.flatMap(({ timestamp }) => daysOf(timestamp)))].map(dateOf);
  const names = [...new Set(keys.map(nameOf))];
  const ids = [...new Set(keys.map(idOf))];
  const byName = names.length <= MAX_NARROWING ? 'and event in {names:Array(String)}' : '';
  const byId =
    ids.length <= MAX_NARROWING
      ? 'and cityHash64(distinct_id) in (select arrayJoin(arrayMap(id -> cityHash64(id), {ids:Array(String)})))'
      : '';
  return { condition: `toDate(timestamp) in {days:Array(Date)} ${byName} ${byId}`, params: { days, names, ids } };
}

/** Key of an event in the result of {@link findStored}. */
export const storedKey = (projectId: number, uuid: string): string => `${projectId}:${uuid.toLowerCase()}`;
export const storedKeyOf = ({ request, event }: Item): string => storedKey(request.capture.project.id, event.uuid);

function byProject(keys: readonly StoredKey[]): Map<number, StoredKey[]> {
  const groups = new Map<number, StoredKey[]>();
  for (const key of keys) {
    const group = groups.get(key.projectId);
    if (group) group.push(key);
    else groups.set(key.projectId, [key]);
  }
  return groups;
}

/** A retry repeats its `sent_at`, so its corrected time is later than that of the first attempt by the delay between both. */
const LATER_MS = DAY_MS;
const EARLIER_MS = DAY_MS / 24;
/** The engine's days begin in 1970 and end in 2149. */
const LAST_DAY = 65_535;

/** The days in which an event with this corrected time may be stored, each once, as days since 1970. @param timestamp epoch milliseconds */
export const daysOf = (timestamp: number): number[] => {
  const times = [timestamp - LATER_MS, timestamp, timestamp + EARLIER_MS];
  return [...new Set(times.map((time) => Math.min(Math.max(Math.floor(time / DAY_MS), 0), LAST_DAY)))];
};

/** Such as `2026-10-15`. @param day days since 1970 */
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The newest events inserted since `since` (epoch milliseconds), newest first, at most `limit`. */
export async function storedSince(
  events: EventsStore,
  since: number,
  limit: number,
): Promise<{ project_id: number; uuid: string; taken_at: number }[]> {
  const { rows } = await events.query<{ project_id: number; uuid: string; taken_at: number }>({
    // events with older timestamps are left to lookups, so that their partitions need not be read
    sql: `select project_id, uuid, toUnixTimestamp64Milli(inserted_at) as taken_at from events
      where inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
        and toDate(timestamp) >= toDate(fromUnixTimestamp64Milli({since:Int64}, 'UTC')) - 2
      order by inserted_at desc limit {limit:UInt32}`,
    params: { since, limit },
    maxSeconds: 10,
  });
  return rows;
}
