import { z } from 'zod';
import type { Json, JsonObject } from '../../kernel/json.js';
import { pageParameters } from '../pagination.js';
import { errorResponseReference } from './error-responses.js';
import { type Components, propertiesOf, toJsonSchema } from './json-schema.js';
import type { Access, Operation, ResponseInfo } from './operation.js';

const JSON_TYPE = 'application/json';

/** Describes an operation under its documented path. */
export function describeOperation(operation: Operation, url: string, tag: string, components: Components): JsonObject {
  const { method, summary, description, access, body, bodyType = JSON_TYPE } = operation;
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({
    status,
    response: describeResponse(status, answer, components),
    fields: fieldsOf(answer, components),
  }));
  const isPage = answers.some(({ fields }) => fields.includes('count') && fields.includes('results'));
  const isList = answers.some(({ fields }) => fields.includes('results') || fields.includes('items'));
  const parameters = parametersOf(operation, url, isPage, components);
  return {
    operationId: operationId(method, url, isList),
    tags: [tag],
    summary,
    description: [description, accessText(access), aliasText(operation, url)].filter(Boolean).join('\n\n'),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: true, content: { [bodyType]: { schema: toJsonSchema(body, 'input', components) } } } }
      : {}),
    responses: {
      ...Object.fromEntries(answers.map(({ status, response }) => [status, response])),
      ...Object.fromEntries(errorStatusesOf(operation).map((status) => [status, errorResponseReference(status)])),
    },
    security: securityOf(access),
    ...(access?.includes(':') ? { 'x-required-scopes': [access] } : {}),
  };
}

/** Descriptions of responses without one of their own, by status. */
const STATUSES: Record<string, string> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done. No body.',
  302: 'A redirect to the URL in `Location`. No body.',
  405: 'Never allowed. No body.',
};

function describeResponse(
  status: string,
  { description, schema, mediaType = JSON_TYPE, otherMediaType }: ResponseInfo,
  components: Components,
): JsonObject {
  if (schema === null) return { description: description ?? STATUSES[status] ?? '' };
  const described = schema ? toJsonSchema(schema, 'output', components) : null;
  return {
    description: description ?? resolve(described ?? {}, components)['description'] ?? STATUSES[status] ?? '',
    content: { [mediaType]: described ? { schema: described } : {}, ...(otherMediaType ? { [otherMediaType]: {} } : {}) },
  };
}

/** Field names of a response; `items` for a bare list. */
function fieldsOf({ schema }: ResponseInfo, components: Components): string[] {
  if (!schema) return [];
  const described = resolve(toJsonSchema(schema, 'output', components), components);
  return described['type'] === 'array' ? ['items'] : propertiesOf(described).map(([name]) => name);
}

function resolve(schema: JsonObject, components: Components): JsonObject {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (components.get($ref.split('/').at(-1) ?? '') ?? {}) : schema;
}

function parametersOf({ query, params = {} }: Operation, url: string, isPage: boolean, components: Components): JsonObject[] {
  const segments = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    parameter(name, 'path', true, toJsonSchema(pathParameterSchema(name, params[name]), 'input', components)),
  );
  const own = query ? queryParameters(query, components) : [];
  const known = new Set(own.map(({ name }) => name));
  const ofPage = isPage ? queryParameters(pageQuery, components).filter(({ name }) => !known.has(name)) : [];
  return [...segments, ...own, ...ofPage];
}

function queryParameters(query: z.ZodType, components: Components): JsonObject[] {
  const described = resolve(toJsonSchema(query, 'input', components), components);
  const required = Array.isArray(described['required']) ? described['required'] : [];
  return propertiesOf(described).map(([name, schema]) => parameter(name, 'query', required.includes(name), schema));
}

function parameter(name: string, place: 'path' | 'query', required: boolean, schema: JsonObject): JsonObject {
  const { description, examples, ...rest } = schema;
  const example: Json | undefined = Array.isArray(examples) ? examples[0] : undefined;
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}

/** Parameters of every paginated list. */
const pageQuery = z.object(pageParameters);

function errorStatusesOf({ access, errorStatuses: refusals }: Operation): number[] {
  const ofCredentials = access === null ? [] : [401, 403, ...(access === 'session' ? [] : [429])];
  return [...new Set([...refusals, ...ofCredentials])].toSorted((a, b) => a - b);
}

function securityOf(access: Access): JsonObject[] {
  if (access === null) return [];
  const session = { session: [] };
  if (access === 'session') return [session];
  return [{ personalApiKey: access === 'any' ? [] : [access] }, session];
}

function accessText(access: Access): string {
  if (access === null) return 'Needs no credentials.';
  if (access === 'session') return 'Needs a login session; personal API keys are refused.';
  if (access === 'any') return 'Open to every personal API key.';
  return `Personal API keys need the scope \`${access}\`.`;
}

function aliasText({ urls }: Operation, url: string): string {
  const others = urls.filter((other) => other !== url).map((other) => `\`${other.replaceAll(/:(\w+)/g, '{$1}')}\``);
  return others.length > 0 ? `Also at ${others.join(' and ')}.` : '';
}

const VERBS: Record<string, string> = { POST: 'create', PATCH: 'partial_update', PUT: 'update', DELETE: 'destroy' };

/** The id of an operation, derived from its method and path, such as `dashboards_collaborators_list`. */
function operationId(method: string, url: string, isList: boolean): string {
  const segments = url
    .replace(/^\/api\/environments\/:project_id\//, '/')
    .split('/')
    .filter(Boolean);
  const names = segments.filter((segment, index) => !segment.startsWith(':') && !(index === 0 && segment === 'api'));
  // an action on the object itself has no other name
  if (method === 'POST' && segments.at(-1)?.startsWith(':')) names.push(segments.at(-1)?.slice(1) ?? '');
  const verb = VERBS[method] ?? (isList && !segments.at(-1)?.startsWith(':') ? 'list' : 'retrieve');
  return [...names, verb].join('_').replaceAll(/\W+/g, '_').replace(/^_/, '');
}

/** Parameters with the same meaning in all paths. */
const COMMON: Record<string, z.ZodType> = {
  project_id: z
    .string()
    .describe('Number of the project, or `@current` for the project where the caller is.')
    .meta({ example: '1' }),
  organization_id: z
    .string()
    .describe('UUID of the organization, or `@current` for the organization where the caller is.')
    .meta({ example: '@current' }),
};

/** The schema of a path parameter: the route's own, else a common one, else an undescribed text. */
const pathParameterSchema = (name: string, own: z.ZodType | undefined): z.ZodType => own ?? COMMON[name] ?? z.string();
