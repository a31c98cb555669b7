/** Whose profiles a query may show. */
export type Profile = 'person' | 'group';

/** A query, with fields of its kind. */
export interface QueryFields {
  kind: string;
  [field: string]: unknown;
}

const bought = { kind: 'EventsNode', event: 'bought' };
const days = { dateRange: { date_from: 'all' } };
export const trend = { kind: 'TrendsQuery', series: [bought], ...days };
const funnel = { kind: 'FunnelsQuery', series: [bought, bought], ...days };
const retention = { kind: 'RetentionQuery', ...days };
const point = (source: object, fields: object = {}) => ({
  kind: 'ActorsQuery',
  source: { kind: 'InsightActorsQuery', source, ...fields },
});
export const plan = [{ key: 'plan', type: 'person', operator: 'exact', value: ['secret-plan'] }];
const city = [{ key: 'city', type: 'group', group_type_index: 0, operator: 'exact', value: ['Oslo'] }];
export const byPlan = { breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } };
const byCity = { breakdownFilter: { breakdown: 'city', breakdown_type: 'group', breakdown_group_type_index: 0 } };
const bySql = (breakdown: string) => ({ breakdownFilter: { breakdown, breakdown_type: 'hogql' } });
const ofGroups = { aggregation_group_type_index: 0 };
const ofGroup = { math: 'unique_group', math_group_type_index: 0 };
const sql = (query: string, fields: object = {}) => ({ kind: 'HogQLQuery', query, ...fields });
const events = (select: string[], fields: object = {}) => ({ kind: 'EventsQuery', after: 'all', select, ...fields });
const paths = (expression: string) => ({
  kind: 'PathsQuery',
  ...days,
  pathsFilter: { includeEventTypes: ['hogql'], pathsHogQLExpression: expression },
});

/** Queries that show profiles, whose, and the field that the refusal names. */
export const SHOWING: [query: QueryFields, of: Profile, field: string][] = [
  [{ kind: 'ActorsQuery' }, 'person', 'kind'],
  [{ kind: 'ActorsQuery', select: ['id'] }, 'person', 'kind'],
  [{ kind: 'ActorsQuery', select: ['count()'] }, 'person', 'kind'],
  [point(trend), 'person', 'source'],
  [point({ ...trend, series: [{ ...bought, ...ofGroup }] }), 'group', 'source'],
  [point({ ...trend, series: [{ ...bought, math: 'avg_count_per_actor', math_group_type_index: 0 }] }), 'group', 'source'],
  [point(funnel, { funnelStep: 1 }), 'person', 'source'],
  [point({ ...funnel, ...ofGroups }, { funnelStep: 1 }), 'group', 'source'],
  [
    point({ ...funnel, funnelsFilter: { funnelAggregateByHogQL: 'person.properties.plan' } }, { funnelStep: 1 }),
    'person',
    'source',
  ],
  [point(retention), 'person', 'source'],
  [point({ ...retention, ...ofGroups }), 'group', 'source'],
  [point({ kind: 'StickinessQuery', series: [bought], ...days }, { day: 1 }), 'person', 'source'],
  [point({ kind: 'StickinessQuery', series: [{ ...bought, ...ofGroup }], ...days }, { day: 1 }), 'group', 'source'],
  [point({ kind: 'PathsQuery', ...days }), 'person', 'source'],
  [point({ kind: 'PathsQuery', ...days, ...ofGroups }), 'group', 'source'],
  [events(['*', 'person']), 'person', 'select'],
  [events(['person_display_name -- Person']), 'person', 'select'],
  [events(['person.properties.plan']), 'person', 'select'],
  [events(['upper(person.properties.plan) as x', 'count()']), 'person', 'select'],
  [events(['toString(person.created_at)']), 'person', 'select'],
  [events(['(select max(properties.plan) from persons)']), 'person', 'select'],
  [events(['event'], { orderBy: ['person.properties.plan'] }), 'person', 'orderBy'],
  [events(['event'], { orderBy: ['length(person.properties.plan)'] }), 'person', 'orderBy'],
  [events(['group_0.properties.city']), 'group', 'select'],
  [events(['concat(group_0.properties.city, event)']), 'group', 'select'],
  [sql('select id from persons'), 'person', 'query'],
  [sql('select count() from persons'), 'person', 'query'],
  [sql('select count() from events where person.properties.plan = 1'), 'person', 'query'],
  [sql('select e.person.properties.plan from events as e'), 'person', 'query'],
  [sql('with p as (select properties from persons) select event, (select count() from p) from events'), 'person', 'query'],
  [sql('select event from events where distinct_id in (select toString(id) from persons)'), 'person', 'query'],
  [sql('select 1 union all select count() from persons'), 'person', 'query'],
  [sql('select e.event from events e join persons p on p.id = e.person_id'), 'person', 'query'],
  [
    sql('select event from events where event in {variables.names} and person.is_identified', {
      variables: { v: { code_name: 'names', value: ['bought'] } },
    }),
    'person',
    'query',
  ],
  [sql('select key from groups'), 'group', 'query'],
  [sql('select group_0.properties.city from events'), 'group', 'query'],
  [sql('select $group_0.properties from events'), 'group', 'query'],
  [{ ...trend, ...byPlan }, 'person', 'breakdownFilter'],
  [{ ...trend, breakdownFilter: { breakdowns: [{ property: 'plan', type: 'person' }] } }, 'person', 'breakdownFilter'],
  [{ ...trend, ...bySql('person.properties.plan') }, 'person', 'breakdownFilter'],
  [{ ...trend, ...byCity }, 'group', 'breakdownFilter'],
  [{ ...trend, ...bySql('group_0.properties.city') }, 'group', 'breakdownFilter'],
  [
    { ...trend, series: [bought, { ...bought, math: 'max', math_property: 'age', math_property_type: 'person_properties' }] },
    'person',
    'series.1.math_property',
  ],
  [
    { ...trend, series: [{ ...bought, math: 'hogql', math_hogql: 'max(length(person.properties.plan))' }] },
    'person',
    'series.0.math_hogql',
  ],
  [{ ...funnel, ...byPlan }, 'person', 'breakdownFilter'],
  [{ ...funnel, ...byCity }, 'group', 'breakdownFilter'],
  [{ ...retention, ...byPlan }, 'person', 'breakdownFilter'],
  [{ ...retention, ...byCity }, 'group', 'breakdownFilter'],
  [paths('person.properties.plan'), 'person', 'pathsFilter.pathsHogQLExpression'],
  [paths('group_0.properties.city'), 'group', 'pathsFilter.pathsHogQLExpression'],
];

/** Queries that show rows and numbers of events alone, also where they have conditions about persons and groups. */
export const OPEN: QueryFields[] = [
  trend,
  { ...trend, properties: [...plan, ...city] },
  { ...trend, breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' } },
  { ...trend, series: [{ ...bought, ...ofGroup }] },
  { ...trend, series: [{ ...bought, math: 'dau' }] },
  { ...funnel, properties: plan },
  { ...funnel, funnelsFilter: { funnelAggregateByHogQL: 'person.properties.plan' } },
  { ...retention, ...ofGroups },
  { kind: 'StickinessQuery', series: [bought], ...days, properties: plan },
  { kind: 'LifecycleQuery', series: [bought], ...days, properties: plan },
  { kind: 'PathsQuery', ...days, properties: plan },
  paths('properties.price'),
  events(['*', 'person_id', '$group_0']),
  events(['event', 'count()'], { where: ["person.properties.plan = 'secret-plan'"], properties: city }),
  sql('select count(distinct person_id), uniq($group_0) from events'),
  sql('with p as (select id from persons) select count() from events'),
  sql('select count() from sessions'),
  sql('select count() from events where {filters}', { filters: { properties: plan } }),
  point({ ...funnel, funnelsFilter: { funnelAggregateByHogQL: 'properties.$session_id' } }, { funnelStep: 1 }),
];

/** Kinds that never show profiles, with the reason. */
export const NUMBERS_ALONE: Record<string, string> = {
  LifecycleQuery: 'numbers of persons or groups by status',
  StickinessQuery: 'numbers of persons or groups by how often they come',
  ExperimentQuery: 'statistics of the values of events by variant',
};
