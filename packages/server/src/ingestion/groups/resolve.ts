import type { Deps } from '../../deps.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { createTurns, type Turns } from '../../kernel/turns.js';
import type { GroupRow } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import { cleanText, storableValue } from '../storable.js';
import { groupTypes, MAX_GROUP_TYPES } from './group-types.js';
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

/** Names of group types, of each project, that suffice to assign all free indexes: at most five of them have one. */
const ENOUGH_NAMES = 2 * MAX_GROUP_TYPES;
/** Work between two yields to the event loop, in characters of properties: a few milliseconds. */
const TURN_EFFORT = 256 * 1024;
/** Effort of an event, and of one of its memberships. */
const TASK_EFFORT = 200;
const MEMBERSHIP_EFFORT = 50;
/** Effort of a property besides its characters. */
const NAME_EFFORT = 30;

/**
 * Resolves the group keys of the events by type index, assigns indexes to new types, and stores the properties of `$groupidentify`. Events of
 * known types without properties need no database.
 * @throws the database's error when the database is unavailable
 */
export async function resolveGroups(
  {
    db,
    clock,
    scheduler,
    services,
  }: Pick<Deps, 'db' | 'clock' | 'scheduler'> & { services: Pick<Deps['services'], 'groupTypes'> },
  tasks: readonly GroupTask[],
): Promise<GroupBatch> {
  const wanted = wantedTypes(tasks);
  if (wanted.size === 0) return { resolved: tasks.map(noGroups), groups: [], outboxIds: [] };
  const now = clock.now();
  const types = await groupTypes({ db, cache: services.groupTypes, now }, wanted);
  const indexOf = (projectId: number, type: string) => types.get(projectId)?.get(nameOf(type));
  const sets = await mergeSets(tasks, indexOf, scheduler);
  const changed = sets.length > 0 ? await upsertGroups({ db, scheduler }, now, MAX_PROPERTIES, sets) : [];
  const turns = createTurns(scheduler, TURN_EFFORT);
  const groups: GroupRow[] = [];
  for (const group of changed) {
    if (turns.isOver(group.properties.length)) await turns.next();
    groups.push(groupRow(group));
  }
  const resolved: GroupKeys[] = [];
  for (const task of tasks) {
    const { keys, effort } = answerOf(task, indexOf);
    resolved.push(keys);
    if (turns.isOver(effort)) await turns.next();
  }
  return { resolved, groups, outboxIds: changed.map((group) => group.outbox_id) };
}

const noGroups = (): GroupKeys => ['', '', '', '', ''];
const nameOf = (text: string): string => cleanText(text.slice(0, MAX_KEY));

/** Type names by project, in the order of the events; of each project the first ones that suffice. */
function wantedTypes(tasks: readonly GroupTask[]): Map<number, Set<string>> {
  const wanted = new Map<number, Set<string>>();
  for (const { projectId, memberships, identify } of tasks) {
    let names = wanted.get(projectId);
    const want = (type: string) => {
      if (type === '') return;
      names ??= new Set();
      names.add(nameOf(type));
    };
    for (const type in memberships) {
      if (names && names.size >= ENOUGH_NAMES) break;
      want(type);
    }
    if (identify && (names?.size ?? 0) < ENOUGH_NAMES) want(identify.type);
    if (names) wanted.set(projectId, names);
  }
  return wanted;
}

type IndexOf = (projectId: number, type: string) => number | undefined;

function answerOf({ projectId, memberships }: GroupTask, indexOf: IndexOf): { keys: GroupKeys; effort: number } {
  const keys = noGroups();
  let effort = TASK_EFFORT;
  for (const type in memberships) {
    effort += MEMBERSHIP_EFFORT;
    const index = indexOf(projectId, type);
    if (index !== undefined) keys[index] = nameOf(memberships[type] ?? '');
  }
  return { keys, effort };
}

/** A group of the batch while its properties are merged; `size` is an upper bound of their JSON text, in characters. */
interface MergedGroup extends Omit<GroupValues, 'set'> {
  set: Map<string, Json>;
  size: number;
}

/** Merges the properties of each group in the batch, later events over earlier ones; a set that would be too large is ignored. */
async function mergeSets(tasks: readonly GroupTask[], indexOf: IndexOf, scheduler: Scheduler): Promise<GroupValues[]> {
  const groups = new Map<string, MergedGroup>();
  const turns = createTurns(scheduler, TURN_EFFORT);
  for (const { projectId, timestamp, identify } of tasks) {
    const index = identify ? indexOf(projectId, identify.type) : undefined;
    const key = identify ? nameOf(identify.key) : '';
    if (!identify || index === undefined || key === '') continue;
    const id = `${projectId}:${index}:${key}`;
    const group = groups.get(id) ?? { projectId, index, key, set: new Map(), size: EMPTY, timestamp };
    groups.set(id, group);
    const { entries, length } = await storableEntries(identify.set, turns);
    if (turns.isOver(TASK_EFFORT + putAll(group, entries, length))) await turns.next();
  }
  const sets: GroupValues[] = [];
  for (const { size, set, ...group } of groups.values()) {
    if (turns.isOver(TASK_EFFORT + size)) await turns.next();
    sets.push({ ...group, set: textOf(set) });
  }
  return sets;
}

/** Length of the JSON text of no properties. */
const EMPTY = 2;

const textOf = (set: Iterable<readonly [string, Json]>): string => JSON.stringify(Object.fromEntries(set));

/** The properties as `jsonb` accepts them; `length` is that of their JSON text. */
async function storableEntries(set: JsonObject, turns: Turns): Promise<{ entries: [string, Json][]; length: number }> {
  const entries: [string, Json][] = [];
  let length = EMPTY;
  for (const key in set) {
    const name = cleanText(key);
    const value = storableValue(set[key] ?? null, 1);
    entries.push([name, value]);
    // a colon and a comma
    const own = JSON.stringify(name).length + JSON.stringify(value).length + 2;
    length += own;
    if (turns.isOver(own + NAME_EFFORT)) await turns.next();
  }
  return { entries, length };
}

/** Puts the properties into the group unless it would be too large. Returns the characters written on the way. */
function putAll(group: MergedGroup, entries: readonly [string, Json][], length: number): number {
  if (group.size + length > MAX_PROPERTIES) {
    const merged = new Map(group.set);
    for (const [name, value] of entries) merged.set(name, value);
    const size = textOf(merged).length;
    if (size <= MAX_PROPERTIES) {
      group.set = merged;
      group.size = size;
    }
    return size;
  }
  for (const [name, value] of entries) group.set.set(name, value);
  group.size += length;
  return 0;
}
