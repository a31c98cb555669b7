import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isKnown } from '../../http/known-etag.js';
import { openToForeignPages } from '../../http/not-found.js';
import { ApiError } from '../../kernel/errors.js';
import { OWN_FOLDER } from '../../kernel/own-folder.js';
import { readStaticFiles, type StaticFile } from './files.js';

/** Where the build puts them. */
const BUILT = fileURLToPath(new URL('dist/static', OWN_FOLDER));

/** The library for pages without a bundler: `/static/tidemark.js`, and what it loads when a page asks for more. */
export function registerStatic(app: FastifyInstance, directory = BUILT): void {
  let files: Promise<Map<string, StaticFile>> | undefined;
  app.get('/static/:name', async (request, reply) => {
    files ??= readStaticFiles(directory);
    const { name = '' } = request.params as { name?: string };
    const file = (await files).get(name);
    if (!file) throw new ApiError('not_found');
    return sendScript(request, reply, file);
  });
}

function sendScript(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  openToForeignPages(reply);
  reply
    .type('text/javascript; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('etag', file.etag)
    .header('vary', 'Accept-Encoding')
    .header(
      'cache-control',
      file.immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300, stale-while-revalidate=86400',
    );
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  return encoding ? reply.header('content-encoding', encoding).send(file[encoding]) : reply.send(file.plain);
}
