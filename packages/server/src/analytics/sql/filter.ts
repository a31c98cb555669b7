import type { Span } from '../buckets.js';
import type { Moment } from '../dates.js';
import { type Filter, type FilterGroup, isGroup } from '../filter.js';
import type { InsightScope } from '../insight-schema.js';
import type { KindContext } from '../kinds/kind.js';
import type { WriteExpression } from '../kinds/sql/expression.js';
import { behaviorCondition } from './behavior.js';
import { elementCondition } from './element.js';
import { bound, every, FALSE, type Fragment, some, sql, TRUE } from './fragment.js';
import { CONDITIONS } from './operators.js';
import { PERSON_ID, PERSON_NUMBER, property } from './property.js';
import { within } from './time.js';

/** Members of a cohort: people who match a filter, or a list of uuids. */
export type Cohort = { name?: string | null } & ({ filter: Filter } | { people: readonly string[] });

/** An action: a named set of events. */
export interface Action {
  name: string | null;
  /** One condition per step, joined by OR. An action without steps matches nothing. */
  filter: FilterGroup;
}

/** What is needed to write filters as SQL. */
export interface FilterContext {
  projectId: number;
  moment: Moment;
  /** Regular expressions that the engine cannot compile. */
  brokenPatterns: ReadonlySet<string>;
  /** All cohorts that filters name, including nested ones. There are no cycles. */
  cohorts: ReadonlyMap<number, Cohort>;
  /** All actions that filters name, also inside cohorts. */
  actions: ReadonlyMap<number, Action>;
  /** Writes the SQL expressions of users in filters, breakdowns and maths. */
  writeExpression: WriteExpression;
  /** The person's uuid in the current row. */
  person: Fragment;
}

/** Writes a filter as a condition that is true or false, never null. */
export function condition(filter: Filter, context: FilterContext): Fragment {
  if ('not' in filter) return sql`(not ${condition(filter.not, context)})`;
  if ('cohort' in filter) return membership(context.cohorts.get(filter.cohort), context);
  if ('event' in filter) return sql`e.event = ${bound('String', filter.event)}`;
  if ('action' in filter)
    return some((context.actions.get(filter.action)?.filter.values ?? []).map((step) => condition(step, context)));
  // `!= 0` makes the engine reject texts and other non-boolean results
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
  // bound as one text: a list would count towards the maximum query size
  const ids = bound('String', cohort.people.join(','));
  return sql`${context.person} in (select toUUID(id) from (select arrayJoin(splitByChar(',', ${ids})) as id) where id != '')`;
}

/** Conditions of an insight on an event: time span, filters, test accounts and sampling. */
export const inScope = (scope: InsightScope, span: Span, context: KindContext): Fragment[] => [
  ...within(span),
  ...aboutScope(scope, context),
];

/** As {@link inScope}, without the time span. */
export const aboutScope = (scope: InsightScope, context: KindContext): Fragment[] => [
  condition(scope.properties, context),
  ...(scope.filterTestAccounts ? [condition(context.testAccounts, context)] : []),
  ...(scope.samplingFactor < 1 ? [inSample(scope.samplingFactor)] : []),
];

const SHARES = 1_000_000;

/** Samples by person: with all their events, and the same persons in every query. */
const inSample = (factor: number): Fragment => sql`${PERSON_NUMBER} % 1000000 < ${bound('Int64', Math.round(factor * SHARES))}`;
