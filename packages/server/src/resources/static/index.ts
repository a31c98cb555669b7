import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowAllOrigins } from '../../http/not-found.js';
import { acceptedEncoding, matchesEtag } from '../../http/response.js';
import { ApiError } from '../../kernel/errors.js';
import { PACKAGE_FOLDER } from '../../kernel/package-folder.js';
import { createFontFinder } from './fonts.js';
import { findBuiltName, findFile, openPosthogScripts, readStaticFiles, type StaticFile } from './scripts.js';

export { registerPackages } from './packages.js';

/** Directory of the built scripts. */
const BUILT = fileURLToPath(new URL('dist/static', PACKAGE_FOLDER));

/** Finds the addresses of the scripts of the service's own pages; null: that script is not built. */
export function createScriptAddresses(directory = BUILT): (script: string) => Promise<string | null> {
  const known = new Map<string, string>();
  return async (script) => {
    const name = known.get(script) ?? (await findBuiltName(directory, script));
    if (name === null) return null;
    known.set(script, name);
    return `/static/${name}`;
  };
}

const CACHE_FOREVER = 'public, max-age=31536000, immutable';
const CACHE_BRIEFLY = 'public, max-age=300, stale-while-revalidate=86400';
const NOT_INSTALLED =
  'This service has no such script. The scripts of posthog-js are served when the npm package posthog-js is installed with the service.';

/**
 * Serves the SDK for pages without a bundler, `/static/tidemark.js` and its lazily loaded chunks, and the scripts of posthog-js under
 * the addresses that its snippet and SDK request; and the font of the service's own pages.
 * @param scripts opens the scripts of posthog-js
 */
export function registerStatic(app: FastifyInstance, directory = BUILT, scripts = () => openPosthogScripts()): void {
  let own: ReturnType<typeof readStaticFiles> | undefined;
  let posthog: ReturnType<typeof openPosthogScripts> | undefined;
  const findFont = createFontFinder();

  app.get('/static/:name', async (request, reply) => {
    allowAllOrigins(reply);
    own ??= readStaticFiles(directory);
    const { name = '' } = request.params as { name?: string };
    const { v } = request.query as { v?: string };
    const font = await findFont(name);
    if (font) return sendFont(reply, font);
    const file = findFile(await own, name);
    return file ? sendScript(request, reply, file, file.immutable) : sendPosthogScript(request, reply, name, v);
  });
  // for `strict_script_versioning`; another version than requested is better than a 404
  app.get('/static/:version/:name', async (request, reply) => {
    allowAllOrigins(reply);
    const { version = '', name = '' } = request.params as { version?: string; name?: string };
    if (!/^\d+\.\d+\.\d+$/.test(version)) throw new ApiError('not_found');
    return sendPosthogScript(request, reply, name, version);
  });

  /** @param version that the page requests, if any */
  async function sendPosthogScript(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    version?: string,
  ): Promise<FastifyReply> {
    posthog ??= scripts();
    const all = await posthog;
    const file = await all?.find(name);
    if (!all) throw new ApiError('not_found', NOT_INSTALLED);
    if (!file) throw new ApiError('not_found', `There is no such script, in posthog-js ${all.version} neither.`);
    return sendScript(request, reply, file, version === all.version);
  }
}

/** A font, which is compressed in itself. */
const sendFont = (reply: FastifyReply, font: Buffer): FastifyReply =>
  reply
    .type('font/woff2')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cache-control', CACHE_FOREVER)
    .send(font);

/** @param immutable whether this address always has this content */
function sendScript(request: FastifyRequest, reply: FastifyReply, file: StaticFile, immutable: boolean): FastifyReply {
  reply
    .type('text/javascript; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('etag', file.etag)
    .header('vary', 'Accept-Encoding')
    .header('cache-control', immutable ? CACHE_FOREVER : CACHE_BRIEFLY);
  if (matchesEtag(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  const encoding = acceptedEncoding(request);
  return encoding ? reply.header('content-encoding', encoding).send(file[encoding]) : reply.send(file.plain);
}
