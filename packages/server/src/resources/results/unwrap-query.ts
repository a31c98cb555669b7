import { isObject, type JsonObject } from '../../kernel/json.js';

/** The query inside the nodes by which insights and tables wrap it. */
export function unwrapQuery(query: JsonObject): JsonObject {
  const { source } = query;
  return isObject(source) ? unwrapQuery(source) : query;
}

/** The same nodes around another query. */
export function mapInnerQuery(query: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  const { source } = query;
  return isObject(source) ? { ...query, source: mapInnerQuery(source, change) } : change(query);
}
