import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';

/** An OpenAPI document, with its parts as the reference needs them. */
export interface ApiDocument {
  version: string;
  /** Markdown. */
  description: string;
  tags: { name: string; description: string; slug: string; operations: ApiOperation[] }[];
  /** Follows a `$ref`; returns a schema or response without one as it is. */
  resolve(value: JsonObject): JsonObject;
}

/** One operation: a method of a path. */
export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Markdown. */
  description: string;
  scopes: string[];
  needsCredentials: boolean;
  parameters: ApiParameter[];
  body: { mediaType: string; schema: JsonObject } | null;
  responses: { status: string; description: string; mediaType: string | null; schema: JsonObject | null }[];
}

export interface ApiParameter {
  name: string;
  place: 'path' | 'query';
  isRequired: boolean;
  description: string;
  schema: JsonObject;
  /** Empty without one. */
  example: string;
}

/** Reads the document that `describeApi` builds. */
export function readDocument(document: JsonObject): ApiDocument {
  const info = objectOf(document['info']);
  const resolve = (value: JsonObject): JsonObject => {
    const { $ref } = value;
    if (typeof $ref !== 'string') return value;
    let found: Json | undefined = document;
    for (const name of $ref.split('/').slice(1)) found = objectOf(found)[name];
    return objectOf(found);
  };
  const operations = Object.entries(objectOf(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, operation]) => readOperation(method, path, objectOf(operation), resolve)),
  );
  const tags = listOf(document['tags']).map((tag) => {
    const name = textOf(tag['name']);
    return {
      name,
      description: textOf(tag['description']),
      slug: name.toLowerCase().replaceAll(' ', '-'),
      operations: operations.filter((operation) => operation.tag === name),
    };
  });
  return { version: textOf(info['version']), description: textOf(info['description']), tags, resolve };
}

function readOperation(
  method: string,
  path: string,
  operation: JsonObject,
  resolve: ApiDocument['resolve'],
): ApiOperation & { tag: string } {
  const scopes = operation['x-required-scopes'];
  const security = operation['security'];
  return {
    id: textOf(operation['operationId']),
    tag: Array.isArray(operation['tags']) ? textOf(operation['tags'][0]) : '',
    method: method.toUpperCase(),
    path,
    summary: textOf(operation['summary']),
    description: textOf(operation['description']),
    scopes: Array.isArray(scopes) ? scopes.map(textOf) : [],
    needsCredentials: Array.isArray(security) && security.length > 0,
    parameters: listOf(operation['parameters']).map((parameter) => ({
      name: textOf(parameter['name']),
      place: parameter['in'] === 'path' ? 'path' : 'query',
      isRequired: parameter['required'] === true,
      description: textOf(parameter['description']),
      schema: objectOf(parameter['schema']),
      example: parameter['example'] === undefined ? '' : String(parameter['example']),
    })),
    body: contentOf(objectOf(operation['requestBody'])),
    responses: Object.entries(objectOf(operation['responses'])).map(([status, response]) => {
      const resolved = resolve(objectOf(response));
      const content = contentOf(resolved);
      return {
        status,
        description: textOf(resolved['description']),
        mediaType: content?.mediaType ?? null,
        schema: content?.schema ?? null,
      };
    }),
  };
}

function contentOf(holder: JsonObject): ApiOperation['body'] {
  const [first] = Object.entries(objectOf(holder['content']));
  return first ? { mediaType: first[0], schema: objectOf(objectOf(first[1])['schema']) } : null;
}

/** The value as an object; an empty one for anything else. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
/** The value as a text; empty for anything else. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/** The objects of a list; none for anything else. */
export const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map(objectOf) : []);
