import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, mountPublicRoutes, openProject } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { acceptsHtml } from '../../http/not-found.js';
import { origin } from '../../http/origin.js';
import { FAVICON } from '../../http/page/document.js';
import { sendPage } from '../../http/page/send-page.js';
import { ApiError } from '../../kernel/errors.js';
import { checkStores } from '../health/index.js';
import { createScriptAddresses } from '../static/index.js';
import { firstEventRoutes } from './first-event.js';
import { homePage } from './home-page.js';

/** The page at `/`, its icon, and the endpoint by which it waits for the first event. */
export function registerHome(app: FastifyInstance, deps: Deps, version: string, initiated: () => Promise<boolean>): void {
  const addressOf = createScriptAddresses();
  mountPublicRoutes(app, deps, '/api/first_event', firstEventRoutes(deps.clock));

  app.get('/', async (request, reply) => {
    reply.header('vary', 'Accept, Cookie');
    if (!acceptsHtml(request)) return reply.type('text/plain').send('Tidemark is running. Its API: /api/schema/ui/\n');
    const { checks: stores } = await checkStores(deps);
    const isKnown = stores.postgres.ok;
    const hasAccount = isKnown ? await initiated() : null;
    const projectKey = isKnown ? await projectKeyOf(request, reply) : null;
    const nonce = deps.ids.token(16);
    return sendPage(request, reply, {
      status: 200,
      type: 'text/html; charset=utf-8',
      body: homePage(
        { version, stores, hasAccount, projectKey },
        { nonce, origin: origin(request), script: await addressOf('home') },
      ),
      nonce,
      policy: `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; script-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'`,
    });
  });

  app.get('/favicon.ico', async (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(FAVICON),
  );

  /** The key of the current project of a login session; null without one. Personal API keys do not count: their scopes may exclude it. */
  async function projectKeyOf(request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
    try {
      const principal = await authenticate({ deps, request, reply });
      return principal.key === null ? (await openProject(deps, principal, '@current')).project.apiToken : null;
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}
