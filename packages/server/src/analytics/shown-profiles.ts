import type { Db } from '../ports/db.js';
import type { Breakdown } from './breakdown.js';
import type { ActorsQuery } from './kinds/actors/actors-schema.js';
import { actorBehind } from './kinds/actors/source-sql.js';
import { columnReader, type EventColumn } from './kinds/events/event-columns.js';
import type { EventsQuery } from './kinds/events/events-schema.js';
import { type Expression, profilesOfExpression } from './kinds/sql/expression.js';
import { profilesOfStatement } from './kinds/sql/sql.js';
import { isExpression, profilesOfList } from './kinds/sql/write-list.js';
import type { Query } from './query.js';
import { withVariableDefaults } from './run.js';
import type { EventsNode } from './series-schema.js';
import { type ProfileOwner, profilesRead } from './sql/fragment.js';

/*
 * Which queries show persons or groups: list them, or have values of their properties in the result. Conditions (`properties`, `where`,
 * cohorts, filters against test accounts) show none: the result has the rows and numbers of events for which they hold. A select of a
 * user shows all that it reads. Why: docs/decisions/0092-profiles-in-queries.md
 */

/** Profiles that a query shows, and the field of the query that asks for them. */
export interface ShownProfiles {
  of: ProfileOwner;
  /** Nested names joined by `__`. */
  field: string;
}

/** Whether a query may show profiles, without the costs of writing a select of a user. */
export const mayShowProfiles = (query: Query): boolean => query.kind === 'HogQLQuery' || shownBy(query).length > 0;

/**
 * The persons and groups that a query shows.
 * @throws ApiError invalid_input: its SQL is not allowed
 */
export async function shownProfiles(query: Query, project: { db: Db; projectId: number }): Promise<ShownProfiles[]> {
  // what stands for a variable decides whether the select can be written
  return shownBy(query.kind === 'HogQLQuery' && query.unset.length > 0 ? await withVariableDefaults(query, project) : query);
}

function shownBy(query: Query): ShownProfiles[] {
  switch (query.kind) {
    case 'ActorsQuery':
      return ofActors(query);
    case 'EventsQuery':
      return ofEvents(query);
    case 'HogQLQuery':
      return as('query', profilesOfStatement(query));
    case 'TrendsQuery':
      return [...ofBreakdown(query.breakdown), ...query.series.flatMap(ofMath)];
    case 'FunnelsQuery':
    case 'RetentionQuery':
      return ofBreakdown(query.breakdown);
    case 'PathsQuery':
      return query.expression ? as('pathsFilter__pathsHogQLExpression', profilesOfExpression(query.expression)) : [];
    // numbers of persons and groups
    case 'ExperimentQuery':
    case 'LifecycleQuery':
    case 'StickinessQuery':
      return [];
  }
}

const as = (field: string, owners: Iterable<ProfileOwner>): ShownProfiles[] => [...owners].map((of) => ({ of, field }));

function ofActors({ source }: ActorsQuery): ShownProfiles[] {
  const actor = source ? actorBehind(source) : { type: 'person' as const };
  if (actor.type === 'value') return as('source', profilesOfExpression(actor.expression));
  // the ids of sessions are those of events
  return actor.type === 'session' ? [] : [{ of: actor.type, field: source ? 'source' : 'kind' }];
}

function ofEvents({ select, orderBy }: EventsQuery): ShownProfiles[] {
  const orders = (orderBy ?? []).map(({ column }) => column);
  const expressions = select.filter(isExpression);
  return [
    ...as('select', new Set([...ofColumns(select), ...profilesOfList('events', expressions, [])])),
    // an expression of the order may name a column
    ...as('orderBy', new Set([...ofColumns(orders), ...profilesOfList('events', expressions, orders.filter(isExpression))])),
  ];
}

const ofColumns = (columns: readonly (EventColumn | Expression)[]): ProfileOwner[] =>
  columns.flatMap((column) => (isExpression(column) ? [] : columnReader(column).select.flatMap((one) => [...profilesRead(one)])));

function ofBreakdown(breakdown: Breakdown | null): ShownProfiles[] {
  if (breakdown?.by.type !== 'properties') return [];
  const owners = breakdown.by.properties.flatMap((one) =>
    'expression' in one ? [...profilesOfExpression(one.expression)] : ownerOf(one.owner),
  );
  return as('breakdownFilter', new Set(owners));
}

function ofMath({ math }: EventsNode, index: number): ShownProfiles[] {
  if (math.kind === 'hogql') return as(`series__${index}__math_hogql`, profilesOfExpression(math.expression));
  return 'property' in math ? as(`series__${index}__math_property`, ownerOf(math.property.owner)) : [];
}

const ownerOf = ({ type }: { type: string }): ProfileOwner[] => (type === 'person' || type === 'group' ? [type] : []);
