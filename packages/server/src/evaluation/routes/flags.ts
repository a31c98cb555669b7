import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProjectByKey } from '../../auth/index.js';
import { parseUuid } from '../../http/ids.js';
import { clientAddress, closeMethods, queryText, rawRequest, readBytes } from '../../http/sdk/index.js';
import { type KeptAnswer, withRequestId } from '../answer-cache.js';
import { type AnswerHead, type Evaluated, mergedBodies, oldDecideBody, v1Body, v2Body } from '../bodies.js';
import type { Evaluation } from '../evaluator.js';
import type { Definitions } from '../make-definitions.js';
import { remoteConfig } from '../remote-config.js';
import { runtimeOf } from '../runtime.js';
import { flagsOfSurveys } from '../surveys.js';
import type { FlagsDoor } from './context.js';
import { FLAGS_PAYLOAD_CAP, FLAGS_WIRE_CAP, type FlagsQuestion, readFlagsRequest } from './flags-request.js';

type Body = (evaluated: readonly Evaluated[], head: AnswerHead) => string;

/** Which flags somebody has: today's address, and that of SDKs of former years. */
export function mountFlags(scope: FastifyInstance, door: FlagsDoor): void {
  scope.post('/flags', (request, reply) => {
    const [v, config] = [queryText(request, 'v'), queryText(request, 'config')];
    const bare = v === undefined && config === undefined;
    const body = (bare ? 2 : versionOf(v)) >= 2 ? v2Body : v1Body;
    return answer(door, request, reply, body, bare || config === 'true' || config === '1');
  });
  scope.get('/flags', async () => ({
    supportedCompression: ['gzip', 'gzip-js'],
    sessionRecording: false,
    flags: {},
    errorsWhileComputingFlags: false,
  }));
  closeMethods(scope, '/flags', ['GET', 'HEAD', 'POST'], 204);

  scope.post('/decide', (request, reply) => answer(door, request, reply, decideBody(versionOf(queryText(request, 'v'))), true));
  closeMethods(scope, '/decide', ['POST'], 204);
}

/** What is not a number counts as the first version. */
function versionOf(text: string | undefined): number {
  const version = Number(text ?? '1');
  return Number.isInteger(version) ? version : 1;
}

function decideBody(version: number): Body {
  if (version >= 4) return v2Body;
  return version === 3 ? v1Body : (evaluated) => oldDecideBody(evaluated, version);
}

type Asked = { kept: KeptAnswer } | { question: FlagsQuestion; project: ProjectByKey };

async function answer(
  door: FlagsDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  withConfig: boolean,
): Promise<FastifyReply> {
  const { ids, clock, scheduler } = door.deps;
  const runtime = runtimeOf(request.headers);
  let name: string | null = null;
  const asked = await door.memory(async (reserve): Promise<Asked> => {
    const bytes = await readBytes(request, FLAGS_WIRE_CAP, { reserve, scheduler });
    const { 'content-type': type, 'content-encoding': encoding, origin } = request.headers;
    // the configuration is told by sites: some may be recorded, others not
    const site = withConfig ? origin : null;
    name = door.kept.nameOf(bytes, [request.url, type, encoding, runtime, request.ip, site]);
    const kept = name === null ? undefined : await keptFor(door, name);
    if (kept) return { kept };
    const question = await readFlagsRequest(rawRequest(request, bytes, { cap: FLAGS_PAYLOAD_CAP }), reserve);
    return { question, project: await door.projectOf(question.token) };
  });
  reply.type('application/json; charset=utf-8');
  const ownId = requestIdOf(request);
  if ('kept' in asked) {
    door.evaluator.asked(asked.kept.asked);
    return reply.send(ownId === null ? asked.kept.body : withRequestId(asked.kept, ownId));
  }

  const { question, project } = asked;
  const definitions = await door.deps.services.flagDefinitions.of(project.id);
  const evaluation = await evaluate(door, definitions, { ...question, runtime: question.runtime ?? runtime }, request);
  door.evaluator.asked(evaluation.asked);
  const requestId = ownId ?? ids.uuid();
  const flags = body(evaluation.evaluated, { requestId, evaluatedAt: clock.now() });
  const text = withConfig
    ? mergedBodies(flags, JSON.stringify(remoteConfig(project.apiToken, definitions, request.headers.origin, clock.now())))
    : flags;
  if (name === null || !evaluation.lasts) return reply.send(text);
  const bytes = Buffer.from(text);
  door.kept.keep(name, { token: question.token, version: definitions.version, asked: evaluation.asked, requestId, body: bytes });
  return reply.send(bytes);
}

/** The UUID by which the client, or a proxy before it, names the request in the header `X-Request-Id`; null without one. */
function requestIdOf({ headers }: FastifyRequest): string | null {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? parseUuid(id) : null;
}

/** The answer to the same question some seconds ago, if the project's key and flags are still what they were. */
async function keptFor(door: FlagsDoor, name: string): Promise<KeptAnswer | undefined> {
  const kept = door.kept.find(name);
  if (!kept) return undefined;
  const project = await door.projectOf(kept.token);
  return (await door.deps.services.flagDefinitions.of(project.id)).version === kept.version ? kept : undefined;
}

const NO_FLAGS: Evaluation = { evaluated: [], asked: [], lasts: false };

async function evaluate(
  door: FlagsDoor,
  definitions: Definitions,
  question: FlagsQuestion,
  request: FastifyRequest,
): Promise<Evaluation> {
  const { distinctId, flagKeys } = question;
  if (distinctId === null) return NO_FLAGS;
  const isOfSurveys = queryText(request, 'only_evaluate_survey_feature_flags') === 'true';
  return door.evaluator.evaluate(definitions, {
    ...question,
    distinctId,
    flagKeys: isOfSurveys ? flagsOfSurveys(definitions).filter((key) => flagKeys?.includes(key) ?? true) : flagKeys,
    place: question.geoipDisabled ? null : door.locate(clientAddress(request)),
  });
}
