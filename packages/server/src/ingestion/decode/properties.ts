import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/**
 * The properties to store: without `token` and `distinct_id`, which are stored elsewhere, and with the top-level `$set` and `$set_once` merged
 * over the nested ones. May change and return `properties` itself.
 */
export function storedProperties(properties: JsonObject, set: Json | undefined, setOnce: Json | undefined): JsonObject {
  const stored =
    Object.hasOwn(properties, 'token') || Object.hasOwn(properties, 'distinct_id') ? without(properties) : properties;
  if (isObject(set)) stored.$set = isObject(stored.$set) ? { ...stored.$set, ...set } : set;
  if (isObject(setOnce)) stored.$set_once = isObject(stored.$set_once) ? { ...stored.$set_once, ...setOnce } : setOnce;
  return stored;
}

/** A copy: `delete` would turn the object into a slow dictionary. */
function without(properties: JsonObject): JsonObject {
  const { token: _token, distinct_id: _distinctId, ...rest } = properties;
  return rest;
}
