import type { Environment, Subject } from '@tidemark/flags';
import { propertiesNeeded } from '@tidemark/flags/needs';
import { createCaches } from '../caches/index.js';
import type { Deps } from '../deps.js';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import type { Definitions } from './definitions.js';
import { createRegexSearch } from './regexes.js';
import type { FlagsRequest } from './routes/flags-request.js';
import type { Selection } from './selection.js';
import type { GroupRow, PersonRow } from './store.js';
import { createStoredSubjects, type StoredSubjects } from './stored-subjects.js';

/** Overrides of the subject in a request. */
export type SubjectOverrides = Pick<
  FlagsRequest,
  'anonDistinctId' | 'deviceId' | 'groups' | 'personProperties' | 'groupProperties'
> & {
  distinctId: string;
  /** GeoIP properties; null: unknown. */
  geoip: JsonObject | null;
};

/** A subject, and which of its data could not be read. */
interface FoundSubject {
  subject: Subject;
  /** Whether hash keys could not be read. */
  hashKeysUnknown: boolean;
  /** Whether all stored data was found; it then stays cached for some seconds. */
  isCacheable: boolean;
}

/**
 * Assembles the subject of an evaluation: overrides of the request win over stored properties, which are read only if a flag needs one that
 * the request lacks.
 */
export async function findSubject(
  stored: StoredSubjects,
  { projectId, groupTypes, byKey }: Definitions,
  { uses }: Pick<Selection, 'uses'>,
  overrides: SubjectOverrides,
  formerId: string | undefined,
): Promise<FoundSubject> {
  const own = overrides.geoip ? { ...overrides.geoip, ...overrides.personProperties } : overrides.personProperties;
  const asksPerson = uses.continuity || uses.memberships.size > 0 || isMissing(uses.person, own);
  const groups = [...overrides.groups].flatMap(([type, key]) => {
    const index = groupTypes.get(type);
    return index === undefined ? [] : [{ index, key, overrides: { $group_key: key, ...overrides.groupProperties.get(type) } }];
  });
  const missing = groups.filter((group) => isMissing(uses.groups.get(group.index) ?? NONE, group.overrides));
  const [person, rows] = await Promise.all([
    // another server may have just stored a hash key
    asksPerson ? stored.person(projectId, overrides.distinctId, uses.continuity) : null,
    missing.length > 0 ? stored.groups(projectId, missing) : [],
  ]);
  return {
    subject: {
      distinctId: overrides.distinctId,
      deviceId: overrides.deviceId ?? undefined,
      hashKey: (flagKey) =>
        hashKey(person, flagKey) ??
        (byKey.get(flagKey)?.ensure_experience_continuity ? (overrides.anonDistinctId ?? formerId) : undefined),
      personProperties: {
        ...initialFromPresent(uses.person, own, person),
        ...pickProperties(uses.person, own, person?.properties ?? {}),
      },
      groups: Object.fromEntries(
        groups.map(({ index, key, overrides }) => {
          const stored = rowOf(rows, index, key)?.properties ?? {};
          return [index, { key, properties: pickProperties(uses.groups.get(index) ?? NONE, overrides, stored) }];
        }),
      ),
      isInStaticCohort: (id) => (person === undefined ? undefined : (person?.cohorts.includes(id) ?? false)),
      incomplete: person === undefined || rows === undefined,
    },
    hashKeysUnknown: uses.continuity && person === undefined,
    isCacheable: !uses.continuity && (!asksPerson || Boolean(person)) && rows?.length === missing.length,
  };
}

const NONE: ReadonlySet<string> = new Set();

function isMissing(names: ReadonlySet<string>, overrides: Readonly<Record<string, unknown>>): boolean {
  for (const name of names) if (!Object.hasOwn(overrides, name)) return true;
  return false;
}

function hashKey(person: PersonRow | null | undefined, flagKey: string): string | undefined {
  return person && Object.hasOwn(person.hash_keys, flagKey) ? person.hash_keys[flagKey] : undefined;
}

const rowOf = (rows: readonly GroupRow[] | undefined, index: number, key: string): GroupRow | undefined =>
  rows?.find((row) => row.group_type_index === index && row.group_key === key);

/** Only the properties that flags use: persons and groups have many more. */
function pickProperties(names: Iterable<string>, overrides: JsonObject, stored: JsonObject): JsonObject {
  const found: [string, Json][] = [];
  for (const name of names) {
    const value = propertyOf(name, overrides, stored);
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

const PATH = /^[^.]+(\.[^.]+)+$/;

/** The property with this name; if there is none and the name has dots, the value at that path, as in queries. */
function propertyOf(name: string, overrides: JsonObject, stored: JsonObject): Json | undefined {
  const own = (key: string): Json | undefined => inside(Object.hasOwn(overrides, key) ? overrides : stored, key);
  const value = own(name);
  if (value !== undefined || !PATH.test(name)) return value;
  const [root = '', ...steps] = name.split('.');
  return steps.reduce(inside, own(root)) ?? undefined;
}

const inside = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

const INITIAL = '$initial_';

/** Defaults of `$initial_*` properties: the present value. None if `person` is undefined (unknown). */
function initialFromPresent(names: ReadonlySet<string>, overrides: JsonObject, person: PersonRow | null | undefined): JsonObject {
  const found: [string, Json][] = [];
  for (const name of person === undefined ? NONE : names) {
    if (!name.startsWith(INITIAL)) continue;
    const plain = name.slice(INITIAL.length);
    const stored = person?.properties ?? {};
    const value = propertyOf(`$${plain}`, overrides, stored) ?? propertyOf(plain, overrides, stored);
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

/** The subject of a test evaluation, which explains why a flag is on or off; groups and their properties by type name. */
type TestedSubject = Pick<SubjectOverrides, 'distinctId'> &
  Partial<Pick<SubjectOverrides, 'deviceId' | 'groups' | 'personProperties' | 'groupProperties'>>;

/** The subject of an evaluation, read without cache; overrides win over stored properties. */
export async function subjectOf(deps: Deps, definitions: Definitions, tested: TestedSubject): Promise<Subject> {
  const overrides: SubjectOverrides = {
    groups: new Map(),
    anonDistinctId: null,
    deviceId: null,
    personProperties: {},
    groupProperties: new Map(),
    geoip: null,
    ...tested,
  };
  const uses = propertiesNeeded(definitions.prepared);
  const { subject } = await findSubject(
    createStoredSubjects(deps, createCaches(deps.clock)),
    definitions,
    { uses },
    overrides,
    undefined,
  );
  return subject;
}

/** The other inputs of one evaluation. */
export const environmentOf = ({ clock, services }: Pick<Deps, 'clock' | 'services'>, { timezone }: Definitions): Environment => ({
  now: clock.now(),
  timeZone: timezone,
  matchesRegex: createRegexSearch(services.compiledRegexes),
});
