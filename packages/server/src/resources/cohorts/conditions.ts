import { findReferences, readCohortFilter, UnknownAction, UnknownCohort } from '../../analytics/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/**
 * The conditions of a cohort as they are kept: always a tree, whose leaves say what they are about.
 * @throws ApiError required, or what is wrong with a condition, with its path
 */
export function normalFilters(given: JsonObject): JsonObject {
  const { properties } = given;
  if (properties === undefined || properties === null) {
    throw new ApiError('required', 'This field is required.', 'filters__properties');
  }
  try {
    readCohortFilter(given);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, error.body.detail, ['filters', error.body.attr].filter(Boolean).join('__'));
  }
  return { properties: normal(Array.isArray(properties) ? { type: 'AND', values: properties } : properties) };
}

function normal(node: Json): Json {
  if (!isObject(node)) return node;
  const { type, values } = node;
  if (Array.isArray(values) && !('key' in node)) return { ...node, type: type ?? 'AND', values: values.map(normal) };
  return { ...node, type: type ?? 'person' };
}

/**
 * @throws ApiError invalid_input: the cohorts or actions that the conditions of `cohortId` (null: a new one) name do not exist, or contain it
 */
export async function requireSound(db: Db, projectId: number, cohortId: number | null, filters: JsonObject): Promise<void> {
  const { cohorts } = await findReferences(db, projectId, [readCohortFilter(filters)]).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const isUnknown = error instanceof UnknownCohort || error instanceof UnknownAction;
    const path = isUnknown ? pathOf(filters.properties, 'filters__properties', error) : null;
    throw new ApiError(error.code, error.body.detail, path ?? 'filters');
  });
  if (cohortId !== null && cohorts.has(cohortId)) {
    throw new ApiError('invalid_input', 'A cohort cannot contain itself, not even through other cohorts.', 'filters');
  }
}

/** Where conditions name a cohort or an action; null: nowhere, or within another cohort. */
function pathOf(node: Json | undefined, path: string, missing: UnknownCohort | UnknownAction): string | null {
  if (node === undefined || !isObject(node)) return null;
  const { type, value, values, key, event_type: eventType } = node;
  const { id } = missing;
  if (type === 'cohort') {
    return missing instanceof UnknownCohort && [value].flat().map(Number).includes(id) ? `${path}__value` : null;
  }
  if (type === 'behavioral') {
    return missing instanceof UnknownAction && eventType === 'actions' && Number(key) === id ? `${path}__key` : null;
  }
  if (!Array.isArray(values)) return null;
  const paths = values.map((one, index) => pathOf(one, `${path}__values__${index}`, missing));
  return paths.find((one) => one !== null) ?? null;
}
