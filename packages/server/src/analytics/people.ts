import { z } from 'zod';
import type { Deps } from '../deps.js';
import type { Page } from '../http/pagination.js';
import { validate } from '../http/validate.js';
import type { EventsStore } from '../ports/events.js';
import { createExecute } from './execute.js';
import type { FilterGroup } from './filter.js';
import { COHORT_RULES, type FilterRules, filters, groupRules, PERSON_RULES } from './filter-schema.js';
import { expressionWriter } from './kinds/sql/expression.js';
import { brokenPatterns, conditionsWithin, findReferences } from './references.js';
import { condition, type FilterContext } from './sql/filter.js';
import { bound, every, type Fragment, identifier, joining, some, sql, TRUE } from './sql/fragment.js';
import { PERSON_ID, property } from './sql/property.js';
import { isNamed } from './sql/search.js';
import { OWN_ID, selectFromEvents, selectFromGroups, selectFromPersons } from './sql/source.js';
import { readTimezone } from './store.js';
import { createZone } from './zone.js';

type Stores = Pick<Deps, 'db' | 'events' | 'clock'>;

/** Number of people or groups in all, and of those that match a filter. */
export interface MatchCounts {
  matching: number;
  total: number;
}

const COUNTS = (matches: Fragment): Fragment[] => [sql`countIf(${matches}) as matching`, sql`count() as total`];

/**
 * Counts the people of a project, and those that match `given`: filters as sent (a list or a tree) of types `person` and `cohort`.
 * @throws ApiError invalid_input, with the path to the filter in `attr`
 */
export const countPeople = (deps: Stores, projectId: number, given: unknown, signal?: AbortSignal): Promise<MatchCounts> =>
  countPeopleBy(PERSON_RULES, deps, projectId, given, signal);

/** As {@link countPeople}, for the conditions of a cohort, which may also be about what people did (type `behavioral`). */
export const countCohortPeople = (deps: Stores, projectId: number, given: unknown, signal?: AbortSignal): Promise<MatchCounts> =>
  countPeopleBy(COHORT_RULES, deps, projectId, given, signal);

async function countPeopleBy(
  rules: FilterRules,
  deps: Stores,
  projectId: number,
  given: unknown,
  signal?: AbortSignal,
): Promise<MatchCounts> {
  const filterGroup = readFilters(given, rules);
  const holds = condition(filterGroup, await filterContext(deps, projectId, filterGroup));
  return count(deps, projectId, selectFromPersons(projectId, COUNTS(holds), TRUE), signal);
}

/** As {@link countPeople}, for the groups of one type; filters have the type `group`. */
export async function countGroups(
  deps: Stores,
  projectId: number,
  groupTypeIndex: number,
  given: unknown,
  signal?: AbortSignal,
): Promise<MatchCounts> {
  const filterGroup = readFilters(given, groupRules(groupTypeIndex));
  const holds = condition(filterGroup, await filterContext(deps, projectId, filterGroup));
  return count(deps, projectId, selectFromGroups(projectId, groupTypeIndex, COUNTS(holds), TRUE), signal);
}

/**
 * Finds the uuids of the people who match a filter, newest first. Returns one more than `limit` if there is a next page.
 * @throws ApiError invalid_input
 */
export async function findPeople(
  deps: Stores,
  projectId: number,
  given: unknown,
  page: Page,
  signal?: AbortSignal,
): Promise<string[]> {
  const filterGroup = readFilters(given, PERSON_RULES);
  const holds = condition(filterGroup, await filterContext(deps, projectId, filterGroup));
  return pageOf(deps.events, projectId, holds, page, signal);
}

/** Which people a search finds: those of whom each given condition holds. */
export interface PeopleSearch {
  /** Their uuids. */
  ids: readonly string[] | null;
  /** Their property `email`. */
  email: string | null | undefined;
  /** A text within their e-mail address or name; these uuids are found, too. */
  named: { text: string; ids: readonly string[] } | null;
}

/** Finds the uuids of people, newest first. Returns one more than `limit` if there is a next page. */
export function searchPeople(
  events: EventsStore,
  projectId: number,
  { ids, email, named }: PeopleSearch,
  page: Page,
  signal?: AbortSignal,
): Promise<string[]> {
  const holds = every([
    ids ? isAmong(ids) : TRUE,
    email ? sql`${property(PERSON, 'email').text} = ${bound('String', email)}` : TRUE,
    named ? some([isNamed(named.text, PERSON), isAmong(named.ids)]) : TRUE,
  ]);
  return pageOf(events, projectId, holds, page, signal);
}

const PERSON = { type: 'person' } as const;

const isAmong = (ids: readonly string[]): Fragment => sql`has(${bound('Array(UUID)', ids)}, ${OWN_ID})`;

async function pageOf(
  events: EventsStore,
  projectId: number,
  holds: Fragment,
  { limit, offset }: Page,
  signal?: AbortSignal,
): Promise<string[]> {
  const rows = selectFromPersons(projectId, [sql`toString(${OWN_ID}) as id`], holds, { orderBy: [sql`${CREATED} desc`, OWN_ID] });
  const page = sql`${rows} limit ${bound('Int64', limit + 1)} offset ${bound('Int64', offset)}`;
  const found = await createExecute(events, projectId, signal)<{ id: string }>(page);
  return found.map(({ id }) => id);
}

const CREATED = joining(sql`p.created`, { table: 'persons', column: { alias: 'created', expression: sql`created_at` } });

const readFilters = (given: unknown, rules: FilterRules): FilterGroup =>
  validate(z.object({ filters: filters(rules) }), { filters: given }).filters;

async function filterContext({ db, events, clock }: Stores, projectId: number, filterGroup: FilterGroup): Promise<FilterContext> {
  const found = await findReferences(db, projectId, [filterGroup]);
  const moment = { now: clock.now(), zone: createZone(await readTimezone(db, projectId)) };
  return {
    projectId,
    moment,
    writeExpression: expressionWriter(projectId, moment),
    brokenPatterns: await brokenPatterns(events, [filterGroup, ...conditionsWithin(found)]),
    ...found,
    person: OWN_ID,
  };
}

async function count({ events }: Stores, projectId: number, statement: Fragment, signal?: AbortSignal): Promise<MatchCounts> {
  const [row] = await createExecute(events, projectId, signal)<MatchCounts>(statement);
  return row ?? { matching: 0, total: 0 };
}

/** The person (uuid) or group (`key` of the type `index`) whose relations are requested. */
export type RelatedSubject = { person: string } | { index: number; key: string };

/** Persons and groups that share events with the subject. */
interface Related {
  /** Uuids of persons with a profile. Empty for a person: an event has one person only. */
  persons: string[];
  /** Group keys, by group type index. */
  groups: Map<number, string[]>;
}

const INDEXES = [0, 1, 2, 3, 4];

/**
 * Finds the persons and groups that occur in events together with a person or group, up to 1000 of each kind, in no order.
 * @throws ApiError invalid_input when the events are too many to look through
 */
export async function findRelated(
  events: EventsStore,
  projectId: number,
  to: RelatedSubject,
  signal?: AbortSignal,
): Promise<Related> {
  const others = INDEXES.filter((index) => !('index' in to && to.index === index));
  const [row] = await createExecute(events, projectId, signal)<Record<string, string[]>>(relatedStatement(projectId, to, others));
  return {
    persons: row?.['persons'] ?? [],
    groups: new Map(others.map((index) => [index, row?.[`keys_${index}`] ?? []])),
  };
}

/** Reads the events once. One row, with a list for the persons and for each group type. */
function relatedStatement(projectId: number, to: RelatedSubject, others: readonly number[]): Fragment {
  const groups = others.map((index) => {
    const key = groupKey(index);
    return sql`groupUniqArrayIf(1000)(${key}, ${key} != '') as ${identifier(`keys_${index}`)}`;
  });
  if ('person' in to) {
    return selectFromEvents({ projectId, select: groups, where: [sql`${PERSON_ID} = ${bound('UUID', to.person)}`] });
  }
  const persons = sql`groupUniqArrayIf(1000)(toString(${PERSON_ID}), ${HAS_PROFILE}) as persons`;
  return selectFromEvents({
    projectId,
    select: [persons, ...groups],
    where: [sql`${groupKey(to.index)} = ${bound('String', to.key)}`],
  });
}

const groupKey = (index: number): Fragment => sql`e.${identifier(`group_${index}`)}`;

const HAS_PROFILE: Fragment = joining(sql`p.has_profile = 1`, {
  table: 'persons',
  column: { alias: 'has_profile', expression: sql`1` },
});
