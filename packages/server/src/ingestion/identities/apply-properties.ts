import type { Json, JsonObject } from '../../kernel/json.js';
import { initialValues, passingNames } from '../passing.js';
import { cleanText } from '../storable.js';
import { hasKey, sameJson, storableValue } from '../storable-value.js';
import { isNoisyProperty } from './noisy-property.js';
import type { PersonTask } from './types.js';

/** Most characters of JSON that the properties of one person may have: without a bound one id could grow for ever. */
export const MAX_PROPERTIES = 512 * 1024;

/** What an event changes about its person. */
type Changes = Pick<PersonTask, 'event' | 'passing' | 'set' | 'setOnce' | 'unset'>;

/** The properties of a person, and at least how many characters of JSON they are. */
export interface Properties {
  values: JsonObject;
  size: number;
  /** See {@link passingNames}. */
  passing: number;
}

export const propertiesOf = (values: JsonObject, size: number): Properties => ({ values, size, passing: passingNames(values) });

export const NO_PROPERTIES = propertiesOf({}, 2);

/** Events that are sent to change the person: what they set is never noise. */
const PERSON_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$set']);

/**
 * What the event makes of the properties: `$set_once` where there is nothing, then `$set`, then `$unset`. Null when that
 * is nothing worth writing; `too_large` when it would pass {@link MAX_PROPERTIES}, and then none of it counts.
 */
export function applyProperties(current: Properties, task: Changes): Properties | 'too_large' | null {
  if (saysNothingNew(current, task)) return null;
  const { values } = current;
  const changes = changesOf(values, {
    set: { ...task.passing.values, ...task.set },
    setOnce: { ...initialValues(task.passing), ...task.setOnce },
  });
  const unset = task.unset.map(cleanText);
  for (const key of unset) changes?.delete(key);
  const gone = unset.filter((key) => hasKey(values, key));
  if (gone.length === 0 && !isWorthWriting(values, changes, task.event)) return null;
  const next = Object.fromEntries([...Object.entries(values), ...(changes ?? [])]);
  for (const key of gone) delete next[key];
  return bounded(next, current.size + sizeOf(Object.fromEntries(changes ?? [])));
}

/** S's properties under T's; S's are left out when both together are too many. */
export function joinProperties(source: Properties, target: Properties): Properties {
  const joined = bounded({ ...source.values, ...target.values }, source.size + target.size);
  return joined === 'too_large' ? target : joined;
}

/** Whether it surely makes no change that is worth writing; found out for most events at the least cost. */
function saysNothingNew({ values, passing }: Properties, task: Changes): boolean {
  const { event, set, setOnce, unset } = task;
  if ((task.passing.names & ~passing) !== 0 || unset.length > 0 || PERSON_EVENTS.has(event)) return false;
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

const sizeOf = (values: JsonObject): number => JSON.stringify(values).length;

/** Measures only what may be too large: `atMost` is a bound that costs nothing. */
function bounded(values: JsonObject, atMost: number): Properties | 'too_large' {
  if (atMost <= MAX_PROPERTIES) return propertiesOf(values, atMost);
  const size = sizeOf(values);
  return size <= MAX_PROPERTIES ? propertiesOf(values, size) : 'too_large';
}
