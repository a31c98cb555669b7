import type { Caches } from '../../caches/index.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { createTurns } from '../../kernel/turns.js';
import type { Db } from '../../ports/db.js';
import type { Scheduler } from '../../ports/system.js';
import { type Properties, propertiesOf } from './apply-properties.js';
import type { NormalizedTask } from './person-task.js';
import { type FoundPerson, findPersons, loadPersonRows } from './store.js';
import type { StoredPerson } from './unit-of-work.js';
import { OptimisticLockError } from './write.js';

/** Characters of properties that are parsed between two yields to the event loop: about 5 ms. */
const CHARACTERS_PER_TURN = 256 * 1024;

/**
 * Loads the persons of all distinct ids of the batch: one statement, and a second one for persons that may change and whose properties are
 * not in the cache.
 * @throws OptimisticLockError a person was deleted between the two statements
 */
export async function loadPersons(
  { db, scheduler }: { db: Db; scheduler: Scheduler },
  cache: PropertyCache,
  tasks: readonly NormalizedTask[],
): Promise<Map<string, StoredPerson>> {
  const mentions = distinctIdsOf(tasks);
  const found = await findPersons(db, mentions.projectIds, mentions.distinctIds);
  const persons = new Map<number, StoredPerson>();
  const missing = new Set<number>();
  for (const row of found) {
    if (!persons.has(row.id)) persons.set(row.id, personOf(row));
    const person = persons.get(row.id);
    if (!person || person.properties || !mentions.mayChange[row.n - 1]) continue;
    person.properties = cache.get(row.id, row.version);
    if (!person.properties) missing.add(row.id);
  }
  if (missing.size > 0) {
    const loaded = await loadPersonRows(db, [...missing]);
    if (loaded.length < missing.size) throw new OptimisticLockError();
    const turns = createTurns(scheduler, CHARACTERS_PER_TURN);
    for (const row of loaded) {
      if (turns.isOver(row.properties.length)) await turns.next();
      const properties = parsed(row.properties);
      cache.put(row.id, row.version, properties);
      persons.set(row.id, { ...personOf(row), properties });
    }
  }
  const snapshot = new Map<string, StoredPerson>();
  for (const row of found) {
    const key = mentions.keys[row.n - 1];
    const person = persons.get(row.id);
    if (key !== undefined && person) snapshot.set(key, person);
  }
  return snapshot;
}

/** The distinct ids of the batch, each once, in parallel arrays (for `unnest`). */
function distinctIdsOf(tasks: readonly NormalizedTask[]) {
  const index = new Map<string, number>();
  const keys: string[] = [];
  const projectIds: number[] = [];
  const distinctIds: string[] = [];
  const mayChange: boolean[] = [];
  const mention = (key: string, projectId: number, distinctId: string, changes: boolean) => {
    const at = index.get(key);
    if (at !== undefined) {
      if (changes) mayChange[at] = true;
      return;
    }
    index.set(key, keys.length);
    keys.push(key);
    projectIds.push(projectId);
    distinctIds.push(distinctId);
    mayChange.push(changes);
  };
  for (const { task, key, distinctId, source, mayChange } of tasks) {
    mention(key, task.projectId, distinctId, mayChange);
    if (source) mention(source.key, task.projectId, source.distinctId, true);
  }
  return { keys, projectIds, distinctIds, mayChange };
}

const personOf = (row: Omit<FoundPerson, 'n'>): StoredPerson => ({
  id: row.id,
  projectId: row.project_id,
  uuid: row.uuid,
  version: row.version,
  createdAt: row.created_at,
  isIdentified: row.is_identified,
  properties: null,
});

function parsed(text: string): Properties {
  const value: unknown = JSON.parse(text);
  const values: JsonObject = isObject(value) ? value : {};
  // `text.length` over-estimates: jsonb::text adds spaces
  return propertiesOf(values, text.length);
}

/** Limit of the cache in characters of JSON; parsed objects take a few times as many bytes. */
const MAX_SIZE = 12 * 1024 * 1024;
/** Size of an entry besides its properties. */
const ENTRY_SIZE = 200;

/**
 * Cache of properties by person and version. A version's properties never change, and every batch reads the versions from the database, so
 * an entry is never stale, whichever server writes the person.
 */
export interface PropertyCache {
  get(id: number, version: number): Properties | null;
  put(id: number, version: number, properties: Properties): void;
}

export function createPropertyCache(caches: Caches): PropertyCache {
  const entries = caches.create<number, { version: number; properties: Properties }>({
    name: 'person_properties',
    max: { bytes: MAX_SIZE, bytesOf: ({ properties }) => properties.size + ENTRY_SIZE },
  });
  return {
    get: (id, version) => {
      const entry = entries.get(id);
      return entry?.version === version ? entry.properties : null;
    },
    put: (id, version, properties) => entries.set(id, { version, properties }),
  };
}
