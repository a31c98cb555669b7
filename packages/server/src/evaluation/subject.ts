import type { Subject } from '@tidemark/flags';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import type { Definitions } from './make-definitions.js';
import type { FlagsQuestion } from './routes/flags-request.js';
import type { Selection } from './selection.js';
import type { GroupRow, PersonRow } from './store.js';
import type { StoredSubjects } from './stored-subjects.js';

/** What a request says of its subject. */
export type Told = Pick<FlagsQuestion, 'anonDistinctId' | 'deviceId' | 'groups' | 'personProperties' | 'groupProperties'> & {
  distinctId: string;
  /** What is known of where they are. */
  place: JsonObject | null;
};

/** A subject, and whether the database knew nothing of it because it is away. */
export interface FoundSubject {
  subject: Subject;
  /** Whether the ids of former days could not be read. */
  hashKeysUnknown: boolean;
  /** Whether everybody who was looked for is known, and so for some seconds the same. */
  lasts: boolean;
}

/**
 * Puts together for whom flags are evaluated: what the request tells counts before what is stored, and what is stored is read
 * only if a flag asks for something that the request does not tell.
 */
export async function findSubject(
  stored: StoredSubjects,
  { projectId, groupTypes, byKey }: Definitions,
  { uses }: Pick<Selection, 'uses'>,
  told: Told,
  formerId: string | undefined,
): Promise<FoundSubject> {
  const own = told.place ? { ...told.place, ...told.personProperties } : told.personProperties;
  const asksPerson = uses.continuity || uses.memberships.size > 0 || isMissing(uses.person, own);
  const groups = [...told.groups].flatMap(([type, key]) => {
    const index = groupTypes.get(type);
    return index === undefined ? [] : [{ index, key, told: { $group_key: key, ...told.groupProperties.get(type) } }];
  });
  const asked = groups.filter((group) => isMissing(uses.groups.get(group.index) ?? NONE, group.told));
  const [person, rows] = await Promise.all([
    // another server may have just been told who they were before
    asksPerson ? stored.person(projectId, told.distinctId, uses.continuity) : null,
    asked.length > 0 ? stored.groups(projectId, asked) : [],
  ]);
  return {
    subject: {
      distinctId: told.distinctId,
      deviceId: told.deviceId ?? undefined,
      hashKey: (flagKey) =>
        hashKey(person, flagKey) ??
        (byKey.get(flagKey)?.ensure_experience_continuity ? (told.anonDistinctId ?? formerId) : undefined),
      personProperties: { ...firstOf(uses.person, own, person), ...lookedAt(uses.person, own, person?.properties ?? {}) },
      groups: Object.fromEntries(
        groups.map(({ index, key, told: overrides }) => {
          const stored = rowOf(rows, index, key)?.properties ?? {};
          return [index, { key, properties: lookedAt(uses.groups.get(index) ?? NONE, overrides, stored) }];
        }),
      ),
      isInStaticCohort: (id) => (person === undefined ? undefined : (person?.cohorts.includes(id) ?? false)),
      incomplete: person === undefined || rows === undefined,
    },
    hashKeysUnknown: uses.continuity && person === undefined,
    lasts: !uses.continuity && (!asksPerson || Boolean(person)) && rows?.length === asked.length,
  };
}

const NONE: ReadonlySet<string> = new Set();

function isMissing(names: ReadonlySet<string>, told: Readonly<Record<string, unknown>>): boolean {
  for (const name of names) if (!Object.hasOwn(told, name)) return true;
  return false;
}

function hashKey(person: PersonRow | null | undefined, flagKey: string): string | undefined {
  return person && Object.hasOwn(person.hash_keys, flagKey) ? person.hash_keys[flagKey] : undefined;
}

const rowOf = (rows: readonly GroupRow[] | undefined, index: number, key: string): GroupRow | undefined =>
  rows?.find((row) => row.group_type_index === index && row.group_key === key);

/** Only the properties that flags look at: people and groups have many more. */
function lookedAt(names: Iterable<string>, told: JsonObject, stored: JsonObject): JsonObject {
  const found: [string, Json][] = [];
  for (const name of names) {
    const value = propertyOf(name, told, stored);
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

const PATH = /^[^.]+(\.[^.]+)+$/;

/** A dot in a name is part of it; where there is no such property it is a path into objects, as in queries. */
function propertyOf(name: string, told: JsonObject, stored: JsonObject): Json | undefined {
  const own = (key: string): Json | undefined => inside(Object.hasOwn(told, key) ? told : stored, key);
  const value = own(name);
  if (value !== undefined || !PATH.test(name)) return value;
  const [root = '', ...steps] = name.split('.');
  return steps.reduce(inside, own(root)) ?? undefined;
}

const inside = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

const INITIAL = '$initial_';

/** What somebody had first, as long as nothing else is known, is what they have. `person` undefined: nobody knows what is stored. */
function firstOf(names: ReadonlySet<string>, told: JsonObject, person: PersonRow | null | undefined): JsonObject {
  const found: [string, Json][] = [];
  for (const name of person === undefined ? NONE : names) {
    if (!name.startsWith(INITIAL)) continue;
    const plain = name.slice(INITIAL.length);
    const stored = person?.properties ?? {};
    const value = propertyOf(`$${plain}`, told, stored) ?? propertyOf(plain, told, stored);
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}
