import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { expect } from 'vitest';
import { COMMON_ERROR_STATUSES, type Operation, operationsOf } from '../http/openapi/index.js';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { describeApi } from '../resources/schema/index.js';

/** What {@link checkAnswers} found; empty unless answers differ from the description. */
export interface AnswerCheck {
  /** @throws Error with every difference, each once */
  finish(): void;
}

const MAX_REPORTED = 20;

/**
 * Holds every answer of `app` to the description of the API: the status must be documented and the body must fit its schema.
 * To be called before the app is ready. Routes and answers that nobody has described yet are let through.
 */
export function checkAnswers(app: FastifyInstance): AnswerCheck {
  const differences = new Set<string>();
  let description: Description | undefined;
  app.addHook('onSend', async (request, reply, payload) => {
    description ??= descriptionOf(app);
    const difference = description.differenceOf(request, reply, payload);
    if (difference) differences.add(`${difference}\n    in: ${expect.getState().currentTestName ?? 'the set-up'}`);
    return payload;
  });
  return {
    finish: () => {
      if (differences.size === 0) return;
      const reported = [...differences].slice(0, MAX_REPORTED).join('\n');
      throw new Error(`${differences.size} answers differ from the description of the API:\n${reported}`);
    },
  };
}

interface Description {
  /** One sentence, or null when the answer is as described. */
  differenceOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | null;
}

/** By the routes of an app: those of a test file are the same in the next, and reading them takes a second of the processor. */
const descriptions = new Map<string, Description>();

function descriptionOf(app: FastifyInstance): Description {
  const routes = operationsOf(app)
    .map(({ method, urls }) => `${method} ${urls.join(' ')}`)
    .join('\n');
  const description = descriptions.get(routes) ?? readDescription(app);
  descriptions.set(routes, description);
  return description;
}

function readDescription(app: FastifyInstance): Description {
  const document = describeApi(app, 'test');
  const validator = createValidator(document);
  const places = new Map(
    Object.entries(toObject(document['paths'])).flatMap(([path, methods]) => placesOf(path, toObject(methods))),
  );
  const operations = operationsOf(app).flatMap((operation) =>
    operation.urls.map((url) => ({ key: bare(keyOf(operation, url)), operation })),
  );
  const documented = new Map(
    operations.map(({ key, operation }) => [key, operation.urls.map((url) => places.get(keyOf(operation, url))).find(Boolean)]),
  );
  return {
    differenceOf: (request, reply, payload) => {
      const { url } = request.routeOptions;
      const place = url === undefined ? undefined : documented.get(bare(`${request.method} ${url}`));
      const at = `${request.method} ${url ?? request.url.split('?')[0]} ${reply.statusCode}`;
      // what the client has already is not sent again
      if (reply.statusCode === 304) return null;
      if (!place)
        return url === undefined && /^\/api\//.test(request.url) && reply.statusCode >= 400 ? refusalFault(at, payload) : null;
      const response = toObject(place.operation['responses'])[String(reply.statusCode)];
      if (response === undefined) {
        return COMMON_ERROR_STATUSES.has(reply.statusCode) ? refusalFault(at, payload) : `${at}: this status is not described`;
      }
      const referred = toObject(response)['$ref'];
      const pointer = typeof referred === 'string' ? referred : `${place.pointer}/responses/${reply.statusCode}`;
      return bodyFault(at, pointer, reply, payload);
    },
  };

  function refusalFault(at: string, payload: unknown): string | null {
    return validator.fault(at, '#/components/schemas/Error', payload);
  }

  function bodyFault(at: string, pointer: string, reply: FastifyReply, payload: unknown): string | null {
    const content = toObject(resolve(document, pointer))['content'];
    if (content === undefined) return isEmpty(payload) ? null : `${at}: there should be no body`;
    const type = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? '';
    const media = toObject(content)[type] ?? toObject(content)['*/*'];
    if (media === undefined) return `${at}: ${type || 'no content type'} is not described`;
    // a file that is streamed is checked by its own tests
    if (toObject(media)['schema'] === undefined || !type.endsWith('json') || payload instanceof Readable) return null;
    const plain = reply.getHeader('content-encoding') === 'gzip' && payload instanceof Buffer ? gunzipSync(payload) : payload;
    return validator.fault(at, `${pointer}/content/${escaped(type)}/schema`, plain);
  }
}

interface Place {
  operation: JsonObject;
  /** Where it is in the document. */
  pointer: string;
}

const keyOf = ({ method }: Operation, url: string): string => `${method} ${url}`;

/** Without the slash at the end, which routes may leave out. */
const bare = (key: string): string => key.replace(/(?<=.)\/$/, '');

const placesOf = (path: string, methods: JsonObject): [string, Place][] =>
  Object.entries(methods).map(([method, operation]) => [
    `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    { operation: toObject(operation), pointer: `#/paths/${escaped(path)}/${method}` },
  ]);

/** What is wrong with the examples of the bodies that the API takes, a line each: there is none, or it does not fit. */
export function faultsOfExamples(document: JsonObject): string[] {
  const validator = createValidator(document);
  const operations = Object.entries(toObject(document['paths'])).flatMap(([path, methods]) =>
    path.startsWith('/api/') ? placesOf(path, toObject(methods)) : [],
  );
  return operations.flatMap(([at, { pointer }]) => {
    const place = `${pointer}/requestBody/content/application~1json/schema`;
    const schema = resolve(document, place);
    if (schema === undefined) return [];
    const named = toObject(schema)['$ref'];
    const { examples } = toObject(typeof named === 'string' ? resolve(document, named) : schema);
    if (!Array.isArray(examples)) return [`${at}: no example`];
    return examples.flatMap((example) => validator.fault(at, place, JSON.stringify(example)) ?? []);
  });
}

function createValidator(document: JsonObject) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  formats.default(ajv);
  // addresses that the service accepts, which are more than the library's
  ajv.addFormat('email', /^[^\s@]+@[^\s@]+$/);
  ajv.addSchema(document, 'api');
  const compiled = new Map<string, ValidateFunction>();
  return {
    fault: (at: string, pointer: string, payload: unknown): string | null => {
      const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api${pointer}` });
      compiled.set(pointer, validate);
      const value: unknown = typeof payload === 'string' || payload instanceof Buffer ? JSON.parse(String(payload)) : payload;
      if (validate(value)) return null;
      const faults = (validate.errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => {
        const more = 'additionalProperty' in params ? ` (${params['additionalProperty']})` : '';
        return `${instancePath || 'the body'} ${message}${more}`;
      });
      return `${at}: ${faults.join('; ')}`;
    },
  };
}

const isEmpty = (payload: unknown): boolean => payload === undefined || payload === null || payload === '';
const escaped = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');
const plain = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const resolve = (document: JsonObject, pointer: string): Json | undefined =>
  pointer
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((value, segment) => toObject(value)[plain(segment)], document);

const toObject = (value: Json | undefined): JsonObject => (value !== undefined && isObject(value) ? value : {});
