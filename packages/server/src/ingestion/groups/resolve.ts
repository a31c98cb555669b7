import type { Deps } from '../../deps.js';
import type { JsonObject } from '../../kernel/json.js';
import type { GroupRow } from '../../ports/events.js';
import { cleanText, storableObject } from '../storable.js';
import { groupTypes } from './group-types.js';
import { type GroupValues, groupRow, upsertGroups } from './store.js';

/** The part of one event that concerns groups: its memberships, and the properties of at most one group. Tasks stand in the order of the events. */
export interface GroupTask {
  projectId: number;
  /** Epoch milliseconds, UTC. */
  timestamp: number;
  /** `$groups`: group type to key. */
  memberships: Record<string, string>;
  /** The group of a `$groupidentify` event. */
  identify: { type: string; key: string; set: JsonObject } | null;
}

/** The group keys of the event by group type index (0..4); empty text where it has none. */
export type GroupKeys = [string, string, string, string, string];

export interface GroupBatch {
  resolved: GroupKeys[];
  groups: GroupRow[];
  outboxIds: number[];
}

/** Limit of a group key or type name, in characters. */
const MAX_KEY = 400;
/** Limit of the JSON text of one group's properties, in characters. */
export const MAX_PROPERTIES = 512 * 1024;

/**
 * Resolves the group keys of the events by type index, assigns indexes to new types, and stores the properties of `$groupidentify`. Events of
 * known types without properties need no database.
 * @throws the database's error when the database is unavailable
 */
export async function resolveGroups(
  { db, clock, services }: Pick<Deps, 'db' | 'clock'> & { services: Pick<Deps['services'], 'groupTypes'> },
  tasks: readonly GroupTask[],
): Promise<GroupBatch> {
  const wanted = wantedTypes(tasks);
  if (wanted.size === 0) return { resolved: tasks.map(noGroups), groups: [], outboxIds: [] };
  const now = clock.now();
  const types = await groupTypes({ db, cache: services.groupTypes, now }, wanted);
  const indexOf = (projectId: number, type: string) => types.get(projectId)?.get(nameOf(type));
  const sets = mergeSets(tasks, indexOf);
  const changed = sets.length > 0 ? await upsertGroups(db, now, MAX_PROPERTIES, sets) : [];
  return {
    resolved: tasks.map((task) => answerOf(task, indexOf)),
    groups: changed.map(groupRow),
    outboxIds: changed.map((group) => group.outbox_id),
  };
}

const noGroups = (): GroupKeys => ['', '', '', '', ''];
const nameOf = (text: string): string => cleanText(text.slice(0, MAX_KEY));

/** Type names by project, in the order of the events. */
function wantedTypes(tasks: readonly GroupTask[]): Map<number, Set<string>> {
  const wanted = new Map<number, Set<string>>();
  const want = (projectId: number, type: string) => {
    if (type === '') return;
    const names = wanted.get(projectId) ?? new Set();
    wanted.set(projectId, names.add(nameOf(type)));
  };
  for (const { projectId, memberships, identify } of tasks) {
    for (const type in memberships) want(projectId, type);
    if (identify) want(projectId, identify.type);
  }
  return wanted;
}

type IndexOf = (projectId: number, type: string) => number | undefined;

function answerOf({ projectId, memberships }: GroupTask, indexOf: IndexOf): GroupKeys {
  const answer = noGroups();
  for (const type in memberships) {
    const index = indexOf(projectId, type);
    if (index !== undefined) answer[index] = nameOf(memberships[type] ?? '');
  }
  return answer;
}

/** Merges the properties of each group in the batch, later events over earlier ones; a set that would be too large is ignored. */
function mergeSets(tasks: readonly GroupTask[], indexOf: IndexOf): GroupValues[] {
  const groups = new Map<string, Omit<GroupValues, 'set'> & { set: JsonObject }>();
  for (const { projectId, timestamp, identify } of tasks) {
    const index = identify ? indexOf(projectId, identify.type) : undefined;
    const key = identify ? nameOf(identify.key) : '';
    if (!identify || index === undefined || key === '') continue;
    const id = `${projectId}:${index}:${key}`;
    const group = groups.get(id) ?? { projectId, index, key, set: {}, timestamp };
    const set = storableObject({ ...group.set, ...identify.set });
    groups.set(id, JSON.stringify(set).length > MAX_PROPERTIES ? group : { ...group, set });
  }
  return [...groups.values()].map((group) => ({ ...group, set: JSON.stringify(group.set) }));
}
