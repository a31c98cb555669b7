import { z } from 'zod';
import { validate } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import type { Db } from '../ports/db.js';
import { cohortsOf, type Filter, type FilterGroup, MATCH_ALL } from './filter.js';
import { COHORT_RULES, filters } from './filter-schema.js';
import type { Cohort } from './sql/filter.js';
import { readCohorts, readMembers } from './store.js';

const stored = z.object({ properties: filters(COHORT_RULES) });

/** A filter names a cohort that the project does not have. */
export class UnknownCohort extends ApiError {
  constructor(readonly id: number) {
    super('invalid_input', `There is no cohort ${id}.`);
  }
}

/** Parses the stored filters of a cohort. @throws ApiError invalid_input */
export function readCohortFilter(value: unknown): FilterGroup {
  return isObject(value) && value.properties ? validate(stored, value).properties : MATCH_ALL;
}

/**
 * Loads the cohorts that filters name, and the cohorts that those name in turn.
 * @throws UnknownCohort if one does not exist
 */
export async function findCohorts(db: Db, projectId: number, given: readonly Filter[]): Promise<Map<number, Cohort>> {
  const found = new Map<number, Cohort>();
  let wanted = [...new Set(given.flatMap(cohortsOf))];
  while (wanted.length > 0) {
    const rows = await readCohorts(db, projectId, wanted);
    const missing = wanted.find((id) => rows.every((row) => row.id !== id));
    if (missing !== undefined) throw new UnknownCohort(missing);
    for (const { id, name, is_static, filters } of rows) {
      const members = is_static ? { people: await readMembers(db, projectId, id) } : { filter: readCohortFilter(filters) };
      found.set(id, { name, ...members });
    }
    const inner = [...found.values()].flatMap((cohort) => ('filter' in cohort ? cohortsOf(cohort.filter) : []));
    wanted = [...new Set(inner)].filter((id) => !found.has(id));
  }
  return found;
}

/** The filters of all cohorts that are not static lists of people. */
export const filtersWithin = (cohorts: ReadonlyMap<number, Cohort>): Filter[] =>
  [...cohorts.values()].flatMap((cohort) => ('filter' in cohort ? [cohort.filter] : []));

/** A cohort as it is stored. */
interface Stored {
  id: number;
  filters: unknown;
}

/** Whether stored cohort filters (`{ properties }`) have a behavioural condition themselves, not through other cohorts. */
export const isBehavioral = (filters: unknown): boolean => leaves(filters).some(({ type }) => type === 'behavioral');

/** The cohorts of a project with a behavioural condition, directly or through cohorts that they name. */
export function behavioralCohorts(cohorts: readonly Stored[]): Set<number> {
  const found = new Set(cohorts.filter(({ filters }) => isBehavioral(filters)).map(({ id }) => id));
  if (found.size === 0) return found;
  const named = cohorts.map(({ id, filters }) => ({ id, names: namesIn(filters) }));
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { id, names } of named) if (names.some((name) => found.has(name))) found.add(id);
  }
  return found;
}

const namesIn = (filters: unknown): number[] =>
  leaves(filters).flatMap(({ type, value }) => (type === 'cohort' ? [value].flat().map(Number) : []));

function leaves(filters: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  for (let level: unknown[] = isObject(filters) ? [filters.properties].flat() : []; level.length > 0; ) {
    const nodes = level.filter(isObject);
    const isGroup = (node: JsonObject): boolean => Array.isArray(node.values) && !('key' in node);
    for (const node of nodes) if (!isGroup(node)) found.push(node);
    level = nodes.filter(isGroup).flatMap(({ values }) => values);
  }
  return found;
}
