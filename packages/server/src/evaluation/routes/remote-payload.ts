import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { enterProject, projectRoute } from '../../auth/index.js';
import { mountRoutes } from '../../http/mount-routes.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { FlagsContext } from './context.js';
import { projectSegment } from './local-evaluation.js';

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

/** The payload of one flag, secret ones included, for programs with a personal key. */
export function mountRemotePayload(app: FastifyInstance, flagsContext: FlagsContext): void {
  mountRoutes(
    app,
    flagsContext.deps,
    ['/api/projects/:project_id', '/api/environments/:project_id'],
    async (context, asked) => {
      const { project_id: segment = '' } = context.request.params as Record<string, string>;
      return enterProject(context, asked, segment === '@current' ? await projectSegment(flagsContext, context.request) : segment);
    },
    [route],
  );
}
