import { checkFilters } from '@tidemark/flags/check';
import { isRegex } from '../../evaluation/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { cycleFrom, type References } from './dependencies.js';

const EVERYBODY: JsonObject = { properties: [], rollout_percentage: null };

/** The filters of a request. Without conditions they get those of `former`; a new flag is on for everybody. */
export const wholeFilters = (filters: JsonObject | undefined, former: JsonObject | null): JsonObject => ({
  groups: former?.['groups'] ?? [EVERYBODY],
  ...filters,
});

/**
 * Requires filters that can be evaluated and refer to existing objects. `id`: number of the flag, null for a new one; `attr`: the field
 * of the error.
 * @throws ApiError invalid_input, with the path to the fault in its text
 */
export function requireSoundFilters(
  filters: JsonObject,
  { flags, cohorts, behavioral, group_types }: References,
  id: number | null,
  attr: 'filters' | 'payload' = 'filters',
): void {
  const refuse = (detail: string): never => {
    throw new ApiError('invalid_input', detail, attr);
  };
  const [fault] = checkFilters(filters, {
    flagKeys: new Set(flags.flatMap((flag) => [String(flag.id), flag.key])),
    cohortIds: new Set(cohorts),
    groupTypes: new Set(group_types),
    isRegex,
  });
  if (fault) refuse(`${fault.path}: ${fault.message}`);
  const path = pathTo(filters, behavioral);
  if (path) refuse(`${path}: This cohort asks what people did. Flags know only properties of people, and lists.`);
  if (id === null) return;
  const cycle = cycleFrom(id, dependenciesOf(filters), flags);
  if (cycle) refuse(`groups: The flag would depend on itself: ${cycle.join(' → ')}.`);
}

/** The path to the first of these cohorts in filters; undefined: none. */
function pathTo(filters: JsonObject, cohorts: ReadonlySet<number>): string | undefined {
  const isNamed = ({ type, value }: JsonObject): boolean =>
    type === 'cohort' && [value ?? null].flat().some((one) => cohorts.has(Number(one)));
  const places = ['groups', 'super_groups'].flatMap((list) =>
    objects(filters[list]).flatMap(({ properties }, group) =>
      objects(properties).flatMap((one, index) => (isNamed(one) ? [`${list}[${group}].properties[${index}].value`] : [])),
    ),
  );
  return places[0];
}

/** The flags that filters depend on, by number (as text) or key. */
export function dependenciesOf({ groups }: JsonObject): string[] {
  const named = objects(groups).flatMap(({ properties }) => objects(properties).filter(isDependency));
  return named.flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
}

/** Filters that refer to flags by number, because keys can change. */
export function withFlagNumbers(filters: JsonObject, { flags }: References): JsonObject {
  const { groups } = filters;
  if (!Array.isArray(groups) || dependenciesOf(filters).length === 0) return filters;
  const ids = new Map(flags.map(({ id, key }) => [key, String(id)]));
  for (const { id } of flags) ids.set(String(id), String(id));
  const property = (one: Json): Json =>
    isObject(one) && isDependency(one) && typeof one['key'] === 'string'
      ? { ...one, key: ids.get(one['key']) ?? one['key'] }
      : one;
  const condition = (one: Json): Json =>
    isObject(one) && Array.isArray(one['properties']) ? { ...one, properties: one['properties'].map(property) } : one;
  return { ...filters, groups: groups.map(condition) };
}

const isDependency = ({ type }: JsonObject): boolean => type === 'flag';

const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
