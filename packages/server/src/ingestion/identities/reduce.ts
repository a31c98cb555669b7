import { countKeys, type JsonObject } from '../../kernel/json.js';
import type { Scheduler } from '../../ports/system.js';
import type { IngestionWarning } from '../capture.js';
import { applyProperties, mergeProperties, NO_PROPERTIES, type Properties } from './apply-properties.js';
import { hasUpdates, isIllegalForMerge, type NormalizedTask, personUuid, type ResolvedPerson } from './person-task.js';
import { type PersonChanges, type PersonState, type Snapshot, survivor, UnitOfWork } from './unit-of-work.js';

/** Result of a batch: a resolved person for each task, in order, and the changes to write. */
export interface ReducedBatch extends PersonChanges {
  resolved: ResolvedPerson[];
  warnings: IngestionWarning[];
}

/**
 * Tolerance for events that arrive out of order: an event without a profile counts as the profile's only if it is this much newer than the
 * profile.
 */
const OUT_OF_ORDER_MS = 60_000;
/** Effort between two yields to the event loop, in properties: a few milliseconds. */
const TURN_EFFORT = 2000;
/** Effort of a task without properties. */
const TASK_EFFORT = 10;
/** Characters of a changed person's properties that cost as much to copy as one property of a task to apply. */
const COPIED_CHARACTERS = 200;

/** Properties of a person that one event may set: more would hold the event loop for longer than 50 ms. */
const MAX_NAMES = 20_000;

/** Applies the tasks in order to the snapshot. Pure: equal snapshots and tasks give equal results. */
export async function reduceTasks(
  snapshot: Snapshot,
  tasks: readonly NormalizedTask[],
  scheduler: Scheduler,
): Promise<ReducedBatch> {
  const work = new UnitOfWork(snapshot);
  const warnings: IngestionWarning[] = [];
  const owners: Owner[] = [];
  for (const normalized of tasks) {
    if (work.effort >= TURN_EFFORT) {
      await scheduler.yield();
      work.effort = 0;
    }
    work.effort += TASK_EFFORT;
    const { processProfile } = normalized.task;
    owners.push(processProfile ? resolveWithProfile(work, normalized, warnings) : resolveWithoutProfile(work, normalized));
  }
  const resolved = owners.map(({ person, mode }): ResolvedPerson => {
    return { personId: typeof person === 'string' ? person : survivor(person).uuid, mode };
  });
  return { resolved, warnings, ...work.changes() };
}

type Owner = { person: PersonState | string; mode: ResolvedPerson['mode'] };

/** An event with `$process_person_profile: false` belongs to an existing person but changes nothing. */
function resolveWithoutProfile(work: UnitOfWork, { task, key, distinctId }: NormalizedTask): Owner {
  const person = work.find(key);
  if (!person) return { person: personUuid(task.projectId, distinctId), mode: 'propertyless' };
  return { person, mode: task.timestamp > person.createdAt + OUT_OF_ORDER_MS ? 'full' : 'propertyless' };
}

function resolveWithProfile(work: UnitOfWork, normalized: NormalizedTask, warnings: IngestionWarning[]): Owner {
  const { task, key, distinctId, source } = normalized;
  const mergeWarning = source ? merge(work, normalized, source) : null;
  if (mergeWarning) warnings.push(mergeWarning);
  const person = work.find(key) ?? create(work, normalized);
  if (task.identifies && !isIllegalForMerge(distinctId)) identify(person);
  const updateWarning = hasUpdates(task) ? update(work, person, normalized) : null;
  if (updateWarning) warnings.push(updateWarning);
  return { person, mode: 'full' };
}

function create(work: UnitOfWork, { task, key, distinctId }: NormalizedTask): PersonState {
  const { projectId, timestamp } = task;
  const uuid = personUuid(projectId, distinctId);
  const person = work.create({ projectId, uuid, createdAt: timestamp, properties: NO_PROPERTIES });
  work.link(key, { projectId, distinctId, person });
  return person;
}

/** Merges the persons of both ids. Returns a warning if the merge is rejected. */
function merge(
  work: UnitOfWork,
  normalized: NormalizedTask,
  from: NonNullable<NormalizedTask['source']>,
): IngestionWarning | null {
  const { task, key, distinctId } = normalized;
  if (from.key === key) return null;
  const illegal = [distinctId, from.distinctId].find(isIllegalForMerge);
  if (illegal !== undefined) {
    const other = illegal === distinctId ? from.distinctId : distinctId;
    return warning(normalized, 'cannot_merge_with_illegal_distinct_id', { illegalDistinctId: illegal, otherDistinctId: other });
  }
  const source = work.find(from.key);
  const target = work.find(key);
  if (source && target) {
    if (source === target) return null;
    if (source.isIdentified && !task.merge?.force) {
      return warning(normalized, 'cannot_merge_already_identified', {
        sourcePersonDistinctId: from.distinctId,
        targetPersonDistinctId: distinctId,
      });
    }
    mergePersons(work, source, target);
  } else if (source) {
    work.link(key, { projectId: task.projectId, distinctId, person: source });
  } else {
    const person = target ?? create(work, normalized);
    work.link(from.key, { projectId: task.projectId, distinctId: from.distinctId, person });
  }
  return null;
}

function mergePersons(work: UnitOfWork, source: PersonState, target: PersonState): void {
  const [from, to] = [loadedProperties(source), loadedProperties(target)];
  work.effort += copyEffort(from) + copyEffort(to);
  target.properties = mergeProperties(from, to);
  target.createdAt = Math.min(source.createdAt, target.createdAt);
  target.isIdentified = true;
  target.changed = true;
  source.mergedInto = target;
}

function identify(person: PersonState): void {
  if (person.isIdentified) return;
  person.isIdentified = true;
  person.changed = true;
}

function update(work: UnitOfWork, person: PersonState, normalized: NormalizedTask): IngestionWarning | null {
  const { task } = normalized;
  const current = loadedProperties(person);
  const names = countKeys(task.set) + countKeys(task.setOnce);
  if (names > MAX_NAMES) return warning(normalized, 'message_size_too_large', { reason: 'person_properties' });
  work.effort += names + task.unset.length;
  const next = applyProperties(current, task);
  if (next === null) return null;
  work.effort += copyEffort(current);
  if (next === 'too_large') return warning(normalized, 'message_size_too_large', { reason: 'person_properties' });
  person.properties = next;
  person.changed = true;
  return null;
}

const copyEffort = ({ size }: Properties): number => size / COPIED_CHARACTERS;

function loadedProperties(person: PersonState): Properties {
  if (!person.properties) throw new Error('the properties of a person to be changed were not fetched');
  return person.properties;
}

function warning({ task, distinctId }: NormalizedTask, type: IngestionWarning['type'], details: JsonObject): IngestionWarning {
  return { projectId: task.projectId, type, details: { eventUuid: task.uuid, event: task.event, distinctId, ...details } };
}
