import type { RemoteConfig } from '@tidemark/wire';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { closeMethods, SdkError } from '../../http/sdk/index.js';
import { ApiError } from '../../kernel/errors.js';
import { remoteConfig } from '../remote-config.js';
import type { FlagsContext } from './context.js';

/** Clients ask at every page view; a changed setting may take this long to reach them. */
const CACHING = 'public, max-age=60';

/** The project's configuration, as data and as a script. An unknown key gets 404, which SDKs take as "use the defaults". */
export function mountRemoteConfig(scope: FastifyInstance, flagsContext: FlagsContext): void {
  scope.get('/array/:key/config', async (request, reply) => {
    const config = await configOf(flagsContext, request);
    return reply.header('cache-control', CACHING).send(config);
  });
  scope.get('/array/:key/config.js', async (request, reply) => {
    const config = await configOf(flagsContext, request);
    return reply.header('cache-control', CACHING).type('application/javascript; charset=utf-8').send(script(config));
  });
  for (const url of ['/array/:key/config', '/array/:key/config.js']) closeMethods(scope, url, ['GET', 'HEAD']);
}

async function configOf(flagsContext: FlagsContext, request: FastifyRequest): Promise<RemoteConfig> {
  const { key } = request.params as { key: string };
  try {
    const project = await flagsContext.projectOf(key);
    return remoteConfig(
      project.apiToken,
      await flagsContext.deps.services.flagDefinitions.get(project.id),
      request.headers.origin,
      flagsContext.deps.clock.now(),
    );
  } catch (error) {
    throw error instanceof SdkError ? new ApiError('not_found') : error;
  }
}

function script(config: RemoteConfig): string {
  const token = JSON.stringify(config.token);
  return `(function(w){(w._POSTHOG_REMOTE_CONFIG=w._POSTHOG_REMOTE_CONFIG||{})[${token}]={config:${JSON.stringify(config)},siteApps:[]}})(window);`;
}
