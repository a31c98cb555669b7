import type { FastifyInstance } from 'fastify';
import { openApiDocument, operationsOf } from '../../http/openapi/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Scheduler } from '../../ports/system.js';
import { TAGS } from './tags.js';

const DESCRIPTION = `
The API of a Tidemark service: everything that its pages do, and what SDKs call.

## Credentials
Programs send a **personal API key** in the header \`Authorization: Bearer <PERSONAL_API_KEY>\`. A key has scopes; every operation
says which one it needs. \`dashboard:write\` covers \`dashboard:read\`, and \`*\` covers all. People use the cookie of a log-in,
which has no scopes. Capture takes the public **project API key** in the body instead.

## Addresses
Everything below \`/api/environments/{project_id}/\` is also below \`/api/projects/{project_id}/\`. \`@current\` stands for the
project or organization where the caller is. The trailing slash may be left out.

## Bodies
JSON, \`application/x-www-form-urlencoded\` and \`multipart/form-data\` say the same thing. Unknown fields are ignored. Numbers and
booleans may be sent as text, UUIDs without dashes. Times are ISO 8601 in UTC. A body may have 20 MB,
a body of JSON 5 MB and 150,000 values (a text counts as two, a list, an object or a member as five), a url-encoded form or a field of a multipart form 1 MB. A key that stands in a body instead of the header is looked for
in bodies up to 256 KB.

## Lists
Long lists come in pages: \`limit\` and \`offset\` choose one, \`count\` tells how many there are in all, \`next\` and \`previous\` are
addresses. Lists with a \`cursor\` have no count; follow \`next\`.

## Refusals
Every refusal has the same body, \`type\`, \`code\`, \`detail\` and \`attr\`, and tells the first fault only. Checks come in this
order: credentials (401), scope (403), access to the project (404, 403), the object (404), rights on it (403), the body (400).
Any request may also be answered with 405 (no such method), 406 (the \`Accept\` header leaves no room for JSON), 413 (too large),
415 (unknown content type, or compressed), 431 (an address too long), 500 (an error of the service, with an id that is also in its log) or
503 (a store is away; with \`Retry-After\`).

## Rate limits
Off unless the operator turns them on. Then they count per personal API key, and 429 comes with \`Retry-After\`.
`.trim();

/** Builds the OpenAPI document of all routes of `app`, and blocks the event loop meanwhile. */
export function describeApi(app: FastifyInstance, version: string): JsonObject {
  const steps = documentOf(app, version);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Work between two yields to the event loop; milliseconds. */
const SLICE_MS = 10;

/** As {@link describeApi}, but yields to the event loop after each slice of work. */
export async function describeApiInSlices(app: FastifyInstance, version: string, scheduler: Scheduler): Promise<JsonObject> {
  const steps = documentOf(app, version);
  let end = scheduler.uptime() + SLICE_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    // not after each step: under load every yield waits for the slices of all other callers
    if (scheduler.uptime() < end) continue;
    await scheduler.yield();
    end = scheduler.uptime() + SLICE_MS;
  }
}

const documentOf = (app: FastifyInstance, version: string): Generator<void, JsonObject> =>
  openApiDocument(operationsOf(app), {
    title: 'Tidemark API',
    version,
    description: DESCRIPTION,
    tags: TAGS,
    securitySchemes: {
      personalApiKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'A personal API key: `tms_` and 43 characters. What it may do is decided by its scopes; each operation names the one that it needs.',
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'tidemark_session',
        description: 'The cookie that a log-in gives. Not limited by scopes.',
      },
    },
  });
