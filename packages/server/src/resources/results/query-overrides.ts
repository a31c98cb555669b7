import { z } from 'zod';
import { optional } from '../../http/fields.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/** Filters and variables that replace or extend those of a query: of a dashboard, or of a request. */
export interface QueryOverrides {
  filters: JsonObject;
  /** By the id of the variable. */
  variables: JsonObject;
}

/** Applies the filters and variables of a dashboard to the query of a tile. */
export const applyOverrides = (query: JsonObject, { filters, variables }: QueryOverrides): JsonObject =>
  withVariables(withFilters(query, filters), variables);

/** Applies filters: dates and breakdown replace those of the query, properties are added (AND). An experiment has its own dates and people. */
const withFilters = (query: JsonObject, filters: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    if (inner['kind'] === 'ExperimentQuery') return inner;
    if (inner['kind'] !== 'HogQLQuery') return filtered(inner, filters);
    // SQL places its filters itself, by `{filters}`
    const { filters: own } = inner;
    const merged = filtered(isObject(own) ? own : {}, filters);
    return Object.keys(merged).length > 0 ? { ...inner, filters: merged } : inner;
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

/** The time-to-convert view of funnels rejects breakdowns. */
function takesBreakdown({ kind, funnelsFilter }: JsonObject): boolean {
  return BREAKS_DOWN.has(kind) && !(isObject(funnelsFilter) && funnelsFilter['funnelVizType'] === 'time_to_convert');
}

function withDates(inner: JsonObject, { date_from: from, date_to: to }: JsonObject): JsonObject {
  if (inner['kind'] === 'EventsQuery') {
    return { ...inner, ...(from ? { after: from } : {}), ...(to ? { before: to } : {}) };
  }
  const { dateRange } = inner;
  const own = isObject(dateRange) ? dateRange : {};
  // `date_from` overrides the whole range: the tile's own `date_to` would cut it
  if (from) return { ...inner, dateRange: { ...own, date_from: from, date_to: to ?? null } };
  return to ? { ...inner, dateRange: { ...own, date_to: to } } : inner;
}

/** Sets the values of variables that the query has or that its SQL names; others are ignored. */
const withVariables = (query: JsonObject, variables: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    const own = isObject(inner['variables']) ? inner['variables'] : {};
    const named = Object.entries(variables).filter(([id, given]) => !Object.hasOwn(own, id) && isNamed(inner, own, given));
    if (named.length === 0 && !isObject(inner['variables'])) return inner;
    const set = Object.entries(own).map(([id, variable]) => {
      const given = Object.hasOwn(variables, id) ? variables[id] : overrideByName(variables, variable);
      return [id, isObject(variable) && isObject(given) ? { ...variable, ...given } : variable];
    });
    return { ...inner, variables: Object.fromEntries([...set, ...named]) };
  });

const codeNameOf = (variable: Json | undefined): string | null =>
  isObject(variable) && typeof variable['code_name'] === 'string' ? variable['code_name'] : null;

/** The override of a variable by its code name: one that was deleted and made again has another id. */
const overrideByName = (variables: JsonObject, variable: Json | undefined): Json | undefined =>
  Object.values(variables).find((given) => codeNameOf(given) !== null && codeNameOf(given) === codeNameOf(variable));

/** Whether the SQL of a query names a variable that the query does not list. */
function isNamed({ kind, query }: JsonObject, own: JsonObject, given: Json | undefined): boolean {
  const name = codeNameOf(given);
  if (name === null || kind !== 'HogQLQuery' || typeof query !== 'string') return false;
  if (Object.values(own).some((variable) => codeNameOf(variable) === name)) return false;
  return [...query.matchAll(/\{\s*variables\s*\.\s*(\w+)\s*\}/g)].some(([, used]) => used === name);
}

/** Schema of a query parameter with a JSON object. Errors have the wording that clients expect. */
export const overrideParam = (name: string) =>
  optional(
    z.unknown().transform((value, ctx): JsonObject | undefined => {
      if (value === '') return undefined;
      const parsed = typeof value === 'string' ? parse(value) : undefined;
      if (isObject(parsed)) return parsed;
      const message = `Invalid JSON passed in ${name} parameter`;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: value });
      return z.NEVER;
    }),
  ).meta({ type: 'string', contentMediaType: 'application/json' });

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Unwraps a query from nodes such as `InsightVizNode`. */
export function unwrapQuery(query: JsonObject): JsonObject {
  const { source } = query;
  return isObject(source) ? unwrapQuery(source) : query;
}

/** Changes the inner query and keeps the nodes around it. */
export function mapInnerQuery(query: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  const { source } = query;
  return isObject(source) ? { ...query, source: mapInnerQuery(source, change) } : change(query);
}
