import { ApiError } from '../kernel/errors.js';
import type { Db } from '../ports/db.js';
import { findActions } from './action.js';
import { filtersWithin, findCohorts } from './cohorts.js';
import { comparisonsOf, type Filter, type Leaf, leavesOf, patternsOf } from './filter.js';
import type { Action, Cohort } from './sql/filter.js';

/** How many conditions a filter may have once its cohorts are written out, each part of a text that is looked for counted by itself. */
const MAX_CONDITIONS = 2000;
/** How many regular expressions there may be in them: the engine is asked whether it can read them. */
const MAX_PATTERNS = 500;
/** How many of them may be about what people did: each is a pass over the events. */
const MAX_BEHAVIORS = 50;

/** What filters refer to by number. */
export interface References {
  cohorts: Map<number, Cohort>;
  actions: Map<number, Action>;
}

/**
 * The cohorts and actions that filters name, and those within these cohorts.
 * @throws ApiError invalid_input when one does not exist, or a cohort leads back to itself, or when there is too much in them
 */
export async function findReferences(db: Db, projectId: number, asked: readonly Filter[]): Promise<References> {
  const cohorts = await findCohorts(db, projectId, asked);
  const actions = await findActions(db, projectId, [...asked, ...filtersWithin(cohorts)]);
  requireBounded(asked, { cohorts, actions });
  return { cohorts, actions };
}

/** The conditions of the cohorts and actions that have one. */
export const conditionsWithin = ({ cohorts, actions }: References): Filter[] => [
  ...filtersWithin(cohorts),
  ...[...actions.values()].map(({ filter }) => filter),
];

function requireBounded(asked: readonly Filter[], found: References): void {
  const bounds: [number, string, (leaf: Leaf) => number][] = [
    [MAX_CONDITIONS, 'conditions', comparisonsOf],
    [MAX_BEHAVIORS, 'conditions on what people did', (leaf) => ('behavior' in leaf ? 1 : 0)],
    [MAX_PATTERNS, 'regular expressions', (leaf) => ('behavior' in leaf ? 0 : patternsOf(leaf).length)],
  ];
  for (const [most, what, weigh] of bounds) {
    if (measure(asked, found, weigh) <= most) continue;
    throw new ApiError('invalid_input', `With the cohorts and actions in them these filters have more than ${most} ${what}.`);
  }
}

/** The sum over all conditions once cohorts and actions are written out. @throws ApiError invalid_input when a cohort contains itself */
function measure(asked: readonly Filter[], { cohorts, actions }: References, weigh: (leaf: Leaf) => number): number {
  const sizes = new Map<number, number | null>();
  const sizeOf = (filter: Filter): number => leavesOf(filter).reduce((sum, leaf) => sum + leafSize(leaf), 0);
  const leafSize = (leaf: Leaf): number => {
    if ('cohort' in leaf) return cohortSize(leaf.cohort, leaf);
    if ('behavior' in leaf) return weigh(leaf) + sizeOf(leaf.behavior.properties);
    const action = 'action' in leaf ? actions.get(leaf.action) : undefined;
    return action ? sizeOf(action.filter) : weigh(leaf);
  };
  const cohortSize = (id: number, leaf: Leaf): number => {
    const known = sizes.get(id);
    if (known === null) throw new ApiError('invalid_input', `Cohort ${id} contains itself.`);
    if (known !== undefined) return known;
    sizes.set(id, null);
    const cohort = cohorts.get(id);
    const size = cohort && 'filter' in cohort ? sizeOf(cohort.filter) : weigh(leaf);
    sizes.set(id, size);
    return size;
  };
  return asked.reduce((sum, filter) => sum + sizeOf(filter), 0);
}
