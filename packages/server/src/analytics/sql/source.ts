import { bound, commaList, EMPTY, every, type Fragment, identifier, joinsOf, sequence, sql } from './fragment.js';
import { PERSON_ID } from './person-id.js';
import { sessionId, sessionText } from './session-columns.js';

/** A column of a person's or a group's row, under the alias by which the statement knows it. */
export interface JoinedColumn {
  alias: string;
  expression: Fragment;
}

/** What a fragment needs beside the event itself. */
export type Join =
  | { table: 'person_overrides' }
  | { table: 'persons'; column: JoinedColumn }
  | { table: 'groups'; index: number; column: JoinedColumn }
  /** A property of the event's session. */
  | { table: 'sessions'; name: string };

/** A statement over the events of one project, as data. */
export interface EventsSelect {
  projectId: number;
  select: readonly Fragment[];
  where: readonly Fragment[];
  /** Conditions on the event alone that are looked at before anything is joined, where the engine may not find such itself. */
  first?: readonly Fragment[];
  groupBy?: readonly Fragment[];
  /** Groups hold a number or two each: cutting many of them into pieces early pays, which it does not where they hold lists. */
  small?: true;
  orderBy?: readonly Fragment[];
  limit?: number;
  offset?: number;
}

/**
 * The only place that reads the analytics tables: every table in it is bound to the project, and persons and groups
 * are joined in their newest version when a fragment of the statement asks for them.
 */
export function selectFromEvents({
  projectId,
  select,
  where,
  first,
  groupBy,
  small,
  orderBy,
  limit,
  offset,
}: EventsSelect): Fragment {
  const project = bound('Int32', projectId);
  const asked = joinsOf([...select, ...where, ...(groupBy ?? []), ...(orderBy ?? [])]);
  const head = sql`select ${commaList(select)} from events as e${joins(projectId, asked)}`;
  const before = first?.length ? sql` prewhere e.project_id = ${project} and ${every(first)}` : EMPTY;
  const rows = sql`${head}${before} where e.project_id = ${project} and ${every(where)}`;
  const grouped = groupBy?.length ? sql`${rows} group by ${commaList(groupBy)}` : rows;
  const ordered = orderBy?.length ? sql`${grouped} order by ${commaList(orderBy)}` : grouped;
  const cut = small ? sql` settings group_by_two_level_threshold = 20000` : EMPTY;
  if (limit === undefined) return sql`${ordered}${cut}`;
  return sql`${ordered} limit ${bound('Int64', limit)} offset ${bound('Int64', offset ?? 0)}${cut}`;
}

/** The person of a row of {@link selectFromPersons}. */
export const OWN_ID: Fragment = sql`p.person_id`;

/** A statement over the persons of one project, in their newest version and without those who are deleted. */
export function selectFromPersons(
  projectId: number,
  select: readonly Fragment[],
  where: Fragment,
  orderBy: readonly Fragment[] = [],
): Fragment {
  const asked = joinsOf([...select, where, ...orderBy]);
  const columns = columnsOf(asked.filter((join) => join.table === 'persons'));
  const rows = sql`select ${commaList(select)} from (${personRows(bound('Int32', projectId), columns)}) as p where ${where}`;
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
  const rows = sql`select ${commaList([sql`group_key`, ...columns])} from groups final where project_id = ${bound('Int32', projectId)}`;
  return sql`select ${commaList(select)} from (${rows}) as g0 where ${where}`;
}

// GLOBAL: on a cluster the joined side is read once and sent to the shards; on one server it changes nothing.
function joins(projectId: number, asked: readonly Join[]): Fragment {
  const project = bound('Int32', projectId);
  const persons = columnsOf(asked.filter((join) => join.table === 'persons'));
  const overrides = persons.length > 0 || asked.some((join) => join.table === 'person_overrides');
  const groups = asked.filter((join) => join.table === 'groups');
  const indexes = [...new Set(groups.map((join) => join.index))];
  const ofSessions = [...new Set(asked.flatMap((join) => (join.table === 'sessions' ? [join.name] : [])))];
  return sequence([
    overrides ? overridesJoin(project) : EMPTY,
    persons.length > 0 ? personsJoin(project, persons) : EMPTY,
    ...indexes.map((index) => groupsJoin(project, index, columnsOf(groups.filter((join) => join.index === index)))),
    ofSessions.length > 0 ? sessionsJoin(projectId, ofSessions) : EMPTY,
  ]);
}

const columnsOf = (asked: readonly { column: JoinedColumn }[]): Fragment[] =>
  [...new Map(asked.map(({ column }) => [column.alias, column])).values()].map(
    ({ alias, expression }) => sql`${expression} as ${identifier(alias)}`,
  );

// by their hashes: reading the texts takes longer than all else
const overridesJoin = (project: Fragment): Fragment =>
  sql` global any left join (select cityHash64(distinct_id) as distinct_hash, argMax(person_id, version) as person_id, true as is_known from person_overrides where project_id = ${project} group by distinct_hash) as o on o.distinct_hash = e.distinct_hash`;

const personRows = (project: Fragment, columns: Fragment[]): Fragment =>
  sql`select ${commaList([sql`person_id`, ...columns])} from persons final where project_id = ${project} and not is_deleted`;

const personsJoin = (project: Fragment, columns: Fragment[]): Fragment =>
  sql` global left join (${personRows(project, columns)}) as p on p.person_id = ${PERSON_ID}`;

const groupRows = (project: Fragment, index: number, columns: Fragment[]): Fragment =>
  sql`select ${commaList([sql`group_key`, ...columns])} from groups final where project_id = ${project} and group_type_index = ${bound('Int32', index)}`;

function groupsJoin(project: Fragment, index: number, columns: Fragment[]): Fragment {
  const alias = identifier(`g${index}`);
  return sql` global left join (${groupRows(project, index, columns)}) as ${alias} on ${alias}.group_key = e.${identifier(`group_${index}`)}`;
}

/** The sessions of a project as their events make them, whenever these were. */
function sessionsJoin(projectId: number, names: readonly string[]): Fragment {
  const rows = selectFromEvents({
    projectId,
    select: [
      sql`ifNull(${sessionId}, '') as session_id`,
      ...names.map((name) => sql`${sessionText(name)} as ${identifier(name)}`),
    ],
    where: [sql`${sessionId} != ''`],
    groupBy: [sql`session_id`],
  });
  return sql` global any left join (${rows}) as se on se.session_id = ifNull(${sessionId}, '')`;
}
