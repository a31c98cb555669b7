import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/**
 * Lists what a document lacks, one line each: schemas of responses, descriptions of fields and parameters, tags of operations, unique
 * operation ids.
 */
export function findGaps(document: JsonObject): string[] {
  const ids = new Map<string, string>();
  const gaps: string[] = [];
  for (const [path, methods] of entries(document['paths'])) {
    for (const [method, operation] of entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      gaps.push(...ofOperation(operation).map((gap) => `${at}: ${gap}`));
      const id = String(operation['operationId']);
      if (ids.has(id)) gaps.push(`${at}: is called ${id}, as is ${ids.get(id)}`);
      ids.set(id, at);
    }
  }
  const schemas = entries(document['components']).filter(([section]) => section === 'schemas');
  for (const [name, schema] of schemas.flatMap(([, named]) => entries(named))) gaps.push(...ofSchema(schema, name));
  return gaps;
}

function ofOperation(operation: JsonObject): string[] {
  const gaps: string[] = [];
  if (operation['tags'] === undefined || String(operation['tags']) === '') gaps.push('has no tag');
  const names = new Set<Json | undefined>();
  for (const parameter of items(operation['parameters'])) {
    if (names.has(parameter['name'])) gaps.push(`has two parameters ${parameter['name']}`);
    names.add(parameter['name']);
    if (!parameter['description']) gaps.push(`parameter ${parameter['name']} has no description`);
  }
  for (const [type, media] of content(operation['requestBody'])) gaps.push(...ofMedia(media, `body (${type})`));
  for (const [status, response] of entries(operation['responses'])) {
    for (const [type, media] of content(response)) {
      if (type.endsWith('json')) gaps.push(...ofMedia(media, `answer ${status}`));
    }
  }
  return gaps;
}

function ofMedia(media: JsonObject, at: string): string[] {
  const { schema } = media;
  return schema !== undefined && isObject(schema) ? ofSchema(schema, at) : [`${at} has no schema`];
}

function ofSchema(schema: JsonObject, at: string): string[] {
  const fields = entries(schema['properties']).flatMap(([name, field]) => [
    ...(field['description'] ? [] : [`${at}.${name} has no description`]),
    ...ofSchema(field, `${at}.${name}`),
  ]);
  const inner = ['items', 'additionalProperties'].flatMap((key) => {
    const value = schema[key];
    return value !== undefined && isObject(value) ? ofSchema(value, `${at}[]`) : [];
  });
  const alternatives = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) =>
    items(schema[key]).flatMap((one) => ofSchema(one, at)),
  );
  return [...fields, ...inner, ...alternatives];
}

const entries = (value: Json | undefined): [string, JsonObject][] =>
  value !== undefined && isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
const items = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const content = (value: Json | undefined): [string, JsonObject][] =>
  value !== undefined && isObject(value) ? entries(value['content']) : [];
