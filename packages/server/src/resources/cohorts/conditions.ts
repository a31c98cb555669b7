import { findReferences, readCohortFilter, UnknownAction, UnknownCohort } from '../../analytics/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/**
 * Brings the conditions of a cohort into the form that is stored: a tree, in which every leaf has a `type`.
 * @throws ApiError required, or the error of a condition with its path
 */
export function normalizeFilters(given: JsonObject): JsonObject {
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
  return { properties: normalize(Array.isArray(properties) ? { type: 'AND', values: properties } : properties) };
}

function normalize(node: Json): Json {
  if (!isObject(node)) return node;
  const { type, values } = node;
  if (Array.isArray(values) && !('key' in node)) return { ...node, type: type ?? 'AND', values: values.map(normalize) };
  return { ...node, type: type ?? 'person' };
}

/**
 * Checks the cohorts and actions that the conditions of `cohortId` (null: a new cohort) name.
 * @throws ApiError invalid_input: one of them does not exist, or contains the cohort
 */
export async function requireValidReferences(
  db: Db,
  projectId: number,
  cohortId: number | null,
  filters: JsonObject,
): Promise<void> {
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

/** The path of the condition that names a missing cohort or action; null: only another cohort names it. */
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
