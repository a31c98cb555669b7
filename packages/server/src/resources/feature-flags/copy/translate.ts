import { ApiError } from '../../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { Names } from './store.js';

/**
 * Translates filters of one project for another one, where it finds cohorts, flags and group types by their names.
 * @throws ApiError does_not_exist: the other project has none of the name
 */
export function translateFilters(filters: JsonObject, from: Names, to: Names): JsonObject {
  const condition = (one: Json): Json => {
    if (!isObject(one)) return one;
    const { properties } = one;
    return {
      ...one,
      ...(Array.isArray(properties) ? { properties: properties.map(property) } : {}),
      ...groupTypeOf(one, 'aggregation_group_type_index', from, to),
    };
  };
  const property = (one: Json): Json => {
    if (!isObject(one)) return one;
    if (one['type'] === 'cohort') return { ...one, value: cohortOf(one['value'] ?? null, from, to) };
    if (one['type'] === 'flag') return { ...one, key: flagOf(one['key'] ?? null, from, to) };
    return { ...one, ...groupTypeOf(one, 'group_type_index', from, to) };
  };
  const conditions = Object.entries(filters).filter(([field]) => field === 'groups' || field === 'super_groups');
  return {
    ...filters,
    ...Object.fromEntries(conditions.map(([field, value]) => [field, Array.isArray(value) ? value.map(condition) : value])),
    ...groupTypeOf(filters, 'aggregation_group_type_index', from, to),
  };
}

function cohortOf(value: Json, from: Names, to: Names): Json {
  if (Array.isArray(value)) return value.map((one) => cohortOf(one, from, to));
  const cohort = from.cohorts.find(({ id }) => String(id) === String(value));
  const found = cohort?.name ? to.cohorts.find(({ name }) => name === cohort.name) : undefined;
  return found?.id ?? refuse(`The project has no cohort called ${cohort?.name ?? String(value)}.`);
}

function flagOf(value: Json, from: Names, to: Names): Json {
  const flag = from.flags.find(({ id, key }) => String(id) === value || key === value);
  const found = flag && to.flags.find(({ key }) => key === flag.key);
  return found ? String(found.id) : refuse(`The project has no feature flag with the key ${flag?.key ?? String(value)}.`);
}

function groupTypeOf(object: JsonObject, field: string, from: Names, to: Names): JsonObject {
  const index = object[field];
  if (typeof index !== 'number') return {};
  const type = from.group_types.find((one) => one.index === index);
  const found = type && to.group_types.find(({ name }) => name === type.name);
  return { [field]: found?.index ?? refuse(`The project has no group type ${type?.name ?? index}.`) };
}

function refuse(detail: string): never {
  throw new ApiError('does_not_exist', detail);
}
