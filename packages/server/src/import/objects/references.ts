import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/** Ids in the target by ids in the source, of the kinds that others refer to. */
export interface IdMaps {
  of(kind: string, id: unknown): number | string | undefined;
}

/** A value with the ids of the target, and the references that have none there. */
export interface Mapped<T> {
  value: T;
  /** Such as "cohort 12". */
  missing: string[];
}

const COHORT_TYPES = new Set(['cohort', 'static-cohort', 'precalculated-cohort', 'dynamic-cohort']);

/**
 * Replaces the ids of cohorts, actions, flags and variables in filters, queries and steps, wherever they stand:
 *
 *     { type: 'cohort', value: 12 }   { kind: 'ActionsNode', id: 3 }   actions: [{ id: 3 }]   { type: 'flag', key: '7' }
 *     { breakdown_type: 'cohort', breakdown: [12, 'all'] }             variables: { uuid: { variableId: uuid } }
 */
export function mapReferences<T extends Json>(value: T, ids: IdMaps): Mapped<T> {
  const missing = new Set<string>();
  const find = (kind: string, word: string, id: Json): Json => {
    const found = ids.of(kind, id);
    if (found !== undefined) return typeof id === 'string' && typeof found === 'number' ? String(found) : found;
    missing.add(`${word} ${String(id)}`);
    return id;
  };
  const cohort = (id: Json): Json => (isNumeric(id) ? find('cohorts', 'cohort', id) : id);

  const walk = (at: Json, name: string): Json => {
    if (Array.isArray(at)) return at.map((item) => (name === 'actions' ? mapAction(item) : walk(item, '')));
    if (!isObject(at)) return at;
    const object: JsonObject = {};
    for (const [key, inner] of Object.entries(at)) object[key] = key === 'variables' ? mapVariables(inner) : walk(inner, key);
    const { type, kind } = at;
    if (typeof type === 'string' && COHORT_TYPES.has(type) && at['value'] !== undefined)
      object['value'] = eachOf(at['value'], cohort);
    if (type === 'flag' && isNumeric(at['key'])) object['key'] = find('feature_flags', 'flag', at['key'] ?? null);
    if (kind === 'ActionsNode' && isNumeric(at['id'])) object['id'] = find('actions', 'action', at['id'] ?? null);
    if (at['breakdown_type'] === 'cohort' && at['breakdown'] !== undefined) object['breakdown'] = eachOf(at['breakdown'], cohort);
    return object;
  };
  const mapAction = (item: Json): Json => {
    const walked = walk(item, '');
    return isObject(walked) && isNumeric(walked['id'])
      ? { ...walked, id: find('actions', 'action', walked['id'] ?? null) }
      : walked;
  };
  const mapVariables = (variables: Json): Json => {
    if (!isObject(variables)) return walk(variables, '');
    return Object.fromEntries(
      Object.entries(variables).map(([key, inner]): [string, Json] => {
        const found = ids.of('insight_variables', key);
        if (!isObject(inner) || found === undefined) return [key, walk(inner, '')];
        return [String(found), { ...inner, variableId: found }];
      }),
    );
  };
  return { value: walk(value, '') as T, missing: [...missing] };
}

const isNumeric = (id: Json | undefined): boolean => typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id));
const eachOf = (value: Json, map: (one: Json) => Json): Json => (Array.isArray(value) ? value.map(map) : map(value));
