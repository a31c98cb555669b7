import { isObject, type JsonObject } from '../../kernel/json.js';

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
