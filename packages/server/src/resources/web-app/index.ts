import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.js';
import type { Deps } from '../../deps.js';
import { acceptsHtml } from '../../http/not-found.js';
import { FAVICON } from '../../http/page/document.js';
import { sendPage } from '../../http/page/send-page.js';
import { acceptedEncoding } from '../../http/response.js';
import { escapeXml } from '../../kernel/display-text.js';
import { ApiError } from '../../kernel/errors.js';
import { PACKAGE_FOLDER } from '../../kernel/package-folder.js';
import { type AppFile, readAppFiles } from './files.js';

/** Directory of the built app. */
const BUILT = fileURLToPath(new URL('dist/app', PACKAGE_FOLDER));

/** The addresses of the app's screens. Its router, `packages/web/src/routes.ts`, says what is at each. */
const SCREENS = ['/', '/setup', '/login', '/invite/:id', '/reset/:token', '/p/:project', '/p/:project/*'];

/** The app loads everything from its own origin. Pictures may be data: charts that are copied, and avatars. */
const policyOf = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; font-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; frame-src 'self' blob:; worker-src 'self'; base-uri 'none'; form-action 'self'`;

/** Serves the web app: one page for all its screens, its icon, and the files that the page loads. */
export function registerWebApp(
  app: FastifyInstance,
  { ids, config }: Pick<Deps, 'ids'> & { config: Pick<Config, 'selfKey'> },
  directory = BUILT,
): void {
  let read: ReturnType<typeof readAppFiles> | undefined;
  // a development build may come after the start
  const built = async () => {
    read ??= readAppFiles(directory);
    const files = await read;
    if (!files) read = undefined;
    return files;
  };

  for (const url of SCREENS)
    app.get(url, async (request, reply) => {
      reply.header('vary', 'Accept');
      const files = acceptsHtml(request) ? await built() : null;
      // programs that look whether the service is there
      if (url === '/' && !files) return reply.type('text/plain').send('Tidemark is running. Its API: /api/schema/ui/\n');
      if (!files) throw new ApiError('not_found');
      const nonce = ids.token(16);
      return sendPage(request, reply, {
        status: 200,
        type: 'text/html; charset=utf-8',
        body: withSelfKey(files.page, config.selfKey).replaceAll('__NONCE__', nonce),
        nonce,
        policy: policyOf(nonce),
      });
    });

  app.get('/favicon.ico', async (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(FAVICON),
  );

  app.get('/app/:name', async (request, reply) => sendFile(request, reply, (await built())?.files.get(nameOf(request))));
}

/** Names the project of the app's own use in a `meta` element, which needs no inline script. Without one the page has none. */
const withSelfKey = (page: string, key: string | null): string =>
  key === null ? page : page.replace('</head>', () => `  <meta name="tidemark-self" content="${escapeXml(key)}" />\n  </head>`);

const nameOf = ({ params }: FastifyRequest): string => (params as { name?: string }).name ?? '';

function sendFile(request: FastifyRequest, reply: FastifyReply, file: AppFile | undefined): FastifyReply {
  if (!file) throw new ApiError('not_found', 'This service has no such file of the app. It may be of an earlier version.');
  reply.type(file.type).header('vary', 'Accept-Encoding').header('cache-control', 'public, max-age=31536000, immutable');
  const encoding = acceptedEncoding(request);
  const encoded = encoding && file[encoding];
  return encoded ? reply.header('content-encoding', encoding).send(encoded) : reply.send(file.plain);
}
