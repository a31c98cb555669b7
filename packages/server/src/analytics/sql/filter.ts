import type { Moment } from '../dates.js';
import { type Filter, type FilterGroup, isGroup } from '../filter.js';
import type { WriteExpression } from '../kinds/sql/insight-expression.js';
import { behaviorCondition } from './behavior.js';
import { elementCondition } from './element.js';
import { bound, every, FALSE, type Fragment, some, sql, TRUE } from './fragment.js';
import { CONDITIONS } from './operators.js';
import { PERSON_ID } from './person-id.js';
import { property } from './property.js';

/** Who is in a cohort: people of whom a filter holds, or those with these uuids. */
export type Cohort = { name?: string | null } & ({ filter: Filter } | { people: readonly string[] });

/** Events that have a name together. */
export interface Action {
  name: string | null;
  /** Holds for the events that match any of its steps; an action without steps matches none. */
  filter: FilterGroup;
}

/** What filters are read against. */
export interface FilterContext {
  projectId: number;
  moment: Moment;
  /** Regular expressions that the engine cannot compile. */
  brokenPatterns: ReadonlySet<string>;
  /** The cohorts that filters name, also those within cohorts; none leads back to itself. */
  cohorts: ReadonlyMap<number, Cohort>;
  /** The actions that filters name, also those within cohorts. */
  actions: ReadonlyMap<number, Action>;
  /** Writes the expressions of SQL that authors put into filters, breakdowns and maths. */
  writeExpression: WriteExpression;
  /** The person who is asked about. */
  person: Fragment;
}

/** The condition that a filter stands for; true or false, never null. */
export function condition(filter: Filter, context: FilterContext): Fragment {
  if ('not' in filter) return sql`(not ${condition(filter.not, context)})`;
  if ('cohort' in filter) return membership(context.cohorts.get(filter.cohort), context);
  if ('event' in filter) return sql`e.event = ${bound('String', filter.event)}`;
  if ('action' in filter)
    return some((context.actions.get(filter.action)?.filter.values ?? []).map((step) => condition(step, context)));
  // `!= 0`: nothing else than numbers and conditions may be true
  if ('expression' in filter) return sql`(ifNull(${context.writeExpression(filter.expression, 'flag')}, 0) != 0)`;
  if ('element' in filter) return elementCondition(filter, context);
  if ('behavior' in filter) {
    return behaviorCondition(filter.behavior, condition(filter.behavior.properties, { ...context, person: PERSON_ID }), context);
  }
  if (!isGroup(filter)) {
    return sql`(${CONDITIONS[filter.operator](property(filter.owner, filter.key), filter.values, context)})`;
  }
  if (filter.values.length === 0) return TRUE;
  const conditions = filter.values.map((one) => condition(one, context));
  return filter.type === 'AND' ? every(conditions) : some(conditions);
}

function membership(cohort: Cohort | undefined, context: FilterContext): Fragment {
  if (!cohort) return FALSE;
  if ('filter' in cohort) return condition(cohort.filter, context);
  // as one text: the engine reads lists as parts of the statement, whose length it limits
  const ids = bound('String', cohort.people.join(','));
  return sql`${context.person} in (select toUUID(id) from (select arrayJoin(splitByChar(',', ${ids})) as id) where id != '')`;
}
