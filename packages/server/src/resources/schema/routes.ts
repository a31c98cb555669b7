import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { publicRoute } from '../../auth/index.js';
import { acceptsHtml, allowAllOrigins, sendMissingPage } from '../../http/not-found.js';
import { matchesEtag } from '../../http/response.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import { createReferenceFiles, type File } from './files.js';
import { POLICY } from './reference/page-html.js';

/** The routes of `/api/schema`. `document` builds the OpenAPI document. */
export const schemaRoutes = (document: () => Promise<File>) => [
  publicRoute({
    method: 'GET',
    path: '/',
    scope: null,
    summary: 'Retrieve the description of this API',
    description: 'An OpenAPI 3.1 document. It changes only with the version of the service: ask with `If-None-Match`.',
    status: 200,
    response: z
      .looseObject({
        openapi: z.string().describe('Version of the format.'),
        info: z.looseObject({}).describe('Title, version and how to use the API.'),
        paths: z.looseObject({}).describe('The operations by address and method.'),
        components: z.looseObject({}).describe('What operations refer to.'),
      })
      .describe('An OpenAPI document.'),
    handle: async ({ request, reply }) => sendFile(request, reply, await document()),
  }),
];

/** The pages of the reference, `/api/schema/ui/` and one for each group of operations. */
export function mountReference(app: FastifyInstance, document: () => Promise<JsonObject>): void {
  const findFile = createReferenceFiles(document);
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { name = '' } = request.params as { name?: string };
    const file = await findFile(name);
    if (!file && acceptsHtml(request)) return sendMissingPage(request, reply);
    if (!file) throw new ApiError('not_found');
    // below an address with a slash at its end, the relative ones of a page would lead nowhere
    if (name && /\/(\?|$)/.test(request.url)) return reply.redirect(`/api/schema/ui/${name}`, 308);
    return sendFile(request, reply.header('content-security-policy', POLICY).header('x-content-type-options', 'nosniff'), file);
  };
  // pages refer to each other by relative addresses, which need the trailing slash of the first
  app.get('/api/schema/ui', (request, reply) =>
    /\/ui(\?|$)/.test(request.url) ? reply.redirect('/api/schema/ui/', 308) : send(request, reply),
  );
  app.get('/api/schema/ui/:name', send);
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  allowAllOrigins(reply);
  reply.header('etag', file.etag).header('cache-control', 'no-cache').header('vary', 'Accept-Encoding');
  if (matchesEtag(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  reply.type(file.type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.gzipped);
}
