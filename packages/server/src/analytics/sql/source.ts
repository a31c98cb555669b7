import {
  bound,
  commaList,
  EMPTY,
  every,
  type Fragment,
  identifier,
  joinsOf,
  type Limits,
  limitsOfEvery,
  own,
  profileRows,
  replaced,
  sequence,
  sql,
} from './fragment.js';
import { numberOf, PERSON_ID, PERSON_NUMBER } from './property.js';
import { sessionId, sessionText } from './session-columns.js';
import { before, notBefore } from './time.js';

/** A column of a joined person or group row, with its alias in the statement. */
export interface JoinedColumn {
  alias: string;
  expression: Fragment;
  /** It says when the person or group was created, which other changes of the profile leave as it is. */
  isCreation?: true;
}

/** A table that a fragment needs joined to the events. */
export type Join =
  | { table: 'person_overrides' }
  /** The alias `person_number`, and the join that it needs. */
  | { table: 'person_numbers' }
  | { table: 'persons'; column: JoinedColumn }
  | { table: 'groups'; index: number; column: JoinedColumn }
  /** A property of the event's session, aggregated from the events of the session. */
  | { table: 'sessions'; name: string };

/** Parts of a select over the events of one project. */
export interface EventsSelect {
  projectId: number;
  select: readonly Fragment[];
  where: readonly Fragment[];
  /** Conditions on event columns for `prewhere`: evaluated before the joins. Needed where the row filter stops the optimiser. */
  first?: readonly Fragment[];
  groupBy?: readonly Fragment[];
  /** Where {@link amongPersons} may limit it to the events of some persons. */
  limitedAt?: Fragment;
  /** Group states are one or two numbers: two-level aggregation then pays early. With lists in the state it does not. */
  small?: true;
  orderBy?: readonly Fragment[];
  limit?: number;
  offset?: number;
}

/**
 * Selects from the events of a project. This module is the only one that names the analytics tables: it binds each to the project, and
 * joins the newest version of persons, groups and sessions if a fragment needs them.
 */
export function selectFromEvents({
  projectId,
  select,
  where,
  first,
  groupBy,
  limitedAt = EMPTY,
  small,
  orderBy,
  limit,
  offset,
}: EventsSelect): Fragment {
  const project = bound('Int32', projectId);
  const needed = joinsOf([...select, ...where, ...(groupBy ?? []), ...(orderBy ?? [])]);
  const head = sql`${personNumber(needed)}select ${commaList(select)} from events as e${joins(projectId, needed, where)}`;
  const before = first?.length ? sql` prewhere e.project_id = ${project} and ${every(first)}` : EMPTY;
  const rows = sql`${head}${before} where e.project_id = ${project} and ${every(where)}${limitedAt}`;
  const grouped = groupBy?.length ? sql`${rows} group by ${commaList(groupBy)}` : rows;
  const ordered = orderBy?.length ? sql`${grouped} order by ${commaList(orderBy)}` : grouped;
  const cut = small ? EARLY_BUCKETS : EMPTY;
  if (limit === undefined) return sql`${ordered}${cut}`;
  return sql`${ordered} limit ${bound('Int64', limit)} offset ${bound('Int64', offset ?? 0)}${cut}`;
}

/** Settings of a select with {@link EventsSelect.small} group states. */
const EARLY_BUCKETS: Fragment = sql` settings group_by_two_level_threshold = 20000`;

/** A column of {@link selectByPerson}. */
export interface PersonColumn {
  name: Fragment;
  /** Aggregates the events of a person. */
  of: Fragment;
  /** Aggregates the values that the distinct ids of a person have: the sum of counts. Absent: they do not say enough. */
  united?: (values: Fragment) => Fragment;
}

/** Parts of a select with a row for each person. */
export interface PersonsSelect extends Pick<EventsSelect, 'projectId' | 'where' | 'small'> {
  columns: readonly PersonColumn[];
  /** By what the rows of a person are grouped. */
  keys?: readonly Omit<PersonColumn, 'united'>[];
  /** Group events by their distinct id first, if columns and conditions allow it: quicker where distinct ids have several events. */
  byDistinctId: boolean;
}

/**
 * Selects a row for each person with events: `actor` (the person's number), keys and columns. With `byDistinctId` merges are joined to
 * distinct ids instead of events. Why: docs/decisions/0097-merges-are-joined-to-distinct-ids.md
 */
export function selectByPerson({ projectId, columns, keys = [], where, byDistinctId, small }: PersonsSelect): Fragment {
  const named = [...keys, ...columns].map(({ name, of }) => sql`${of} as ${name}`);
  const groups = keys.map(({ name }) => name);
  const united = columns.map((column) => column.united && sql`${column.united(sql`e.${column.name}`)} as ${column.name}`);
  const readsPersons = joinsOf([...named, ...where]).some(
    ({ table }) => table === 'persons' || table === 'person_overrides' || table === 'person_numbers',
  );
  if (!byDistinctId || readsPersons || !areAll(united)) {
    const select = [sql`${PERSON_NUMBER} as actor`, ...named];
    return selectFromEvents({
      projectId,
      select,
      where,
      groupBy: [sql`actor`, ...groups],
      limitedAt: LIMIT_EVENTS_TO_PERSONS,
      ...(small ? { small } : {}),
    });
  }
  const distinctIds = selectFromEvents({
    projectId,
    select: [sql`e.distinct_hash as distinct_hash`, sql`${numberOf(sql`e.person_id`)} as number`, ...named],
    where,
    groupBy: [sql`distinct_hash`, sql`number`, ...groups],
    limitedAt: LIMIT_TO_THEIR_IDS,
    ...(small ? { small } : {}),
  });
  return sql`with if(o.number = 0, e.number, o.number) as person_number
    select ${commaList([sql`person_number as actor`, ...groups, ...united])} from (${distinctIds}) as e${numbersJoin(bound('Int32', projectId))}
    where 1${LIMIT_ROWS_TO_PERSONS}
    group by ${commaList([sql`actor`, ...groups])}${small ? EARLY_BUCKETS : EMPTY}`;
}

const areAll = (united: readonly (Fragment | undefined)[]): united is readonly Fragment[] => !united.includes(undefined);

/** Where a condition on persons can be added: to events that have the join of `person_number`, to others, and to rows of distinct ids. */
const LIMIT_EVENTS_TO_PERSONS: Fragment = own('');
const LIMIT_TO_THEIR_IDS: Fragment = own('');
const LIMIT_ROWS_TO_PERSONS: Fragment = own('');

/**
 * The same rows of some persons alone.
 * @param of contains a {@link selectByPerson}
 * @param numbers selects the numbers of the persons
 */
export function amongPersons(of: Fragment, projectId: number, numbers: Fragment): Fragment {
  const merged = sql`select distinct_hash
    from (${overrideRows(bound('Int32', projectId), NEWEST_NUMBER)})
    where number in (${numbers})`;
  // the first condition is quick, and also true of events that were merged into somebody else
  const mayBe = sql`(${numberOf(sql`e.person_id`)} in (${numbers}) or e.distinct_hash in (${merged}))`;
  const areTheirs = sql`${PERSON_NUMBER} in (${numbers})`;
  const limits: [at: Fragment, condition: Fragment][] = [
    [LIMIT_EVENTS_TO_PERSONS, sql` and ${mayBe} and ${areTheirs}`],
    [LIMIT_TO_THEIR_IDS, sql` and ${mayBe}`],
    [LIMIT_ROWS_TO_PERSONS, sql` and ${areTheirs}`],
  ];
  return limits.reduce((limited, [at, condition]) => replaced(limited, at, condition), of);
}

/** The person's uuid in a row of {@link selectFromPersons}. */
export const OWN_ID: Fragment = sql`p.person_id`;

interface PersonsOptions {
  orderBy?: readonly Fragment[];
  /** A condition on the columns of a row: only persons are read of whom it holds for any version. */
  among?: Fragment | null;
}

/** Selects from the persons of a project: newest versions, without deleted persons. */
export function selectFromPersons(
  projectId: number,
  select: readonly Fragment[],
  where: Fragment,
  { orderBy = [], among = null }: PersonsOptions = {},
): Fragment {
  const needed = joinsOf([...select, where, ...orderBy]);
  const columns = columnsOf(needed.filter((join) => join.table === 'persons'));
  const rows = sql`select ${commaList(select)} from (${personRows(bound('Int32', projectId), columns, among)}) as p where ${where}`;
  return orderBy.length > 0 ? sql`${rows} order by ${commaList(orderBy)}` : rows;
}

/** A statement over the groups of one type of a project. */
export function selectFromGroups(projectId: number, index: number, select: readonly Fragment[], where: Fragment): Fragment {
  const columns = columnsOf(joinsOf([...select, where]).filter((join) => join.table === 'groups'));
  const rows = groupRows(bound('Int32', projectId), index, columns);
  return sql`select ${commaList(select)} from (${rows}) as ${identifier(`g${index}`)} where ${where}`;
}

/** A statement over the groups of a project, of every type, as `g0`. */
export function selectFromAllGroups(projectId: number, select: readonly Fragment[], where: Fragment): Fragment {
  const columns = columnsOf(joinsOf([...select, where]).filter((join) => join.table === 'groups'));
  const rows = sql`select ${commaList([sql`group_key`, ...columns])} from groups final
    where project_id = ${bound('Int32', projectId)}`;
  return sql`select ${commaList(select)} from (${profileRows('group', rows)}) as g0 where ${where}`;
}

/** Defines `person_number`. No uuid has the number 0, which the join gives events whose person was never merged. */
function personNumber(needed: readonly Join[]): Fragment {
  if (!needsNumber(needed)) return EMPTY;
  const number = joinsOverrides(needed) ? numberOf(PERSON_ID) : sql`if(o.number = 0, ${numberOf(sql`e.person_id`)}, o.number)`;
  return sql`with ${number} as person_number `;
}

/** The join of merged ids: with their persons where a statement names these, otherwise with the numbers alone. */
function overrides(project: Fragment, needed: readonly Join[]): Fragment {
  if (joinsOverrides(needed)) return overridesJoin(project, sql`${NEWEST_PERSON} as person_id, true as is_known`);
  return needsNumber(needed) ? numbersJoin(project) : EMPTY;
}

const NEWEST_PERSON: Fragment = sql`argMax(person_id, version)`;
const NEWEST_NUMBER: Fragment = sql`${numberOf(NEWEST_PERSON)} as number`;
const numbersJoin = (project: Fragment): Fragment => overridesJoin(project, NEWEST_NUMBER);

const needsNumber = (needed: readonly Join[]): boolean => needed.some(({ table }) => table === 'person_numbers');

const joinsOverrides = (needed: readonly Join[]): boolean =>
  needed.some(({ table }) => table === 'person_overrides' || table === 'persons');

// GLOBAL: on a cluster the joined side is read once and sent to the shards; on one server it changes nothing. Overrides are joined without:
// those of an event are on its shard, which reads them itself in a statement with `COLOCATED` (see execute.ts), and gets them sent in others.
function joins(projectId: number, needed: readonly Join[], where: readonly Fragment[]): Fragment {
  const limits = limitsOfEvery(where);
  const project = bound('Int32', projectId);
  const persons = columnsOf(needed.filter((join) => join.table === 'persons'));
  const groups = needed.filter((join) => join.table === 'groups');
  const indexes = [...new Set(groups.map((join) => join.index))];
  const ofSessions = [...new Set(needed.flatMap((join) => (join.table === 'sessions' ? [join.name] : [])))];
  return sequence([
    overrides(project, needed),
    persons.length > 0 ? personsJoin(project, persons, limits.persons) : EMPTY,
    ...indexes.map((index) => groupsJoin(project, index, columnsOf(groups.filter((join) => join.index === index)))),
    ofSessions.length > 0 ? sessionsJoin(projectId, ofSessions, limits) : EMPTY,
  ]);
}

const columnsOf = (needed: readonly { column: JoinedColumn }[]): Fragment[] =>
  [...new Map(needed.map(({ column }) => [column.alias, column])).values()].map(
    ({ alias, expression }) => sql`${expression} as ${identifier(alias)}`,
  );

// joined by hash: reading the distinct ids themselves would dominate the query
const overridesJoin = (project: Fragment, columns: Fragment): Fragment =>
  sql`
    any left join (${overrideRows(project, columns)}) as o on o.distinct_hash = e.distinct_hash`;

/** Selects a row for each merged distinct id: `distinct_hash` and columns. */
const overrideRows = (project: Fragment, columns: Fragment): Fragment =>
  sql`select cityHash64(distinct_id) as distinct_hash, ${columns} from person_overrides
    where project_id = ${project}
    group by distinct_hash`;

function personRows(project: Fragment, columns: Fragment[], among: Fragment | null = null): Fragment {
  const some = among && sql`select person_id from persons where project_id = ${project} and ${among}`;
  // all versions of a person have the same id, so this condition may come before the newest one is taken
  const first = some ? sql` prewhere person_id global in (${some})` : EMPTY;
  return profileRows(
    'person',
    sql`select ${commaList([sql`person_id`, ...columns])} from persons final${first} where project_id = ${project} and not is_deleted`,
  );
}

const personsJoin = (project: Fragment, columns: Fragment[], among?: Fragment): Fragment =>
  sql` global left join (${personRows(project, columns, among)}) as p on p.person_id = ${PERSON_ID}`;

const groupRows = (project: Fragment, index: number, columns: Fragment[]): Fragment =>
  profileRows(
    'group',
    sql`select ${commaList([sql`group_key`, ...columns])} from groups final
    where project_id = ${project} and group_type_index = ${bound('Int32', index)}`,
  );

function groupsJoin(project: Fragment, index: number, columns: Fragment[]): Fragment {
  const alias = identifier(`g${index}`);
  return sql`
    global left join (${groupRows(project, index, columns)}) as ${alias} on ${alias}.group_key = e.${identifier(`group_${index}`)}`;
}

/** How long a session may be, milliseconds: the client libraries begin a new one after a day. */
export const LONGEST_SESSION = 24 * 3_600_000;

/**
 * Joins the sessions of events. They are aggregated from all their events, those outside of the time of the statement too, by the hash of
 * their ids, which takes a third of the time of the ids. Why: docs/decisions/0096-sessions-around-a-statement.md
 * @param limits of the statement's events; sessions are read as long before and after these as a session may be
 */
function sessionsJoin(projectId: number, names: readonly string[], limits: Limits): Fragment {
  const from = (limits.from ?? Number.NEGATIVE_INFINITY) - LONGEST_SESSION;
  const to = (limits.to ?? Number.POSITIVE_INFINITY) + LONGEST_SESSION;
  const hash = sql`cityHash64(ifNull(${sessionId}, ''))`;
  const rows = selectFromEvents({
    projectId,
    select: [sql`${hash} as session_hash`, ...names.map((name) => sql`${sessionText(name)} as ${identifier(name)}`)],
    where: [
      sql`${sessionId} != ''`,
      ...(Number.isFinite(from) ? [notBefore(from)] : []),
      ...(Number.isFinite(to) ? [before(to)] : []),
    ],
    groupBy: [sql`session_hash`],
  });
  return sql` global any left join (${rows}) as se on se.session_hash = ${hash}`;
}
