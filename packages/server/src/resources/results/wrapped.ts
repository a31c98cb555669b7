import { isObject, type JsonObject } from '../../kernel/json.js';

/** The query inside the nodes by which insights and tables wrap it. */
export function innerQuery(query: JsonObject): JsonObject {
  const { source } = query;
  return isObject(source) ? innerQuery(source) : query;
}

/** The same nodes around another query. */
export function rewrapped(query: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  const { source } = query;
  return isObject(source) ? { ...query, source: rewrapped(source, change) } : change(query);
}
