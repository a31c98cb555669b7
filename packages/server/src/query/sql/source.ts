import { bound, commaList, EMPTY, every, type Fragment, identifier, sql } from './fragment.js';

/** A column of a person's or a group's row, under the alias by which the statement knows it. */
export interface JoinedColumn {
  alias: string;
  expression: Fragment;
}

/** What a fragment needs beside the event itself. */
export type Join =
  | { table: 'person_overrides' }
  | { table: 'persons'; column: JoinedColumn }
  | { table: 'groups'; index: number; column: JoinedColumn };

/** A statement over the events of one project, as data. */
export interface EventsSelect {
  projectId: number;
  select: readonly Fragment[];
  where: readonly Fragment[];
  groupBy?: readonly Fragment[];
  orderBy?: readonly Fragment[];
  limit?: number;
  offset?: number;
}

/** The person of an event, merges honoured. */
export const PERSON_ID: Fragment = {
  ...sql`if(notEmpty(o.distinct_id), o.person_id, e.person_id)`,
  joins: [{ table: 'person_overrides' }],
};

/**
 * The only place that reads the analytics tables: every table in it is bound to the project, and persons and groups
 * are joined in their newest version when a fragment of the statement asks for them.
 */
export function selectFromEvents({ projectId, select, where, groupBy, orderBy, limit, offset }: EventsSelect): Fragment {
  const project = bound('Int32', projectId);
  const asked = [...select, ...where, ...(groupBy ?? []), ...(orderBy ?? [])].flatMap((fragment) => fragment.joins);
  const head = sql`select ${commaList(select)} from events as e${joins(project, asked)}`;
  const rows = sql`${head} where e.project_id = ${project} and ${every(where)}`;
  const grouped = groupBy?.length ? sql`${rows} group by ${commaList(groupBy)}` : rows;
  const ordered = orderBy?.length ? sql`${grouped} order by ${commaList(orderBy)}` : grouped;
  if (limit === undefined) return ordered;
  return sql`${ordered} limit ${bound('Int64', limit)} offset ${bound('Int64', offset ?? 0)}`;
}

// GLOBAL: on a cluster the joined side is read once and sent to the shards; on one server it changes nothing.
function joins(project: Fragment, asked: readonly Join[]): Fragment {
  const persons = columnsOf(asked.filter((join) => join.table === 'persons'));
  const overrides = persons.length > 0 || asked.some((join) => join.table === 'person_overrides');
  const groups = asked.filter((join) => join.table === 'groups');
  const indexes = [...new Set(groups.map((join) => join.index))];
  return [
    overrides ? overridesJoin(project) : EMPTY,
    persons.length > 0 ? personsJoin(project, persons) : EMPTY,
    ...indexes.map((index) => groupsJoin(project, index, columnsOf(groups.filter((join) => join.index === index)))),
  ].reduce((all, next) => sql`${all}${next}`, EMPTY);
}

const columnsOf = (asked: readonly { column: JoinedColumn }[]): Fragment[] =>
  [...new Map(asked.map(({ column }) => [column.alias, column])).values()].map(
    ({ alias, expression }) => sql`${expression} as ${identifier(alias)}`,
  );

const overridesJoin = (project: Fragment): Fragment =>
  sql` global left join (select distinct_id, argMax(person_id, version) as person_id from person_overrides where project_id = ${project} group by distinct_id) as o on o.distinct_id = e.distinct_id`;

const personsJoin = (project: Fragment, columns: Fragment[]): Fragment =>
  sql` global left join (select person_id, ${commaList(columns)} from persons final where project_id = ${project} and not is_deleted) as p on p.person_id = ${PERSON_ID}`;

function groupsJoin(project: Fragment, index: number, columns: Fragment[]): Fragment {
  const alias = identifier(`g${index}`);
  const rows = sql`select group_key, ${commaList(columns)} from groups final where project_id = ${project} and group_type_index = ${bound('Int32', index)}`;
  return sql` global left join (${rows}) as ${alias} on ${alias}.group_key = e.${identifier(`group_${index}`)}`;
}
