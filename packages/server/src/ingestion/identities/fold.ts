import type { JsonObject } from '../../kernel/json.js';
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.js';
import type { IngestionWarning } from '../capture.js';
import { applyProperties, joinProperties, NO_PROPERTIES, type Properties } from './apply-properties.js';
import { type Ask, hasUpdates } from './ask.js';
import { isIllegalForMerge } from './illegal-id.js';
import { personUuid } from './person-uuid.js';
import { type PersonState, type Picture, survivor, World, type WorldChanges } from './picture.js';
import type { PersonAnswer } from './types.js';

/** What the tasks of a batch come to: answers in their order, and what is to be written. */
export interface Folded extends WorldChanges {
  answers: PersonAnswer[];
  warnings: IngestionWarning[];
}

/**
 * An event without a profile may be taken in just after the event that made the profile; only from then on it is the
 * profile's.
 */
const OUT_OF_ORDER_MS = 60_000;
/** The event loop gets a turn after so many tasks: a few milliseconds. */
const STRETCH = 200;

/** Follows the tasks in order from what the database holds: the same picture and tasks always give the same. */
export async function fold(picture: Picture, asks: readonly Ask[]): Promise<Folded> {
  const world = new World(picture);
  const warnings: IngestionWarning[] = [];
  const owners: Owner[] = [];
  for (const ask of asks) {
    if (owners.length % STRETCH === STRETCH - 1) await yieldToEventLoop();
    owners.push(ask.task.processProfile ? follow(world, ask, warnings) : lookOn(world, ask));
  }
  const answers = owners.map(({ person, mode }): PersonAnswer => {
    return { personId: typeof person === 'string' ? person : survivor(person).uuid, mode };
  });
  return { answers, warnings, ...world.changes() };
}

type Owner = { person: PersonState | string; mode: PersonAnswer['mode'] };

/** An event without a profile: belongs to the person if there is one, and changes nothing. */
function lookOn(world: World, { task, key, distinctId }: Ask): Owner {
  const person = world.find(key);
  if (!person) return { person: personUuid(task.projectId, distinctId), mode: 'propertyless' };
  return { person, mode: task.timestamp > person.createdAt + OUT_OF_ORDER_MS ? 'full' : 'propertyless' };
}

function follow(world: World, ask: Ask, warnings: IngestionWarning[]): Owner {
  const refusal = ask.source ? merge(world, ask, ask.source) : null;
  if (refusal) warnings.push(refusal);
  const person = world.find(ask.key) ?? create(world, ask);
  if (ask.task.identifies && !isIllegalForMerge(ask.distinctId)) identify(person);
  const warning = hasUpdates(ask.task) ? update(person, ask) : null;
  if (warning) warnings.push(warning);
  return { person, mode: 'full' };
}

function create(world: World, { task, key, distinctId }: Ask): PersonState {
  const { projectId, timestamp } = task;
  const uuid = personUuid(projectId, distinctId);
  const person = world.create({ projectId, uuid, createdAt: timestamp, properties: NO_PROPERTIES });
  world.attach(key, { projectId, distinctId, person });
  return person;
}

/** Makes the persons of the two ids one. Answers with a warning when that is refused. */
function merge(world: World, ask: Ask, from: NonNullable<Ask['source']>): IngestionWarning | null {
  const { task, key, distinctId } = ask;
  if (from.key === key) return null;
  const illegal = [distinctId, from.distinctId].find(isIllegalForMerge);
  if (illegal !== undefined) {
    const other = illegal === distinctId ? from.distinctId : distinctId;
    return warning(ask, 'cannot_merge_with_illegal_distinct_id', { illegalDistinctId: illegal, otherDistinctId: other });
  }
  const source = world.find(from.key);
  const target = world.find(key);
  if (source && target) {
    if (source === target) return null;
    if (source.isIdentified && !task.merge?.force) {
      return warning(ask, 'cannot_merge_already_identified', {
        sourcePersonDistinctId: from.distinctId,
        targetPersonDistinctId: distinctId,
      });
    }
    join(source, target);
  } else if (source) {
    world.attach(key, { projectId: task.projectId, distinctId, person: source });
  } else {
    const person = target ?? create(world, ask);
    world.attach(from.key, { projectId: task.projectId, distinctId: from.distinctId, person });
  }
  return null;
}

function join(source: PersonState, target: PersonState): void {
  target.properties = joinProperties(known(source), known(target));
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

function update(person: PersonState, ask: Ask): IngestionWarning | null {
  const next = applyProperties(known(person), ask.task);
  if (next === null) return null;
  if (next === 'too_large') return warning(ask, 'message_size_too_large', { reason: 'person_properties' });
  person.properties = next;
  person.changed = true;
  return null;
}

function known(person: PersonState): Properties {
  if (!person.properties) throw new Error('the properties of a person to be changed were not fetched');
  return person.properties;
}

function warning({ task, distinctId }: Ask, type: IngestionWarning['type'], details: JsonObject): IngestionWarning {
  return { projectId: task.projectId, type, details: { eventUuid: task.uuid, event: task.event, distinctId, ...details } };
}
