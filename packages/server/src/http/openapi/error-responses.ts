import { z } from 'zod';
import { ERRORS } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';

const TYPES = [...new Set(Object.values(ERRORS).map(([, type]) => type))];

/** The body of every error response of the REST API. */
export const errorSchema = z
  .object({
    type: z.enum(TYPES).describe('Kind of fault.'),
    code: z.string().describe('What is wrong, for programs: stable.'),
    detail: z.string().describe('What is wrong, for people.'),
    attr: z
      .string()
      .nullable()
      .describe('The field at fault, names of nested ones joined by two underscores; null when it is the whole request.'),
    extra: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('More about it; of a fault of the service the `request_id` that is also in its log.'),
  })
  .meta({ id: 'Error', description: 'Why a request was refused. Only the first error is reported.' });

const ERROR: JsonObject = { $ref: '#/components/schemas/Error' };

/** An error response of the document, with the body of `code` as its example. */
function errorResponse(
  description: string,
  code: keyof typeof ERRORS,
  attr: string | null = null,
  headers?: JsonObject,
): JsonObject {
  const [, type, detail] = ERRORS[code];
  return {
    description,
    ...(headers ? { headers } : {}),
    content: { 'application/json': { schema: ERROR, examples: { [code]: { value: { type, code, detail, attr } } } } },
  };
}

const header = (description: string, schema: JsonObject): JsonObject => ({ description, schema });
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1 }) };

/** Shared error responses by status, which operations reference. */
const ERROR_RESPONSES: Record<number, { name: string; response: JsonObject }> = {
  400: {
    name: 'BadRequest',
    response: errorResponse('A field, a parameter or the whole body is not as it must be.', 'required', 'name'),
  },
  401: {
    name: 'Unauthorized',
    response: errorResponse('There are no credentials, or they are not valid.', 'not_authenticated', null, {
      'WWW-Authenticate': header('How to authenticate.', { type: 'string', const: 'Bearer' }),
    }),
  },
  403: { name: 'Forbidden', response: errorResponse('The key lacks the scope, or the caller the right.', 'permission_denied') },
  404: { name: 'NotFound', response: errorResponse('There is no such object, or the caller cannot see it.', 'not_found') },
  405: { name: 'MethodNotAllowed', response: errorResponse('The path has no such method.', 'method_not_allowed') },
  409: { name: 'Conflict', response: errorResponse('Somebody else has changed the object meanwhile.', 'conflict') },
  425: {
    name: 'TooEarly',
    response: errorResponse('What is asked for is still being made.', 'export_not_ready', null, RETRY_AFTER),
  },
  429: {
    name: 'TooManyRequests',
    response: errorResponse('The key has reached its rate limit.', 'throttled', null, RETRY_AFTER),
  },
};

/** Statuses that any request may get. The document lists them once instead of at each operation. */
export const COMMON_ERROR_STATUSES: ReadonlySet<number> = new Set([405, 406, 413, 415, 500, 503]);

export const errorResponseComponents = (): JsonObject =>
  Object.fromEntries(Object.values(ERROR_RESPONSES).map(({ name, response }) => [name, response]));

/** Reference to the shared response of a status. @throws Error for a status without one */
export function errorResponseReference(status: number): JsonObject {
  const known = ERROR_RESPONSES[status];
  if (!known) throw new Error(`There is no refusal with status ${status} in the API's description.`);
  return { $ref: `#/components/responses/${known.name}` };
}
