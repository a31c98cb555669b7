import { z } from 'zod';
import { validate } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';
import type { Db } from '../ports/db.js';
import { readCohorts, readMembers } from './cohort-store.js';
import { ALL_PASS, cohortsOf, comparisonsOf, type Filter, type FilterGroup, type Leaf, leavesOf, patternsOf } from './filter.js';
import { filters, OF_COHORTS } from './filter-schema.js';
import type { Cohort } from './sql/filter.js';

/** How many conditions a filter may have once its cohorts are written out, each part of a text that is looked for counted by itself. */
const MAX_CONDITIONS = 2000;
/** How many regular expressions there may be in them: the engine is asked whether it can read them. */
const MAX_PATTERNS = 500;
/** How many of them may be about what people did: each is a pass over the events. */
const MAX_BEHAVIORS = 50;

const stored = z.object({ properties: filters(OF_COHORTS) });

/** A filter names a cohort that the project does not have. */
export class UnknownCohort extends ApiError {
  constructor(readonly id: number) {
    super('invalid_input', `There is no cohort ${id}.`);
  }
}

/** The condition of a cohort as it is stored. @throws ApiError invalid_input */
export function readCohortFilter(value: unknown): FilterGroup {
  return isObject(value) && value.properties ? validate(stored, value).properties : ALL_PASS;
}

/**
 * The cohorts that filters name, and those within these.
 * @throws ApiError invalid_input when one does not exist, or leads back to itself, or when there is too much in them
 */
export async function findCohorts(db: Db, projectId: number, asked: readonly Filter[]): Promise<Map<number, Cohort>> {
  const found = new Map<number, Cohort>();
  let wanted = [...new Set(asked.flatMap(cohortsOf))];
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
  requireBounded(asked, found);
  return found;
}

/** The conditions of the cohorts that have one. */
export const filtersWithin = (cohorts: ReadonlyMap<number, Cohort>): Filter[] =>
  [...cohorts.values()].flatMap((cohort) => ('filter' in cohort ? [cohort.filter] : []));

function requireBounded(asked: readonly Filter[], found: ReadonlyMap<number, Cohort>): void {
  const bounds: [number, string, (leaf: Leaf) => number][] = [
    [MAX_CONDITIONS, 'conditions', conditionsIn],
    [MAX_BEHAVIORS, 'conditions on what people did', (leaf) => ('behavior' in leaf ? 1 : 0)],
    [MAX_PATTERNS, 'regular expressions', (leaf) => patternsOf(leaf).length],
  ];
  for (const [most, what, weigh] of bounds) {
    if (measure(asked, found, weigh) <= most) continue;
    throw new ApiError('invalid_input', `With the cohorts in them these filters have more than ${most} ${what}.`);
  }
}

const conditionsIn = (leaf: Leaf): number =>
  'behavior' in leaf ? 1 + sum(leavesOf(leaf.behavior.properties).map(comparisonsOf)) : comparisonsOf(leaf);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The sum over all conditions once the cohorts are written out. @throws ApiError invalid_input when one contains itself */
function measure(asked: readonly Filter[], found: ReadonlyMap<number, Cohort>, weigh: (leaf: Leaf) => number): number {
  const sizes = new Map<number, number | null>();
  const sizeOf = (filter: Filter): number =>
    leavesOf(filter).reduce((sum, leaf) => sum + ('cohort' in leaf ? cohortSize(leaf.cohort, leaf) : weigh(leaf)), 0);
  const cohortSize = (id: number, leaf: Leaf): number => {
    const known = sizes.get(id);
    if (known === null) throw new ApiError('invalid_input', `Cohort ${id} contains itself.`);
    if (known !== undefined) return known;
    sizes.set(id, null);
    const cohort = found.get(id);
    const size = cohort && 'filter' in cohort ? sizeOf(cohort.filter) : weigh(leaf);
    sizes.set(id, size);
    return size;
  };
  return asked.reduce((sum, filter) => sum + sizeOf(filter), 0);
}
