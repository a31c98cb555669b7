import { z } from 'zod';
import type { Deps } from '../deps.js';
import { validate } from '../http/validate.js';
import { readTimezone } from './cohort-store.js';
import { filtersWithin, findCohorts } from './cohorts.js';
import { executor } from './execute.js';
import type { FilterGroup } from './filter.js';
import { type FilterRules, filters, OF_PEOPLE, ofGroups } from './filter-schema.js';
import { brokenPatterns } from './patterns.js';
import { condition, type FilterContext } from './sql/filter.js';
import { bound, type Fragment, sql, TRUE } from './sql/fragment.js';
import { OWN_ID, selectFromGroups, selectFromPersons } from './sql/source.js';

type Stores = Pick<Deps, 'db' | 'events' | 'clock'>;

/** How many there are, and of how many of them a filter holds. */
export interface Counted {
  matching: number;
  total: number;
}

const COUNTS = (holds: Fragment): Fragment[] => [sql`countIf(${holds}) as matching`, sql`count() as total`];

/**
 * Counts the people of a project, and those of whom `given` holds: filters as they are sent (a list or a tree) of types `person`
 * and `cohort`.
 * @throws ApiError invalid_input, with the path to the filter in `attr`
 */
export async function countPeople(deps: Stores, projectId: number, given: unknown, signal?: AbortSignal): Promise<Counted> {
  const asked = readFilters(given, OF_PEOPLE);
  const holds = condition(asked, await contextOf(deps, projectId, asked));
  return count(deps, selectFromPersons(projectId, COUNTS(holds), TRUE), signal);
}

/** As {@link countPeople}, of the groups of one type; filters are of type `group`. */
export async function countGroups(
  deps: Stores,
  projectId: number,
  groupTypeIndex: number,
  given: unknown,
  signal?: AbortSignal,
): Promise<Counted> {
  const asked = readFilters(given, ofGroups(groupTypeIndex));
  const holds = condition(asked, await contextOf(deps, projectId, asked));
  return count(deps, selectFromGroups(projectId, groupTypeIndex, COUNTS(holds), TRUE), signal);
}

/**
 * The uuids of people of whom a filter holds, ascending, those after `after` first.
 * @throws ApiError invalid_input
 */
export async function findPeople(
  deps: Stores,
  projectId: number,
  given: unknown,
  page: { after: string | null; limit: number; signal?: AbortSignal },
): Promise<string[]> {
  const asked = readFilters(given, OF_PEOPLE);
  const holds = condition(asked, await contextOf(deps, projectId, asked));
  const where = page.after === null ? holds : sql`${holds} and ${OWN_ID} > ${bound('UUID', page.after)}`;
  const rows = sql`${selectFromPersons(projectId, [sql`toString(${OWN_ID}) as id`], where)} order by ${OWN_ID} limit ${bound('Int64', page.limit)}`;
  const found = await executor(deps.events, page.signal)<{ id: string }>(rows);
  return found.map(({ id }) => id);
}

const readFilters = (given: unknown, rules: FilterRules): FilterGroup =>
  validate(z.object({ filters: filters(rules) }), { filters: given }).filters;

async function contextOf({ db, events, clock }: Stores, projectId: number, asked: FilterGroup): Promise<FilterContext> {
  const cohorts = await findCohorts(db, projectId, [asked]);
  return {
    moment: { now: clock.now(), timezone: await readTimezone(db, projectId) },
    brokenPatterns: await brokenPatterns(events, [asked, ...filtersWithin(cohorts)]),
    cohorts,
    person: OWN_ID,
  };
}

async function count({ events }: Stores, statement: Fragment, signal: AbortSignal | undefined): Promise<Counted> {
  const [row] = await executor(events, signal)<Counted>(statement);
  return row ?? { matching: 0, total: 0 };
}
