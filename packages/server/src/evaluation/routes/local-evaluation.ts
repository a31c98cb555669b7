import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { enterProject } from '../../auth/index.js';
import { matchesEtag } from '../../http/response.js';
import { subjectsOf } from '../../http/response-cache.js';
import { closeMethods, queryText, SdkError } from '../../http/sdk/index.js';
import { ApiError } from '../../kernel/errors.js';
import { etagOf, gzipped } from '../local-evaluation.js';
import type { FlagsContext } from './context.js';

/** Path of current server SDKs, and path of older ones. */
const PATHS = ['/flags/definitions', '/api/feature_flag/local_evaluation'];
const ROUTE = { scope: 'feature_flag:read', path: '/feature_flag/local_evaluation/' } as const;

/** The local-evaluation payload, for SDKs with a personal API key. */
export function mountLocalEvaluation(scope: FastifyInstance, flagsContext: FlagsContext): void {
  for (const url of PATHS) {
    scope.get(url, (request, reply) => answer(flagsContext, request, reply));
    closeMethods(scope, url, ['GET', 'HEAD'], 204);
  }
}

/** From memory for callers whose credentials were looked at since anything changed: SDKs ask every 30 s, of every process. */
async function answer(flagsContext: FlagsContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { deps } = flagsContext;
  const { responseCache: answers, flagDefinitions } = deps.services;
  const cached = answers.get(request);
  if (cached) {
    await cached.recheckRateLimit(request);
    return send(request, reply, cached.body);
  }
  const begun = answers.now();
  const context = await enterProject({ deps, request, reply }, ROUTE, await projectSegment(flagsContext, request));
  const { project, recheckRateLimit } = context;
  const definitions = await flagDefinitions.get(project.id);
  const body = definitions.localEvaluationPayload(queryText(request, 'send_cohorts') !== undefined);
  if (flagDefinitions.isCurrent(project.id, definitions))
    answers.set(request, begun, subjectsOf(context), { body, recheckRateLimit });
  return send(request, reply, body);
}

/** The project whose public key is the parameter `token`; without one the caller's own. @throws ApiError authentication_failed */
export async function projectSegment(flagsContext: Pick<FlagsContext, 'projectOf'>, request: FastifyRequest): Promise<string> {
  const token = queryText(request, 'token');
  if (token === undefined) return '@current';
  try {
    return String((await flagsContext.projectOf(token)).id);
  } catch (error) {
    throw error instanceof SdkError ? new ApiError('authentication_failed', error.message) : error;
  }
}

async function send(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<FastifyReply> {
  const etag = etagOf(body);
  reply.header('etag', etag).header('vary', 'Accept-Encoding').header('cache-control', 'private, no-cache');
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type('application/json; charset=utf-8');
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(body);
  // definitions repeat themselves: compressed they are a twentieth
  return reply.header('content-encoding', 'gzip').send(await gzipped(body));
}
