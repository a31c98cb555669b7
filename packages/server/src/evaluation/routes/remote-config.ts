import type { RemoteConfig } from '@tidemark/wire';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { enterProject, projectRoute } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountRoutes } from '../../http/mount-routes.js';
import { closeMethods, SdkError } from '../../http/sdk/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { remoteConfig } from '../remote-config.js';
import { type FlagsContext, projectFinder } from './context.js';
import { projectSegment } from './local-evaluation.js';

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

const route = projectRoute({
  method: 'GET',
  path: '/feature_flags/:key/remote_config/',
  scope: 'feature_flag:read',
  summary: 'Retrieve the payload of a flag that is a value for programs',
  description: 'With `@current` as the project, the parameter `token` may name another project by its public key.',
  params: { key: z.string().describe('Key of the flag.') },
  query: z.object({ token: z.string().optional().describe('Project API key.') }),
  status: 200,
  response: z.unknown().describe('The payload as it is stored, normally JSON text; null if there is none.'),
  handle: async ({ deps, project, params }) => {
    const { byKey } = await deps.services.flagDefinitions.get(project.id);
    const flag = byKey.get(params.key ?? '');
    if (!flag?.active) throw new ApiError('not_found');
    const payloads = isObject(flag.filters) ? flag.filters.payloads : null;
    return (isObject(payloads) ? payloads.true : null) ?? null;
  },
});

/** Mounts the payload of one flag, secret ones included, for programs with a personal key. Its path is one of the API. */
export function registerRemotePayload(app: FastifyInstance, deps: Deps): void {
  const projectOf = projectFinder(deps);
  mountRoutes(
    app,
    deps,
    ['/api/projects/:project_id', '/api/environments/:project_id'],
    async (context, requestedKey) => {
      const { project_id: segment = '' } = context.request.params as Record<string, string>;
      return enterProject(
        context,
        requestedKey,
        segment === '@current' ? await projectSegment({ projectOf }, context.request) : segment,
      );
    },
    [route],
  );
}
