import { bisectRejected } from '../kernel/bisect.js';
import { ApiError } from '../kernel/errors.js';
import type { Db } from '../ports/db.js';
import { type EventsStore, QueryFailed } from '../ports/events.js';
import { findActions } from './action.js';
import { filtersWithin, findCohorts } from './cohorts.js';
import { comparisonsOf, type Filter, type Leaf, leavesOf, patternsOf } from './filter.js';
import type { Action, Cohort } from './sql/filter.js';
import { bound, commaList, render, sql } from './sql/fragment.js';

/** Maximum number of comparisons in filters after cohorts and actions are expanded. */
const MAX_CONDITIONS = 2000;
/** Maximum number of regular expressions in them: each is compiled before the query runs. */
const MAX_PATTERNS = 500;
/** Maximum number of behavioural conditions in them: each reads the events once. */
const MAX_BEHAVIORS = 50;

/** The cohorts and actions that filters name, by number. */
export interface References {
  cohorts: Map<number, Cohort>;
  actions: Map<number, Action>;
}

/**
 * Loads the cohorts and actions that filters name, including those inside cohorts.
 * @throws ApiError invalid_input if one does not exist, a cohort contains itself, or the expanded filters exceed a limit
 */
export async function findReferences(db: Db, projectId: number, given: readonly Filter[]): Promise<References> {
  const cohorts = await findCohorts(db, projectId, given);
  const actions = await findActions(db, projectId, [...given, ...filtersWithin(cohorts)]);
  requireBounded(given, { cohorts, actions });
  return { cohorts, actions };
}

/** The filters of all cohorts and actions. */
export const conditionsWithin = ({ cohorts, actions }: References): Filter[] => [
  ...filtersWithin(cohorts),
  ...[...actions.values()].map(({ filter }) => filter),
];

function requireBounded(given: readonly Filter[], found: References): void {
  const bounds: [number, string, (leaf: Leaf) => number][] = [
    [MAX_CONDITIONS, 'conditions', comparisonsOf],
    [MAX_BEHAVIORS, 'conditions on what people did', (leaf) => ('behavior' in leaf ? 1 : 0)],
    [MAX_PATTERNS, 'regular expressions', (leaf) => ('behavior' in leaf ? 0 : patternsOf(leaf).length)],
  ];
  for (const [most, what, weigh] of bounds) {
    if (measure(given, found, weigh) <= most) continue;
    throw new ApiError('invalid_input', `With the cohorts and actions in them these filters have more than ${most} ${what}.`);
  }
}

/** Sums `weigh` over all conditions, with cohorts and actions expanded. @throws ApiError invalid_input if a cohort contains itself */
function measure(given: readonly Filter[], { cohorts, actions }: References, weigh: (leaf: Leaf) => number): number {
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
  return given.reduce((sum, filter) => sum + sizeOf(filter), 0);
}

const CANNOT_COMPILE_REGEXP = 427;

/** Finds the regular expressions in filters that the engine cannot compile. */
export async function brokenPatterns(events: EventsStore, filters: readonly Filter[]): Promise<Set<string>> {
  const compile = (patterns: readonly string[]) => {
    const tries = patterns.map((pattern) => sql`match(materialize(''), ${bound('String', `(?-s)${pattern}`)})`);
    return events.query(render(sql`select ${commaList(tries)}`));
  };
  // one statement compiles all, since most are valid; the engine does not say which one failed, so failures are bisected
  const { refused } = await bisectRejected([...new Set(filters.flatMap(patternsOf))], compile, cannotCompile);
  return new Set(refused);
}

const cannotCompile = (error: unknown): boolean => error instanceof QueryFailed && error.code === CANNOT_COMPILE_REGEXP;
