import { isObject, type JsonObject } from '../../kernel/json.js';
import { mapInnerQuery } from './unwrap-query.js';

/** What a dashboard lays over the queries on it. */
export interface QueryOverrides {
  filters: JsonObject;
  /** By the id of the variable. */
  variables: JsonObject;
}

/** A query of a tile with the filters and variables of its dashboard laid over. */
export const applyOverrides = (query: JsonObject, { filters, variables }: QueryOverrides): JsonObject =>
  withVariables(withFilters(query, filters), variables);

/** A query with the filters of a dashboard: their dates and breakdown instead of its own, their properties besides. */
const withFilters = (query: JsonObject, filters: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    if (inner['kind'] !== 'HogQLQuery') return filtered(inner, filters);
    // a select says itself where its filters go
    const { filters: own } = inner;
    const laid = filtered(isObject(own) ? own : {}, filters);
    return Object.keys(laid).length > 0 ? { ...inner, filters: laid } : inner;
  });

function filtered(inner: JsonObject, filters: JsonObject): JsonObject {
  const { date_from: from, date_to: to, properties, breakdown_filter: breakdown } = filters;
  const dated = from === undefined && to === undefined ? inner : withDates(inner, filters);
  const broken = isObject(breakdown) && takesBreakdown(inner) ? { ...dated, breakdownFilter: breakdown } : dated;
  if (!Array.isArray(properties) || properties.length === 0) return broken;
  const own = broken['properties'];
  if (own === undefined || own === null || Array.isArray(own)) return { ...broken, properties: [...(own ?? []), ...properties] };
  return { ...broken, properties: { type: 'AND', values: [own, { type: 'AND', values: properties }] } };
}

const BREAKS_DOWN: ReadonlySet<unknown> = new Set(['TrendsQuery', 'FunnelsQuery', 'RetentionQuery']);

/** Of funnels, the histogram of times has none: it would be refused. */
function takesBreakdown({ kind, funnelsFilter }: JsonObject): boolean {
  return BREAKS_DOWN.has(kind) && !(isObject(funnelsFilter) && funnelsFilter['funnelVizType'] === 'time_to_convert');
}

function withDates(inner: JsonObject, { date_from: from, date_to: to }: JsonObject): JsonObject {
  if (inner['kind'] === 'EventsQuery') {
    return { ...inner, ...(from ? { after: from } : {}), ...(to ? { before: to } : {}) };
  }
  const { dateRange } = inner;
  const own = isObject(dateRange) ? dateRange : {};
  // a beginning of the dashboard's stands for a range: an end of the tile's own would cut it
  if (from) return { ...inner, dateRange: { ...own, date_from: from, date_to: to ?? null } };
  return to ? { ...inner, dateRange: { ...own, date_to: to } } : inner;
}

/** A query with a dashboard's values for those variables that it has. */
const withVariables = (query: JsonObject, variables: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    const own = inner['variables'];
    if (!isObject(own)) return inner;
    const set = Object.entries(own).map(([id, variable]) => {
      const laid = Object.hasOwn(variables, id) ? variables[id] : null;
      return [id, isObject(variable) && isObject(laid) ? { ...variable, ...laid } : variable];
    });
    return { ...inner, variables: Object.fromEntries(set) };
  });
