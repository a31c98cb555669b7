import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProjectByKey } from '../../auth/index.js';
import { clientAddress, closeMethods, queryText, rawRequest, readBytes } from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import type { Definitions } from '../definitions.js';
import type { Evaluation } from '../evaluator.js';
import { remoteConfig } from '../remote-config.js';
import { type Evaluated, mergedBodies, oldDecideBody, type ResponseMeta, v1Body, v2Body } from '../response-bodies.js';
import { type CachedResponse, withRequestId } from '../response-cache.js';
import { runtimeOf } from '../selection.js';
import { flagsOfSurveys } from '../surveys.js';
import type { FlagsContext } from './context.js';
import { FLAGS_PAYLOAD_CAP, FLAGS_WIRE_CAP, type FlagsRequest, readFlagsRequest } from './flags-request.js';

type Body = (evaluated: readonly Evaluated[], head: ResponseMeta) => string;

/** Flag evaluation: `/flags`, and `/decide` for older SDKs. */
export function mountFlags(scope: FastifyInstance, flagsContext: FlagsContext): void {
  scope.post('/flags', (request, reply) => {
    const [v, config] = [queryText(request, 'v'), queryText(request, 'config')];
    const bare = v === undefined && config === undefined;
    const body = (bare ? 2 : versionOf(v)) >= 2 ? v2Body : v1Body;
    return answer(flagsContext, request, reply, body, bare || config === 'true' || config === '1');
  });
  scope.get('/flags', async () => ({
    supportedCompression: ['gzip', 'gzip-js'],
    sessionRecording: false,
    flags: {},
    errorsWhileComputingFlags: false,
  }));
  closeMethods(scope, '/flags', ['GET', 'HEAD', 'POST'], 204);

  scope.post('/decide', (request, reply) =>
    answer(flagsContext, request, reply, decideBody(versionOf(queryText(request, 'v'))), true),
  );
  closeMethods(scope, '/decide', ['POST'], 204);
}

/** Anything but an integer means version 1. */
function versionOf(text: string | undefined): number {
  const version = Number(text ?? '1');
  return Number.isInteger(version) ? version : 1;
}

function decideBody(version: number): Body {
  if (version >= 4) return v2Body;
  return version === 3 ? v1Body : (evaluated) => oldDecideBody(evaluated, version);
}

type ReadResult = { cached: CachedResponse } | { flagsRequest: FlagsRequest; project: ProjectByKey };

async function answer(
  flagsContext: FlagsContext,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  withConfig: boolean,
): Promise<FastifyReply> {
  const { ids, clock } = flagsContext.deps;
  const runtime = runtimeOf(request.headers);
  let name: string | null = null;
  const result = await flagsContext.decode(async (decoding): Promise<ReadResult> => {
    const bytes = await readBytes(request, FLAGS_WIRE_CAP, decoding);
    const { 'content-type': type, 'content-encoding': encoding, origin } = request.headers;
    // the configuration depends on the origin: recording may be limited to some
    const site = withConfig ? origin : null;
    name = flagsContext.responses.keyOf(bytes, [request.url, type, encoding, runtime, request.ip, site]);
    const cached = name === null ? undefined : await cachedResponse(flagsContext, name);
    if (cached) return { cached };
    const flagsRequest = await readFlagsRequest(rawRequest(request, bytes, { cap: FLAGS_PAYLOAD_CAP }), decoding);
    return { flagsRequest, project: await flagsContext.projectOf(flagsRequest.token) };
  });
  reply.type('application/json; charset=utf-8');
  const ownId = requestIdOf(request);
  if ('cached' in result) {
    flagsContext.deps.services.flagCalls.requested(result.cached.requestedFlags);
    return reply.send(ownId === null ? result.cached.body : withRequestId(result.cached, ownId));
  }

  const { flagsRequest, project } = result;
  const definitions = await flagsContext.deps.services.flagDefinitions.get(project.id);
  const evaluation = await evaluate(
    flagsContext,
    definitions,
    { ...flagsRequest, runtime: flagsRequest.runtime ?? runtime },
    request,
  );
  flagsContext.deps.services.flagCalls.requested(evaluation.requestedFlags);
  const requestId = ownId ?? ids.uuid();
  const flags = body(evaluation.evaluated, { requestId, evaluatedAt: clock.now() });
  const text = withConfig
    ? mergedBodies(flags, JSON.stringify(remoteConfig(project.apiToken, definitions, request.headers.origin, clock.now())))
    : flags;
  if (name === null || !evaluation.isCacheable) return reply.send(text);
  const bytes = Buffer.from(text);
  flagsContext.responses.set(name, {
    token: flagsRequest.token,
    version: definitions.version,
    requestedFlags: evaluation.requestedFlags,
    requestId,
    body: bytes,
  });
  return reply.send(bytes);
}

/** The UUID by which the client, or a proxy before it, names the request in the header `X-Request-Id`; null without one. */
function requestIdOf({ headers }: FastifyRequest): string | null {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? parseUuid(id) : null;
}

/** The cached response of an equal request, if the project's key and flags are unchanged. */
async function cachedResponse(flagsContext: FlagsContext, name: string): Promise<CachedResponse | undefined> {
  const cached = flagsContext.responses.get(name);
  if (!cached) return undefined;
  const project = await flagsContext.projectOf(cached.token);
  return (await flagsContext.deps.services.flagDefinitions.get(project.id)).version === cached.version ? cached : undefined;
}

const NO_FLAGS: Evaluation = { evaluated: [], requestedFlags: [], isCacheable: false };

async function evaluate(
  flagsContext: FlagsContext,
  definitions: Definitions,
  flagsRequest: FlagsRequest,
  request: FastifyRequest,
): Promise<Evaluation> {
  const { distinctId, flagKeys } = flagsRequest;
  if (distinctId === null) return NO_FLAGS;
  const isOfSurveys = queryText(request, 'only_evaluate_survey_feature_flags') === 'true';
  return flagsContext.evaluator.evaluate(definitions, {
    ...flagsRequest,
    distinctId,
    flagKeys: isOfSurveys ? flagsOfSurveys(definitions).filter((key) => flagKeys?.includes(key) ?? true) : flagKeys,
    geoip: flagsRequest.geoipDisabled ? null : flagsContext.locate(clientAddress(request)),
  });
}
