import type { Json, JsonObject } from '../../kernel/json.js';
import { devicePropertyMask, initialValues, isNoisyProperty } from '../device-properties.js';
import { cleanText, hasKey, sameJson, storableValue } from '../storable.js';
import type { PersonTask } from './person-task.js';

/** Limit of the JSON text of one person's properties, in characters: without it, events of one id could grow its row for ever. */
export const MAX_PROPERTIES = 512 * 1024;

/** The fields of a task that change its person. */
type Changes = Pick<PersonTask, 'event' | 'device' | 'set' | 'setOnce' | 'unset'>;

/** Properties of a person; `size` is an upper bound of their JSON text, in characters. */
export interface Properties {
  values: JsonObject;
  size: number;
  /** See {@link devicePropertyMask}. */
  deviceMask: number;
}

export const propertiesOf = (values: JsonObject, size: number): Properties => ({
  values,
  size,
  deviceMask: devicePropertyMask(values),
});

export const NO_PROPERTIES = propertiesOf({}, 2);

/** Events whose purpose is to change the person: their changes are written even if only noisy properties differ. */
const PERSON_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$set']);

/**
 * Applies `$set_once` to missing properties, then `$set`, then `$unset`.
 * @returns null if no change is worth a write; `too_large` if the result exceeds {@link MAX_PROPERTIES} (then nothing is applied)
 */
export function applyProperties(current: Properties, task: Changes): Properties | 'too_large' | null {
  if (isNoOp(current, task)) return null;
  const { values } = current;
  const changes = changesOf(values, {
    set: joined(task.device.values, task.set),
    setOnce: joined(initialValues(task.device), task.setOnce),
  });
  const unset = task.unset.map(cleanText);
  for (const key of unset) changes?.delete(key);
  const gone = unset.filter((key) => hasKey(values, key));
  if (gone.length === 0 && !isWorthWriting(values, changes, task.event)) return null;
  const next = Object.fromEntries([...Object.entries(values), ...(changes ?? [])]);
  for (const key of gone) delete next[key];
  // of a person without properties, these are the changes
  const added = current.size === NO_PROPERTIES.size ? next : Object.fromEntries(changes ?? []);
  return bounded(next, current.size + jsonLength(added));
}

/** Both objects in one, the second over the first: a copy only where both have members. */
function joined(first: JsonObject, second: JsonObject): JsonObject {
  for (const _ in first) return { ...first, ...second };
  return second;
}

/** Merges both properties; those of the target win. If both together are too large, the source's are dropped. */
export function mergeProperties(source: Properties, target: Properties): Properties {
  const joined = bounded({ ...source.values, ...target.values }, source.size + target.size);
  return joined === 'too_large' ? target : joined;
}

/** Fast path for most events, without allocation: true only if the event makes no change worth a write. */
function isNoOp({ values, deviceMask }: Properties, task: Changes): boolean {
  const { event, set, setOnce, unset } = task;
  if ((task.device.mask & ~deviceMask) !== 0 || unset.length > 0 || PERSON_EVENTS.has(event)) return false;
  for (const key in setOnce) {
    if (!hasKey(values, key)) return false;
  }
  for (const key in set) {
    if (values[key] !== set[key] && !(isNoisyProperty(key) && hasKey(values, key))) return false;
  }
  return true;
}

function changesOf(values: JsonObject, task: Pick<PersonTask, 'set' | 'setOnce'>): Map<string, Json> | null {
  let changes: Map<string, Json> | null = null;
  const { set, setOnce } = task;
  for (const key in setOnce) {
    if (hasKey(values, key)) continue;
    const name = cleanText(key);
    if (hasKey(values, name)) continue;
    changes ??= new Map();
    changes.set(name, storableValue(setOnce[key] ?? null));
  }
  for (const key in set) {
    const value = set[key] ?? null;
    const name = cleanText(key);
    const clean = storableValue(value);
    if (hasKey(values, name) && sameJson(values[name] ?? null, clean)) continue;
    changes ??= new Map();
    changes.set(name, clean);
  }
  return changes;
}

function isWorthWriting(values: JsonObject, changes: Map<string, Json> | null, event: string): boolean {
  if (!changes) return false;
  if (PERSON_EVENTS.has(event)) return changes.size > 0;
  for (const key of changes.keys()) {
    if (!hasKey(values, key) || !isNoisyProperty(key)) return true;
  }
  return false;
}

const jsonLength = (values: JsonObject): number => JSON.stringify(values).length;

/** Serializes only if the cheap upper bound `atMost` exceeds the limit. */
function bounded(values: JsonObject, atMost: number): Properties | 'too_large' {
  if (atMost <= MAX_PROPERTIES) return propertiesOf(values, atMost);
  const size = jsonLength(values);
  return size <= MAX_PROPERTIES ? propertiesOf(values, size) : 'too_large';
}
