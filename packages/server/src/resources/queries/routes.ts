import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type CachedQueryResult, type RefreshMode, runCachedQuery } from '../../analytics/index.js';
import { projectRoute } from '../../auth/index.js';
import { readBody } from '../../http/body.js';
import { isoTime } from '../../http/dates.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { Workload } from '../../ports/events.js';
import {
  applyOverrides,
  disconnectSignal,
  nameRun,
  profilesOfRuns,
  queryAccessOf,
  requireExperiment,
  requireProfiles,
  requireQueryAccess,
} from '../results/index.js';
import { bodySchema, resultSchema, statusAnswer } from './schema.js';

type Body = z.output<typeof bodySchema>;

const params = { id: z.string().describe('Name of the computation: the `client_query_id`, or the `id` of its `query_status`.') };

export const queryRoutes = [
  projectRoute({
    method: 'POST',
    path: '/query/',
    scope: 'query:read',
    summary: 'Compute a query',
    body: bodySchema,
    status: 200,
    response: resultSchema,
    responses: { 202: { description: 'It is computed in the background.', schema: resultSchema } },
    handle: async ({ body, ...context }) => {
      const { deps, project, request, reply } = context;
      const refresh: RefreshMode = body.async ? 'async' : (body.refresh ?? 'blocking');
      const { client_query_id: queryId = null, staleness } = body;
      // an export of this path injects the request
      const workload: Workload = deps.services.impersonation.principal() ? 'export' : 'interactive';
      const query = await queryOf(request, body);
      const access = queryAccessOf(context);
      await requireQueryAccess(deps.db, project.id, query, access);
      const name = await nameRun(deps, project.id, query, { refresh, queryId });
      const options = { refresh, queryId: name, staleness, workload, signal: disconnectSignal(reply.raw) };
      const answer = shown(await runCachedQuery(deps, project, query, options), project.timezone);
      // it may have joined the run of somebody else
      if (answer.query_status) await requireProfiles(await profilesOfRuns(deps.db, project.id, answer.query_status.id), access);
      return answer.query_status && answer.results === null ? reply.code(202).send(answer) : answer;
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/query/:id/',
    params,
    scope: 'query:read',
    summary: 'Poll a query in the background',
    status: 200,
    response: statusAnswer,
    responses: { 202: { description: 'It is not there yet.', schema: statusAnswer } },
    handle: async ({ params: { id = '' }, ...context }) => {
      const { deps, project, reply } = context;
      const found = await deps.services.queryRuns.find(project.id, id);
      if (!found) throw new ApiError('not_found', 'Query not found.');
      const { status, experimentId } = found;
      const access = queryAccessOf(context);
      // the caller may have lost them since, or be somebody else
      if (experimentId !== null) await requireExperiment(deps.db, project.id, experimentId, access);
      await requireProfiles(await profilesOfRuns(deps.db, project.id, id), access);
      return status.complete ? { query_status: status } : reply.code(202).send({ query_status: status });
    },
  }),
  projectRoute({
    method: 'DELETE',
    path: '/query/:id/',
    params,
    scope: 'query:read',
    summary: 'End a query',
    status: 204,
    handle: async ({ deps, project, params: { id = '' } }) => {
      await deps.services.queryRuns.cancel(project.id, id);
    },
  }),
];

/** The query of a request with its overrides applied. @throws ApiError if the result is not a valid query */
async function queryOf(request: FastifyRequest, parsed: Body): Promise<Body['query']> {
  const { query, filters_override: filters, variables_override: variables } = parsed;
  if (!filters && !variables) return query;
  const body = await readBody(request);
  const given = isObject(body) && isObject(body['query']) ? body['query'] : {};
  const overridden = applyOverrides(given, { filters: filters ?? {}, variables: variables ?? {} });
  return validate(bodySchema, { query: overridden }).query;
}

const timeOf = (millis: number | null): string | null => (millis === null ? null : isoTime(new Date(millis)));

const shown = ({ result, isCached, computedAt, completeUntil, cacheKey, status }: CachedQueryResult, timezone: string) => ({
  results: null,
  ...result,
  is_cached: isCached,
  last_refresh: timeOf(computedAt),
  complete_until: timeOf(completeUntil),
  cache_key: cacheKey,
  timezone,
  query_status: status,
});
